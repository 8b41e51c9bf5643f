#include "goban/io/picture/ansi_picture.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace goban::ansi_picture_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Characters that take room: UTF-8 lead bytes outside of escape sequences.
std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      while (i < line.size() && line[i] != 'm') ++i;
    } else if ((line[i] & 0xc0) != 0x80) {
      ++columns;
    }
  }
  return columns;
}

bool is_plain(const std::string& text) {
  for (const char c : text)
    if (c != '\n' && (c < ' ' || c > '~')) return false;
  return true;
}

TEST(AnsiPicture, PlainTextShowsRowsFromTheTop) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, std::nanf("")};
  const std::string text =
      ansi_picture(dense_view(values.data(), {4, 3, 1}, "T"), {.title = "A plane",
                                                               .unit = "K",
                                                               .range = std::pair{0.0, 10.0},
                                                               .spacing = {1, 2, 1},
                                                               .size = {4, 5}});
  EXPECT_EQ(text, "A plane\n@@@?\n=+*#\n .:-\nT [K]  0 ' .:-=+*#%@' 10\n");
}

TEST(AnsiPicture, ColoredTextHasTwoRowsALine) {
  const std::vector<std::uint8_t> values = {0, 1, 1, 0};
  AnsiPictureOptions options{.size = {2, 2}, .color = TerminalColor::full};
  const auto lines = lines_of(ansi_picture(dense_view(values.data(), {2, 2, 1}, "alive"), options));
  ASSERT_EQ(lines.size(), 2u);
  // Row 1 (1 0) above row 0 (0 1): dark over wood, then wood over dark.
  EXPECT_EQ(lines[0],
            "\x1b[38;2;28;26;30m\x1b[48;2;226;184;110m\xe2\x96\x80"
            "\x1b[38;2;226;184;110m\x1b[48;2;28;26;30m\xe2\x96\x80\x1b[0m");
  options.color = TerminalColor::palette;
  const std::string palette = ansi_picture(dense_view(values.data(), {2, 2, 1}, "alive"), options);
  EXPECT_NE(palette.find("\x1b[38;5;"), std::string::npos);
  EXPECT_EQ(palette.find(";2;"), std::string::npos);
}

TEST(AnsiPicture, FitsTheTerminalWhateverThePlane) {
  const std::vector<float> values(600, 1.0f);
  for (const Index3 extents : {Index3{600, 1, 1}, {1, 600, 1}, {30, 20, 1}, {3, 2, 1}})
    for (const auto color : {TerminalColor::none, TerminalColor::palette, TerminalColor::full})
      for (const TerminalSize size : {TerminalSize{80, 24}, {20, 50}, {200, 5}, {1, 1}}) {
        const std::string text =
            ansi_picture(dense_view(values.data(), extents), {.size = size, .color = color});
        const auto lines = lines_of(text);
        EXPECT_LE(lines.size(), static_cast<std::size_t>(std::max(2, size.rows)));
        for (std::size_t n = 0; n + 1 < lines.size(); ++n)
          EXPECT_LE(columns_of(lines[n]), static_cast<std::size_t>(size.columns));
        EXPECT_EQ(is_plain(text), color == TerminalColor::none);
      }
}

TEST(AnsiCurve, PlainTextIsPlain) {
  const std::vector<Curve> curves = {
      {.label = "one", .x = {0, 1, 2}, .y = {0, 10, 5}},
      {.label = "two", .x = {0, 2}, .y = {5, 5}, .style = CurveStyle::points}};
  const std::string text = ansi_curve(
      curves, {.title = "Title", .x_name = "x", .x_unit = "m", .y_name = "y", .y_unit = "s"},
      {60, 20});
  EXPECT_TRUE(is_plain(text)) << text;
  const auto lines = lines_of(text);
  EXPECT_EQ(lines.size(), 20u) << text;
  EXPECT_EQ(lines[0], "Title");
  EXPECT_EQ(lines[1], "y [s]");
  EXPECT_EQ(lines.back(), "* one   o two");
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_NE(text.find("10 |"), std::string::npos) << text;
}

TEST(AnsiCurve, ALineRisesFromTheLowerLeftToTheUpperRight) {
  const auto lines = lines_of(ansi_curve({{.x = {0, 1}, .y = {0, 1}}}, {}, {40, 15}));
  const std::size_t margin = 11;
  EXPECT_GE(lines[1].find('*'), margin + 25) << lines[1];
  EXPECT_EQ(lines[10].find('*'), margin) << lines[10];
}

TEST(AnsiCurve, ColoredTextIsBraille) {
  const std::string text =
      ansi_curve({{.x = {0, 1}, .y = {0, 1}}}, {}, {40, 12}, TerminalColor::full);
  EXPECT_NE(text.find("\xe2\xa0"), std::string::npos);
  EXPECT_NE(text.find("\x1b[38;2;"), std::string::npos);
  for (const std::string& line : lines_of(text)) EXPECT_LE(columns_of(line), 40u);
}

TEST(AnsiCurve, AnythingCanBeDrawn) {
  const double nan = std::nan("");
  for (const auto& values :
       std::vector<std::vector<double>>{{}, {1}, {nan}, {0, 0}, {1e300, -1e300}, {HUGE_VAL, 1}})
    for (const auto color : {TerminalColor::none, TerminalColor::full})
      EXPECT_FALSE(ansi_curve({{.label = "l", .x = values, .y = values}},
                              {.y_scale = AxisScale::logarithmic}, {1, 1}, color)
                       .empty());
}

TEST(Terminal, PipesGetPlainText) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(terminal_color(ends[1]), TerminalColor::none);
  ::setenv("COLUMNS", "123", 1);
  ::setenv("LINES", "no number", 1);
  EXPECT_EQ(terminal_size(ends[1]).columns, 123);
  EXPECT_EQ(terminal_size(ends[1]).rows, 24);
  ::unsetenv("COLUMNS");
  ::unsetenv("LINES");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Terminal, ColorsDependOnItsVariables) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0)
    GTEST_SKIP() << "no pseudo-terminal";
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const auto with = [&](const char* term, const char* depth, const char* no_color) {
    ::setenv("TERM", term, 1);
    ::setenv("COLORTERM", depth, 1);
    ::setenv("NO_COLOR", no_color, 1);
    return terminal_color(terminal);
  };
  EXPECT_EQ(with("xterm-256color", "truecolor", ""), TerminalColor::full);
  EXPECT_EQ(with("xterm-256color", "", ""), TerminalColor::palette);
  EXPECT_EQ(with("xterm-256color", "truecolor", "1"), TerminalColor::none);
  EXPECT_EQ(with("dumb", "truecolor", ""), TerminalColor::none);
  for (const auto* name : {"TERM", "COLORTERM", "NO_COLOR"}) ::unsetenv(name);
  ::close(terminal);
  ::close(master);
}

}  // namespace
}  // namespace goban::ansi_picture_test
