#pragma once
// What parsers of texts share.

#include <string_view>

namespace goban {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Without blanks at both ends: spaces, tabs, the return of a line that another system ended.
inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace goban
