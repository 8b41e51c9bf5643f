#include "goban/io/picture/lettering.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace goban::lettering_test {
namespace {

struct Bounds {
  double left = 1e9, right = -1e9, low = 1e9, high = -1e9;
};
Bounds bounds_of(std::string_view text) {
  Bounds bounds;
  for (const Polyline& stroke : strokes_of(text))
    for (const Point& point : stroke) {
      bounds.left = std::min(bounds.left, point.x);
      bounds.right = std::max(bounds.right, point.x);
      bounds.low = std::min(bounds.low, point.y);
      bounds.high = std::max(bounds.high, point.y);
    }
  return bounds;
}

TEST(Lettering, EveryPrintableCharacterHasStrokesInsideItsLine) {
  for (char c = '!'; c <= '~'; ++c) {
    const std::string text(1, c);
    ASSERT_FALSE(strokes_of(text).empty()) << c;
    const Bounds bounds = bounds_of(text);
    EXPECT_GE(bounds.left, -1e-9) << c;
    EXPECT_LE(bounds.right, width_of(text) + 1e-9) << c;
    EXPECT_GE(bounds.low, -0.3) << c;
    EXPECT_LE(bounds.high, 1.2) << c;
  }
}

TEST(Lettering, CapitalsAndDigitsAreOneHigh) {
  for (const char c : std::string("ABCDEFGHIJKLMNOPRSTUVWXYZ0123456789")) {
    const Bounds bounds = bounds_of(std::string(1, c));
    EXPECT_NEAR(bounds.high, 1, 0.02) << c;
    EXPECT_NEAR(bounds.low, 0, 0.02) << c;
  }
}

TEST(Lettering, DigitsAreEquallyWide) {
  for (char c = '1'; c <= '9'; ++c) EXPECT_EQ(width_of(fmt::format("0{}0", c)), width_of("000"));
}

TEST(Lettering, WidthsAdd) {
  EXPECT_EQ(width_of(""), 0);
  EXPECT_GT(width_of("mm"), 1.9 * width_of("m"));
  EXPECT_GT(width_of("a b"), width_of("ab"));
}

TEST(Lettering, PowersAreSmallAndHigh) {
  EXPECT_LT(width_of("10^-3"), width_of("10-3"));
  const auto strokes = strokes_of("m^2");
  const auto plain = strokes_of("m2");
  double lowest = 1e9;
  for (const Point& point : strokes.back()) lowest = std::min(lowest, point.y);
  EXPECT_GT(lowest, 0.4);
  EXPECT_EQ(strokes.size(), plain.size());
  EXPECT_EQ(width_of("m^2"), width_of("m\xc2\xb2"));
  EXPECT_NE(width_of("a^b"), width_of("ab"));
}

TEST(Lettering, UnknownAndBrokenCharactersBecomeBoxes) {
  EXPECT_EQ(strokes_of("\xe6\xa2\x8b").size(), 1u);
  EXPECT_EQ(strokes_of("\xff").size(), 1u);
  EXPECT_EQ(strokes_of("\xc2").size(), 1u);
  EXPECT_FALSE(strokes_of("\xc2\xb5").empty());
}

}  // namespace
}  // namespace goban::lettering_test
