#pragma once
// What a case file may say: names, types, units, defaults, ranges and one line of documentation.
//
//   struct Material { double conductivity = 1; };
//   schema.section("physics", "the material");
//   schema.key("physics.conductivity", &Material::conductivity).unit("W/(m K)").positive();
//   CaseSchema& obstacle = schema.tables("obstacle", "a body in the flow");  // [[obstacle]]
//   obstacle.real("radius").unit("m").positive().doc("radius of the sphere");
//
// Keys that are members of a struct have its defaults and are read together, see Case::read(); the
// others are read one by one. A key declared without a default must be given, unless it is
// optional().

#include <array>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "goban/base/named.hpp"
#include "goban/io/case/value.hpp"

namespace goban {

class Case;
class CaseSchema;

/// Layers of cells that an application adds on the low and high side of each axis.
using GridLayers = std::array<std::array<Index, 2>, 3>;

/// Numbers allowed: low..high, the ends belonging to it or not.
struct KeyRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
  /// "at least 1", "positive", "between 0 and 1", ...; "" when everything is allowed.
  std::string describe() const;
};

/// One key. The setters return the key and chain.
class CaseKey {
 public:
  CaseKey(std::string name, KeyType type, CaseValue fallback);

  CaseKey& doc(std::string line) { return doc_ = std::move(line), *this; }
  /// SI unit of the number, see units.hpp; a unit unknown there ("cells", "steps") only
  /// documents.
  CaseKey& unit(std::string symbol) { return unit_ = std::move(symbol), *this; }
  /// Numbers: may be of this kind instead, as what another key says; see Case::unit().
  CaseKey& or_unit(std::string symbol) { return other_units_.push_back(std::move(symbol)), *this; }
  CaseKey& positive() { return more_than(0); }
  CaseKey& at_least(double low) { return range_.low = low, range_.low_open = false, *this; }
  CaseKey& at_most(double high) { return range_.high = high, range_.high_open = false, *this; }
  CaseKey& more_than(double low) { return range_.low = low, range_.low_open = true, *this; }
  CaseKey& less_than(double high) { return range_.high = high, range_.high_open = true, *this; }
  CaseKey& between(double low, double high) { return at_least(low).at_most(high); }
  /// Lists: exactly n entries (shortest..longest entries).
  CaseKey& length(std::size_t n) { return length(n, n); }
  CaseKey& length(std::size_t shortest, std::size_t longest);
  /// Lists of fixed length: one number stands for all entries.
  CaseKey& or_one_for_all() { return one_for_all_ = true, *this; }
  /// Numbers and lists: these words are allowed as well; the first becomes the default when
  /// there is none.
  CaseKey& or_words(std::vector<std::string> words);
  /// Numbers and lists that are members: this word leaves the member as it is, and is the default.
  CaseKey& or_auto();
  /// Numbers that are members: this word stands for a number.
  CaseKey& or_word(const std::string& word, double number);
  /// Numbers and lists of them that are no members: may be expressions of time, see
  /// io/case/time_value.hpp. Texts: may hold such, whose files are found where those of paths are.
  CaseKey& may_vary();
  /// Need not be given and has no default.
  CaseKey& optional();
  /// Choices: these of them alone.
  CaseKey& only(std::vector<std::string> choices) { return choices_ = std::move(choices), *this; }
  /// Has no default and must be given.
  CaseKey& required() { return fallback_ = {}, *this; }
  /// How values look on a command line, where that does not follow from the type: "X,Y,Z|auto".
  CaseKey& shown_as(std::string values) { return values_ = std::move(values), *this; }
  /// Lists: what stands between entries on a command line, instead of a comma.
  CaseKey& separated_by(char separator) { return separator_ = separator, *this; }
  /// What is done with a value that is given when Record is read, where the key is no member of it.
  template <class Record, class Value>
  CaseKey& into(void (*set)(Record&, const Value&)) {
    record_ = &typeid(Record);
    assign_ = [set](void* record, const CaseValue& value, const std::string&) {
      set(*static_cast<Record*>(record), std::get<Value>(value));
    };
    return *this;
  }
  /// Texts: part of the name of a file, which no slash and no control character may be in.
  CaseKey& in_file_name() { return in_file_name_ = true, *this; }

  const std::string& name() const { return name_; }
  KeyType type() const { return type_; }
  const CaseValue& fallback() const { return fallback_; }
  bool has_default() const { return fallback_.index() != 0; }
  bool is_required() const { return !has_default() && !optional_ && type_ != KeyType::tables; }
  const std::string& doc() const { return doc_; }
  const std::string& unit() const { return unit_; }
  const std::vector<std::string>& other_units() const { return other_units_; }
  /// "m/s or K"
  std::string units() const;
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
  bool is_list() const {
    return type_ == KeyType::integers || type_ == KeyType::reals || type_ == KeyType::texts;
  }
  bool is_number() const;

  char separator() const { return separator_; }
  bool is_of(const std::type_info& record) const { return record_ && *record_ == record; }
  /// Sets what the key is in a struct of the type that it is of.
  void assign(void* record, const CaseValue& value) const;

