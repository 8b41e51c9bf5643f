#include "goban/io/picture/canvas.hpp"

#include <gtest/gtest.h>

#include "goban/io/picture/axes.hpp"

namespace goban::canvas_test {
namespace {

constexpr Color black = {0, 0, 0};

int darkness(const Canvas& canvas) {
  int sum = 0;
  for (const std::uint8_t value : canvas.image().pixels) sum += 255 - value;
  return sum;
}

TEST(Canvas, StartsWhite) {
  EXPECT_EQ(darkness(Canvas(7, 5)), 0);
  EXPECT_EQ(Canvas(7, 5).image().channels, 3);
}

TEST(Canvas, RectanglesCoverTheirPixelsAndPartsOfThem) {
  Canvas canvas(4, 4);
  canvas.fill_rectangle(1, 1, 3, 2.5, black);
  EXPECT_EQ(*canvas.image().at(1, 1), 0);
  EXPECT_EQ(*canvas.image().at(2, 1), 0);
  EXPECT_EQ(*canvas.image().at(3, 1), 255);
  EXPECT_EQ(*canvas.image().at(0, 1), 255);
  EXPECT_NEAR(*canvas.image().at(1, 2), 128, 1);
}

TEST(Canvas, NothingOutsideOfTheImageIsTouched) {
  Canvas canvas(10, 10);
  canvas.fill_rectangle(-50, -50, -1, 100, black);
  canvas.fill_disc({30, 5}, 5, black);
  canvas.draw_lines({{{-10, -10}, {-5, 40}}}, 2, black);
  canvas.draw_text({200, 5}, "text", {});
  EXPECT_EQ(darkness(canvas), 0);
  canvas.draw_lines({{{-1e9, 5}, {1e9, 5}}}, 1, black);
  EXPECT_GT(darkness(canvas), 0);
}

TEST(Canvas, DiscsAndTrianglesHaveTheirArea) {
  Canvas disc(40, 40);
  disc.fill_disc({20, 20}, 10, black);
  EXPECT_NEAR(darkness(disc) / 765.0, 3.14159 * 100, 3);
  for (const bool turned : {false, true}) {
    Canvas triangle(40, 40);
    const Point b = {30, 5}, c = {5, 35};
    triangle.fill_triangle({5, 5}, turned ? c : b, turned ? b : c, black);
    EXPECT_NEAR(darkness(triangle) / 765.0, 375, 8);
  }
}

TEST(Canvas, LinesThatCrossArePaintedOnce) {
  Canvas canvas(20, 20);
  const Color grey = {100, 100, 100};
  canvas.draw_lines({{{2, 10}, {18, 10}}, {{10, 2}, {10, 18}}}, 3, grey);
  EXPECT_EQ(*canvas.image().at(9, 9), 100);
  EXPECT_EQ(*canvas.image().at(4, 9), 100);
}

TEST(Canvas, TextStandsWhereItIsAligned) {
  const auto inked_columns = [](Align align) {
    Canvas canvas(200, 30);
    canvas.draw_text({100, 20}, "HHH", {.size = 12, .align = align});
    int first = 200, last = -1;
    for (int x = 0; x < 200; ++x)
      for (int y = 0; y < 30; ++y)
        if (*canvas.image().at(x, y) < 200) {
          first = std::min(first, x);
          last = std::max(last, x);
        }
    return std::pair(first, last);
  };
  EXPECT_GE(inked_columns(Align::left).first, 98);
  EXPECT_LE(inked_columns(Align::right).second, 101);
  const auto [first, last] = inked_columns(Align::center);
  EXPECT_NEAR((first + last) / 2.0, 99.5, 1);
}

TEST(Clip, LinesAreCutAtTheEdges) {
  const PlotBox box{.left = 0, .top = 0, .right = 10, .bottom = 10};
  const auto parts = clipped({{-5, 5}, {5, 5}, {5, 20}, {8, 20}, {8, -4}}, box);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].front().x, 0);
  EXPECT_EQ(parts[0].back().y, 10);
  EXPECT_EQ(parts[1].front().y, 10);
  EXPECT_EQ(parts[1].back().y, 0);
  EXPECT_TRUE(clipped({{-5, -5}, {-1, 20}}, box).empty());
  EXPECT_TRUE(clipped({{-5, 5}}, box).empty());
}

}  // namespace
}  // namespace goban::canvas_test
