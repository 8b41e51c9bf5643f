#pragma once
// What parsers of texts share.

#include <charconv>
#include <optional>
#include <string_view>

namespace goban {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text without blanks at both ends: spaces, tabs, the return of a line that another system
/// ended.
inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A decimal number that is the whole of `text` but for blanks at its ends; "inf" and "nan" are
/// numbers. Nothing: it is none, or none that a double can hold.
inline std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace goban
