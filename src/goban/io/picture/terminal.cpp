#include "goban/io/picture/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

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

}  // namespace goban
