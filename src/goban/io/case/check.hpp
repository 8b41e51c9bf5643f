#pragma once
// One value against one key: type, unit, length, range, choice.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/io/case/schema.hpp"
#include "goban/io/case/toml.hpp"

namespace goban {

/// What is wrong with a value, or with the entry of a list that stands at `where`.
struct ValueProblem {
  TextPosition where;
  std::string problem, why, suggestion;
};

/// Gives an untyped word of the command line the type the key asks for; lists may leave out the
/// brackets, texts the quotes.
TomlValue typed(const TomlValue& word, const CaseKey& key);

/// The value in the key's type and unit; reports what is wrong under the name `shown`. Paths are
/// taken relative to `folder`. Not for KeyType::tables.
CaseValue checked(const CaseKey& key, const TomlValue& value, const std::string& shown,
                  const std::filesystem::path& folder, std::vector<ValueProblem>& problems);

/// The unit that a number is given in, where the key takes several; empty: it has none.
std::string unit_given(const CaseKey& key, const TomlValue& value);

/// "the integer 5", "the text "x"", "a list of 2": follows "found".
std::string found(const TomlValue& value);

}  // namespace goban
