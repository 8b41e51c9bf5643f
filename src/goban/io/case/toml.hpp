#pragma once
// TOML text as a plain tree with positions. The only door to the TOML library.

#include <string>
#include <string_view>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/case/guard.hpp"

namespace goban {

/// A value of a TOML document. Entries of a table carry their key. `word` is what a command line
/// gave without saying its type.
struct TomlValue {
  enum class Kind { boolean, integer, real, text, date, list, table, word };

  Kind kind = Kind::table;
  bool boolean = false;
  Index integer = 0;
  double real = 0;
  std::string text;              ///< of a text or a word
  std::vector<TomlValue> items;  ///< of a list or a table

  std::string key;
  TextPosition key_where;    ///< of the key, where there is one
  TextPosition where;        ///< of the value
  int override_number = -1;  ///< which override gave it; -1: the file did

  /// The entry of a table, null when there is none.
  TomlValue* find(std::string_view name);
  const TomlValue* find(std::string_view name) const;
};

/// Tables under names beginning so stand in for headers that could not be read.
inline constexpr std::string_view skipped_section = "goban-skipped-";

struct TomlDocument {
  TomlValue root;
  std::vector<TextProblem> problems;
};

/// Reads a document; statements that are wrong are reported and left out, up to twenty of them.
/// The text must have passed guard().
TomlDocument parse_toml(std::string_view text);

/// Reads one value, "[1, 2]"; false when the text is not a TOML value.
bool parse_toml_value(std::string_view text, TomlValue& value);

}  // namespace goban
