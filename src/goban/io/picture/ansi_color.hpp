#pragma once
// What the terminal at hand can show, and text in colour on it.

#include <optional>
#include <string>

#include "goban/io/image/image.hpp"

namespace goban {

enum class TerminalColor {
  none,     ///< plain ASCII: a file, a pipe, a dumb terminal, or NO_COLOR is set
  palette,  ///< 256 fixed colours
  full      ///< 24 bits a colour
};

/// What may be written to a file descriptor, from isatty and the variables NO_COLOR, TERM and
/// COLORTERM.
TerminalColor terminal_color(int file_descriptor);

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

/// As the terminal says, else from COLUMNS and LINES, else 80 x 24.
TerminalSize terminal_size(int file_descriptor);

/// Sets the colour of the characters that follow, or of the ground they stand on.
std::string ansi_foreground(Color color, TerminalColor depth);
std::string ansi_background(Color color, TerminalColor depth);
inline constexpr const char* ansi_reset = "\x1b[0m";

}  // namespace goban
