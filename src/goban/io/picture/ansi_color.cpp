#include "goban/io/picture/ansi_color.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace goban {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int positive_or(std::string_view text, int otherwise) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 ? value : otherwise;
}

/// The nearest of the 6 x 6 x 6 colours, or of the 24 greys if that is nearer.
int palette_index(Color color) {
  const auto cube_level = [](int v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; };
  const auto cube_value = [](int level) { return level == 0 ? 0 : 55 + 40 * level; };
  const auto square = [](int a, int b) { return (a - b) * (a - b); };
  const int r = cube_level(color.red), g = cube_level(color.green), b = cube_level(color.blue);
  const int mean = (color.red + color.green + color.blue) / 3;
  const int grey = std::clamp((mean - 3) / 10, 0, 23);
  const int grey_value = 8 + 10 * grey;
  const int cube_error = square(cube_value(r), color.red) + square(cube_value(g), color.green) +
                         square(cube_value(b), color.blue);
  const int grey_error = square(grey_value, color.red) + square(grey_value, color.green) +
                         square(grey_value, color.blue);
  return grey_error < cube_error ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

std::string select(int ground, Color color, TerminalColor depth) {
  if (depth == TerminalColor::none) return {};
  if (depth == TerminalColor::palette)
    return fmt::format("\x1b[{};5;{}m", ground, palette_index(color));
  return fmt::format("\x1b[{};2;{};{};{}m", ground, color.red, color.green, color.blue);
}

}  // namespace

TerminalColor terminal_color(int file_descriptor) {
  const std::string_view kind = variable("TERM");
  if (::isatty(file_descriptor) == 0 || !variable("NO_COLOR").empty() || kind.empty() ||
      kind == "dumb")
    return TerminalColor::none;
  const std::string_view depth = variable("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? TerminalColor::full : TerminalColor::palette;
}

TerminalSize terminal_size(int file_descriptor) {
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    return {size.ws_col, size.ws_row};
  return {positive_or(variable("COLUMNS"), 80), positive_or(variable("LINES"), 24)};
}

std::string ansi_foreground(Color color, TerminalColor depth) { return select(38, color, depth); }
std::string ansi_background(Color color, TerminalColor depth) { return select(48, color, depth); }

}  // namespace goban
