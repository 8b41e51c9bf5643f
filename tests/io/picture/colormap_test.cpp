#include "goban/io/picture/colormap.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace goban::colormap_test {
namespace {

const auto all_maps = {Colormap::sequential, Colormap::thermal, Colormap::diverging, Colormap::grey,
                       Colormap::stones};

/// Relative luminance of sRGB, IEC 61966-2-1.
double luminance(Color color) {
  const auto linear = [](std::uint8_t value) {
    const double x = value / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

TEST(Colormap, NamesAreThoseOfTheMaps) {
  for (const auto map : all_maps) EXPECT_EQ(colormap_named(name_of(map)), map);
  EXPECT_EQ(colormap_named("jet"), std::nullopt);
}

TEST(Colormap, BrightnessGrowsWithTheValue) {
  for (const auto map : {Colormap::sequential, Colormap::thermal, Colormap::grey})
    for (int n = 1; n < 256; ++n)
      EXPECT_GE(luminance(color_at(map, n / 255.0)) + 0.002,
                luminance(color_at(map, (n - 1) / 255.0)))
          << name_of(map) << " " << n;
}

TEST(Colormap, NeighboursLookAlike) {
  for (const auto map : all_maps)
    for (int n = 1; n < 256; ++n) {
      const Color a = color_at(map, (n - 1) / 255.0);
      const Color b = color_at(map, n / 255.0);
      EXPECT_LE(std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue),
                16)
          << name_of(map) << " " << n;
    }
}

TEST(Colormap, DivergingIsWhiteInTheMiddleBlueBelowRedAbove) {
  const Color middle = color_at(Colormap::diverging, 0.5);
  EXPECT_GT(std::min({middle.red, middle.green, middle.blue}), 235);
  const Color low = color_at(Colormap::diverging, 0);
  const Color high = color_at(Colormap::diverging, 1);
  EXPECT_GT(low.blue, low.red + 100);
  EXPECT_GT(high.red, high.blue + 100);
}

TEST(Colormap, GreyIsGreyAndStonesAreDark) {
  EXPECT_EQ(color_at(Colormap::grey, 0), (Color{0, 0, 0}));
  EXPECT_EQ(color_at(Colormap::grey, 1), (Color{255, 255, 255}));
  EXPECT_GT(luminance(color_at(Colormap::stones, 0)), 0.4);
  EXPECT_LT(luminance(color_at(Colormap::stones, 1)), 0.02);
}

TEST(Colormap, ValuesOutsideAreClamped) {
  for (const auto map : all_maps) {
    EXPECT_EQ(color_at(map, -3), color_at(map, 0));
    EXPECT_EQ(color_at(map, 7), color_at(map, 1));
    EXPECT_EQ(color_at(map, std::nan("")), color_at(map, 0));
  }
}

TEST(SeriesColor, EightDiffer) {
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) {
      const Color p = series_color(a);
      const Color q = series_color(b);
      EXPECT_GT(std::abs(p.red - q.red) + std::abs(p.green - q.green) + std::abs(p.blue - q.blue),
                70)
          << a << " " << b;
    }
  EXPECT_EQ(series_color(8), series_color(0));
}

}  // namespace
}  // namespace goban::colormap_test
