#pragma once
// Escape sequences for colours.

#include <optional>
#include <string>

#include "goban/io/image/image.hpp"
#include "goban/io/picture/terminal.hpp"

namespace goban {

/// Sets the colour of the characters that follow, or of the ground they stand on.
std::string ansi_foreground(Color color, TerminalColor depth);
std::string ansi_background(Color color, TerminalColor depth);
inline constexpr const char* ansi_reset = "\x1b[0m";

}  // namespace goban
