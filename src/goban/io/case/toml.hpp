#pragma once
// TOML text as a plain tree with positions. The only door to the TOML library.

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Where something stands in a file, counted from 1; column in characters.
struct TextPosition {
  int line = 1;
  int column = 1;
  auto operator<=>(const TextPosition&) const = default;
};

/// What is wrong at a place; the last three as in goban::Error.
struct TextProblem {
  TextPosition where;
  std::string problem, why, suggestion;
};

inline constexpr std::size_t largest_case_file = std::size_t(1) << 20;

/// A value of a TOML document. Entries of a table carry their key. `word` is what a command line
/// gave without saying its type.
struct TomlValue {
  enum class Kind { boolean, integer, real, text, date, list, table, word };

  Kind kind = Kind::table;
  bool boolean = false;
  Index integer = 0;
  double real = 0;
  std::string text;              ///< is that of a text or a word
  std::vector<TomlValue> items;  ///< are those of a list or a table

  std::string key;
  TextPosition key_where;    ///< is that of the key, where there is one
  TextPosition where;        ///< is that of the value
  int override_number = -1;  ///< which override gave it; -1: the file did

  /// The entry of a table, null when there is none.
  TomlValue* find(std::string_view name);
  const TomlValue* find(std::string_view name) const;
};

struct TomlDocument {
  TomlValue root;
  std::optional<TextProblem> problem;  ///< the first; then `root` is empty
};

/// Reads a document of up to largest_case_file bytes.
TomlDocument parse_toml(std::string_view text);

/// Reads one value, "[1, 2]"; false when the text is not a TOML value.
bool parse_toml_value(std::string_view text, TomlValue& value);

}  // namespace goban
