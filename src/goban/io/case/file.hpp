#pragma once
// A case: the values of one case file, checked against the schema of its application.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/types.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

/// Values by key name. Asking for a key that is not declared, or as another type than declared
/// (choices and paths are texts, too), or that has no value, is a mistake of the application and
/// throws std::logic_error.
class Case {
 public:
  /// Whether the key has a value: given, or by default.
  bool has(const std::string& key) const;
  /// Whether the case file or the command line gives the key.
  bool given(const std::string& key) const;

  /// A struct, of which keys of the schema are members: those that are given, the others as in
  /// `record`.
  template <class Record>
  Record read(Record record = {}) const {
    read_into(typeid(Record), &record);
    return record;
  }
  /// Such structs from the tables of [[key]].
  template <class Record>
  std::vector<Record> read_all(const std::string& key) const {
    std::vector<Record> records;
    for (const Case& row : list(key)) records.push_back(row.read<Record>());
    return records;
  }

  bool boolean(const std::string& key) const;
  Index integer(const std::string& key) const;
  /// In the key's unit.
  double real(const std::string& key) const;
  /// The unit that the value was given in, where the key takes several; empty: it has none.
  const std::string& unit(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::string& choice(const std::string& key) const;
  /// Absolute; empty when the case gives "".
  std::filesystem::path path(const std::string& key) const;
  const std::vector<Index>& integers(const std::string& key) const;
  const std::vector<double>& reals(const std::string& key) const;
  const std::vector<std::string>& texts(const std::string& key) const;
  /// Lists of length 3.
  Index3 integer3(const std::string& key) const;
  Real3 real3(const std::string& key) const;
  /// The word that stands for a number ("auto"); "" when there is a number or nothing.
  std::string word(const std::string& key) const;
  /// The tables of [[key]], in the order of the file.
  const std::vector<Case>& list(const std::string& key) const;

  /// An error about the value of a key, saying where it was given.
  Error error(const std::string& key, const std::string& problem, const std::string& why = {},
              const std::string& suggestion = {}) const;

  const CaseSchema& schema() const { return *schema_; }
  /// As typed by the user.
  const std::filesystem::path& file() const { return file_; }
  /// The file's name without folder and ending.
  std::string name() const { return file_.stem().string(); }
  /// What its user should know of it, one line each: keys that are unknown, where that is allowed,
  /// and what an application found when it read the values.
  const std::vector<std::string>& warnings() const { return *warnings_; }
  /// Adds a line, once, to the warnings of the case and of all its copies.
  void warn(const std::string& line) const;
  /// The value as it is; monostate when there is none.
  const CaseValue& value(const std::string& key) const;
  /// As the case says it, where what applications are told follows from it and other keys.
  const CaseValue& written(const std::string& key) const;

 private:
  friend class CaseReader;
  struct Slot {
    CaseValue value;
    CaseValue written;  ///< monostate: as `value`
    std::string unit;   ///< the unit that was given, for keys of several units
    std::vector<Case> rows;
    bool given = false;
    bool typed = false;  ///< on the command line
    std::string where;
  };

  void read_into(const std::type_info& type, void* record) const;
  const Slot& slot(const std::string& key) const;
  template <class T>
  const T& as(const std::string& key, std::initializer_list<KeyType> types) const;

  std::shared_ptr<const CaseSchema> schema_;
  std::filesystem::path file_;
  std::string prefix_;  ///< "obstacle.0." in a table of a list
  std::map<std::string, Slot> slots_;
  std::shared_ptr<std::vector<std::string>> warnings_ =
      std::make_shared<std::vector<std::string>>();
};

}  // namespace goban
