#pragma once
// Checks on the bytes of a case file that the TOML parser itself does not survive.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr int deepest_case_key = 32;

/// Refuses what is longer than 1 MiB, is not UTF-8, or has a dotted key of more than 32 parts.
std::optional<TextProblem> guard(std::string_view text);

/// The first character beyond ASCII outside texts and comments, where TOML has none: typographic
/// quotes, no-break spaces, Greek names.
std::optional<TextProblem> foreign_character(std::string_view text);

/// For every line (index 0 is line 1): the line, counted from 1, on which its statement begins.
/// A statement spans lines while a bracket or a multi-line text is open.
std::vector<int> statement_starts(std::string_view text);

}  // namespace goban
