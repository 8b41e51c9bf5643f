#pragma once
// Text of others, such as names in files, on a terminal or in a picture.

#include <string>
#include <string_view>

namespace goban {

/// `text` with a '?' for every control character, so that no escape sequence reaches a terminal,
/// and for every byte that is no UTF-8. New lines and tabs become blanks.
std::string printable(std::string_view text);

}  // namespace goban