  /// "a list of 3 integers", "a number or auto": follows "must be".
  std::string expects() const;
  /// The same with its range.
  std::string allowed() const;
  /// "none|one-kernel", "N|auto": values on a command line.
  std::string values() const;
  /// A value to copy, in TOML: the default where there is one.
  std::string example() const;

 private:
  friend class CaseSchema;
  std::string name_;
  KeyType type_;
  CaseValue fallback_;
  std::string doc_, unit_, values_;
  KeyRange range_;
  std::vector<std::string> choices_, words_, other_units_;
  std::map<std::string, double> numbers_;  ///< that words stand for
  std::size_t shortest_ = 0, longest_ = std::numeric_limits<std::size_t>::max();
  bool one_for_all_ = false, optional_ = false, in_file_name_ = false, may_vary_ = false;
  char separator_ = ',';
  std::shared_ptr<CaseSchema> rows_;
  const std::type_info* record_ = nullptr;
  std::function<void(void* record, const CaseValue& value, const std::string& unit)> assign_;
};

/// The keys of an application. Names are dotted, the parts before the last are the section;
/// declaring a name twice, or a choice whose default is not among the choices, throws
/// std::logic_error.
class CaseSchema {
 public:
  /// A key that is a member of a struct. Its type follows from the member's, its default is that of
  /// the struct.
  template <class Record, class Member>
  CaseKey& key(std::string name, Member Record::*member) {
    CaseKey& key =
        add(std::move(name), members::key_type<Member>(), members::as_value(Record{}.*member));
    key.optional_ = members::is_optional<Member>;
    key.may_vary_ = members::Varying<Member>;
    if (members::length < Member >> 0) key.length(members::length<Member>);
    key.record_ = &typeid(Record);
    key.assign_ = [member](void* record, const CaseValue& value, const std::string& unit) {
      members::assign(static_cast<Record*>(record)->*member, value, unit);
    };
    return key;
  }
  /// The same of a member whose values have names; without a default where that of the struct has
  /// none.
  template <class Record, class Member>
  CaseKey& key(std::string name, Member Record::*member,
               std::span<const Named<std::type_identity_t<Member>>> names) {
    std::map<std::string, Member> values;
    std::vector<std::string> choices;
    for (const auto& [word, value] : names) {
      choices.emplace_back(word);
      values.emplace(word, value);
    }
    const std::string fallback = name_in(names, Record{}.*member);
    CaseKey& key = choice(std::move(name), std::move(choices),
                          fallback.empty() ? std::nullopt : std::optional(fallback));
    key.record_ = &typeid(Record);
    key.assign_ = [member, values = std::move(values)](void* record, const CaseValue& value,
                                                       const std::string&) {
      static_cast<Record*>(record)->*member = values.at(std::get<std::string>(value));
    };
    return key;
  }
  template <class Record, class Member>
  CaseKey& key(std::string name, Member Record::*member,
               std::initializer_list<Named<std::type_identity_t<Member>>> names) {
    return key(std::move(name), member, std::span(names.begin(), names.size()));
  }

  CaseKey& boolean(std::string name, std::optional<bool> fallback = {}) {
    return add(std::move(name), KeyType::boolean, value_or_none(fallback));
  }
  CaseKey& integer(std::string name, std::optional<Index> fallback = {}) {
    return add(std::move(name), KeyType::integer, value_or_none(fallback));
  }
  CaseKey& real(std::string name, std::optional<double> fallback = {}) {
    return add(std::move(name), KeyType::real, value_or_none(fallback));
  }
  CaseKey& text(std::string name, std::optional<std::string> fallback = {}) {
    return add(std::move(name), KeyType::text, value_or_none(std::move(fallback)));
  }
  CaseKey& choice(std::string name, std::vector<std::string> choices,
                  std::optional<std::string> fallback = {});
  /// A file, relative to the folder of the case file (or to the current folder when given on
  /// the command line).
  CaseKey& path(std::string name, std::optional<std::string> fallback = {}) {
    return add(std::move(name), KeyType::path, value_or_none(std::move(fallback)));
  }
  CaseKey& integers(std::string name, std::optional<std::vector<Index>> fallback = {}) {
    return add(std::move(name), KeyType::integers, value_or_none(std::move(fallback)));
  }
  CaseKey& reals(std::string name, std::optional<std::vector<double>> fallback = {}) {
    return add(std::move(name), KeyType::reals, value_or_none(std::move(fallback)));
  }
  CaseKey& texts(std::string name, std::optional<std::vector<std::string>> fallback = {}) {
    return add(std::move(name), KeyType::texts, value_or_none(std::move(fallback)));
  }
  /// A list of tables, [[name]]; returns the keys of one table.
  CaseSchema& tables(std::string name, std::string doc);
  /// One line about a section, written above it by --print-config.
  void section(std::string name, std::string doc) {
    section_docs_.emplace_back(std::move(name), std::move(doc));
  }

  /// Layers that grid.size does not count, see grid.hpp; none by default.
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
  template <class T>
  static CaseValue value_or_none(std::optional<T> value) {
    return value ? CaseValue(std::move(*value)) : CaseValue();
  }
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
