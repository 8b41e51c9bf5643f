#pragma once
// What a case file may say: names, types, units, defaults, ranges and one line of documentation.
//
//   schema.section("physics", "the material");
//   schema.real("physics.conductivity", 1.0).unit("W/(m K)").positive().doc("thermal
//   conductivity"); CaseSchema& obstacle = schema.tables("obstacle", "a body in the flow");   //
//   [[obstacle]] obstacle.real("radius").unit("m").positive().doc("radius of the sphere");
//
// A key declared without a default must be given, unless it is optional().

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

class Case;
class CaseSchema;

/// Layers of cells that an application adds on the low and high side of each axis.
using GridLayers = std::array<std::array<Index, 2>, 3>;

enum class KeyType { boolean, integer, real, text, choice, path, integers, reals, texts, tables };

/// A value of a case: which alternative holds follows from the KeyType (choice and path are
/// texts). A text under a number key is one of its words, as in threads = "auto", or an expression
/// of time; texts under a list of numbers are such expressions and numbers.
using CaseValue = std::variant<std::monostate, bool, Index, double, std::string, std::vector<Index>,
                               std::vector<double>, std::vector<std::string>>;

/// Numbers allowed: low..high, the ends belonging to it or not.
struct KeyRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const;
  /// "at least 1", "positive", "between 0 and 1", ...; "" when everything is allowed.
  std::string describe() const;
};

/// One key. The setters return the key and chain.
class CaseKey {
 public:
  CaseKey(std::string name, KeyType type, CaseValue fallback);

  CaseKey& doc(std::string line);
  /// SI unit of the number, see case_units.hpp; a unit unknown there ("cells", "steps") only
  /// documents.
  CaseKey& unit(std::string symbol);
  CaseKey& positive() { return more_than(0); }
  CaseKey& at_least(double low);
  CaseKey& at_most(double high);
  CaseKey& more_than(double low);
  CaseKey& less_than(double high);
  CaseKey& between(double low, double high) { return at_least(low).at_most(high); }
  /// Lists: exactly n entries (shortest..longest entries).
  CaseKey& length(std::size_t n) { return length(n, n); }
  CaseKey& length(std::size_t shortest, std::size_t longest);
  /// Lists of fixed length: one number stands for all entries.
  CaseKey& or_one_for_all();
  /// Numbers and lists: these words are allowed as well; the first becomes the default when
  /// there is none.
  CaseKey& or_words(std::vector<std::string> words);
  /// Numbers and lists of them: may be expressions of time, see io/time_value.hpp; read with
  /// Case::varying(). Texts: may hold such, whose files are found where those of paths are.
  CaseKey& may_vary();
  /// Need not be given and has no default.
  CaseKey& optional();
  /// Texts: part of the name of a file, which no slash and no control character may be in.
  CaseKey& in_file_name();

  const std::string& name() const { return name_; }
  KeyType type() const { return type_; }
  const CaseValue& fallback() const { return fallback_; }
  bool has_default() const { return fallback_.index() != 0; }
  bool is_required() const;
  const std::string& doc() const { return doc_; }
  const std::string& unit() const { return unit_; }
  const KeyRange& range() const { return range_; }
  const std::vector<std::string>& choices() const { return choices_; }
  const std::vector<std::string>& words() const { return words_; }
  std::size_t shortest() const { return shortest_; }
  std::size_t longest() const { return longest_; }
  bool one_for_all() const { return one_for_all_; }
  bool is_in_file_name() const { return in_file_name_; }
  bool is_varying() const { return may_vary_; }
  /// The keys of one table of a KeyType::tables; null for other types.
  const CaseSchema* rows() const { return rows_.get(); }
  bool is_list() const;
  bool is_number() const;

  /// "a list of 3 integers", "a number or auto": follows "must be".
  std::string expects() const;
  /// A value to copy, in TOML: the default where there is one.
  std::string example() const;

 private:
  friend class CaseSchema;
  std::string name_;
  KeyType type_;
  CaseValue fallback_;
  std::string doc_, unit_;
  KeyRange range_;
  std::vector<std::string> choices_, words_;
  std::size_t shortest_ = 0, longest_ = std::numeric_limits<std::size_t>::max();
  bool one_for_all_ = false, optional_ = false, in_file_name_ = false, may_vary_ = false;
  std::shared_ptr<CaseSchema> rows_;
};

/// The keys of an application. Names are dotted, the parts before the last are the section;
/// declaring a name twice, or a choice whose default is not among the choices, throws
/// std::logic_error.
class CaseSchema {
 public:
  CaseKey& boolean(std::string name, std::optional<bool> fallback = {});
  CaseKey& integer(std::string name, std::optional<Index> fallback = {});
  CaseKey& real(std::string name, std::optional<double> fallback = {});
  CaseKey& text(std::string name, std::optional<std::string> fallback = {});
  CaseKey& choice(std::string name, std::vector<std::string> choices,
                  std::optional<std::string> fallback = {});
  /// A file, relative to the folder of the case file (or to the current folder when given on
  /// the command line).
  CaseKey& path(std::string name, std::optional<std::string> fallback = {});
  CaseKey& integers(std::string name, std::optional<std::vector<Index>> fallback = {});
  CaseKey& reals(std::string name, std::optional<std::vector<double>> fallback = {});
  CaseKey& texts(std::string name, std::optional<std::vector<std::string>> fallback = {});
  /// A list of tables, [[name]]; returns the keys of one table.
  CaseSchema& tables(std::string name, std::string doc);
  /// One line about a section, written above it by --print-config.
  void section(std::string name, std::string doc);

  /// Layers that grid.size does not count, see case_grid.hpp; none by default.
  void grid_layers(std::function<GridLayers(const Case&)> layers) { layers_ = std::move(layers); }
  GridLayers layers_of(const Case& values) const {
    return layers_ ? layers_(values) : GridLayers{};
  }

  /// Null when there is no such key.
  const CaseKey* find(const std::string& name) const;
  /// Whether a key begins with `name` and a dot.
  bool has_section(const std::string& name) const;
  const std::string& section_doc(const std::string& name) const;
  /// In order of declaration.
  const std::deque<CaseKey>& keys() const { return keys_; }
  /// Every key, those of table lists as "list.N.key".
  std::vector<std::string> key_names() const;
  /// Every section, "" excluded, and every table list, in order of declaration.
  std::vector<std::string> section_names() const;

 private:
  CaseKey& add(std::string name, KeyType type, CaseValue fallback);

  std::deque<CaseKey> keys_;
  std::vector<std::pair<std::string, std::string>> section_docs_;
  std::function<GridLayers(const Case&)> layers_;
};

/// "a.b" of "a.b.c"; "" of "c".
std::string section_of(const std::string& name);
/// "c" of "a.b.c".
std::string last_part_of(const std::string& name);

}  // namespace goban
