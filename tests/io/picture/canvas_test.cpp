#include "goban/io/picture/canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "goban/base/error.hpp"
#include "goban/io/picture/axes.hpp"
#include "tests/error_text.hpp"
#include "tests/io/picture/drawn.hpp"

namespace goban::canvas_test {
namespace {

using test::pixel;
using testing::HasSubstr;

constexpr Color black = {0, 0, 0}, white = {255, 255, 255};

/// What `draw` leaves on a white canvas.
template <class Draw>
Image drawn(double width, double height, Draw&& draw) {
  Canvas canvas(PictureFormat::png, width, height);
  draw(canvas);
  return test::pixels_of(canvas.finish());
}

int darkness(const Image& image) {
  int sum = 0;
  for (const std::uint8_t value : image.pixels) sum += 255 - value;
  return sum;
}

TEST(Canvas, StartsWhite) {
  const Image image = drawn(7, 5, [](Canvas&) {});
  EXPECT_EQ(image.width, 7);
  EXPECT_EQ(image.height, 5);
  EXPECT_EQ(image.channels, 3);
  EXPECT_EQ(darkness(image), 0);
}

TEST(Canvas, RectanglesCoverTheirPixelsAndPartsOfThem) {
  const Image image = drawn(4, 4, [](Canvas& c) { c.fill_rectangle(1, 1, 3, 2.5, black); });
  EXPECT_EQ(pixel(image, 1, 1), black);
  EXPECT_EQ(pixel(image, 2, 1), black);
  EXPECT_EQ(pixel(image, 3, 1), white);
  EXPECT_EQ(pixel(image, 0, 1), white);
  EXPECT_NEAR(*image.at(1, 2), 128, 1);
}

TEST(Canvas, NothingOutsideOfThePictureIsTouched) {
  const Image image = drawn(10, 10, [](Canvas& c) {
    c.fill_rectangle(-50, -50, -1, 100, black);
    c.fill_disc({30, 5}, 5, black);
    c.draw_lines({{{-10, -10}, {-5, 40}}}, 2, black);
    c.draw_text({200, 5}, "text", {});
  });
  EXPECT_EQ(darkness(image), 0);
}

TEST(Canvas, DiscsAndPolygonsHaveTheirArea) {
  const Image disc = drawn(40, 40, [](Canvas& c) { c.fill_disc({20, 20}, 10, black); });
  EXPECT_NEAR(darkness(disc) / 765.0, 3.14159 * 100, 3);
  const Image triangle = drawn(40, 40, [](Canvas& c) {
    c.fill_polygon({{5, 5}, {30, 5}, {5, 35}}, black);
  });
  EXPECT_NEAR(darkness(triangle) / 765.0, 375, 8);
}

TEST(Canvas, LinesThatCrossArePaintedOnce) {
  const Color grey = {100, 100, 100};
  const Image image = drawn(20, 20, [&](Canvas& c) {
    c.draw_lines({{{2, 10}, {18, 10}}, {{10, 2}, {10, 18}}}, 3, grey);
  });
  EXPECT_EQ(pixel(image, 9, 9), grey);
  EXPECT_EQ(pixel(image, 4, 9), grey);
}

TEST(Canvas, ImagesAreShownPixelForPixel) {
  Image colors(2, 1);
  colors.set(0, 0, {1, 2, 3});
  colors.set(1, 0, {200, 100, 50});
  const Image image = drawn(4, 3, [&](Canvas& c) { c.draw_image({1, 1}, colors); });
  EXPECT_EQ(pixel(image, 1, 1), (Color{1, 2, 3}));
  EXPECT_EQ(pixel(image, 2, 1), (Color{200, 100, 50}));
  EXPECT_EQ(pixel(image, 0, 1), white);
  EXPECT_EQ(pixel(image, 3, 2), white);
}

/// Columns and rows of the pixels that are not white.
struct Inked {
  Index left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
};
Inked inked(const Image& image) {
  Inked box;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      if (*image.at(x, y) > 200) continue;
      box.left = std::min(box.left, x);
      box.right = std::max(box.right, x);
      box.top = std::min(box.top, y);
      box.bottom = std::max(box.bottom, y);
    }
  }
  return box;
}

Inked text(const std::string& text, const TextStyle& style) {
  return inked(drawn(200, 200, [&](Canvas& c) { c.draw_text({100, 100}, text, style); }));
}

TEST(Canvas, TextStandsWhereItIsAligned) {
  EXPECT_GE(text("HHH", {.align = Align::left}).left, 98);
  EXPECT_LE(text("HHH", {.align = Align::right}).right, 101);
  const Inked box = text("HHH", {.align = Align::center});
  EXPECT_NEAR(static_cast<double>(box.left + box.right) / 2, 99.5, 1);
}

TEST(Canvas, CapitalsAreAsHighAsTheStyleSays) {
  const Inked box = text("H", {.size = 40});
  EXPECT_NEAR(static_cast<double>(box.bottom - box.top + 1), 40, 1);
  EXPECT_NEAR(static_cast<double>(box.bottom), 99, 1) << "the baseline is below them";
  const Inked turned = text("H", {.size = 40, .direction = Direction::up});
  EXPECT_NEAR(static_cast<double>(turned.right - turned.left + 1), 40, 1);
}

TEST(Canvas, PowersAreSmallAndHigh) {
  EXPECT_LT(width_of("10^-3"), width_of("10-3"));
  EXPECT_NEAR(width_of("m^2 s"), width_of("m s") + 0.68 * width_of("2"), 1e-6);
  EXPECT_GT(width_of("a^b"), width_of("ab"));
  EXPECT_LT(text("m^2", {.size = 40}).top, text("m2", {.size = 40}).top);
}

TEST(Canvas, WidthsAddAndScaleWithTheSize) {
  EXPECT_EQ(width_of(""), 0);
  EXPECT_NEAR(width_of("000"), 3 * width_of("8"), 1e-6) << "digits are equally wide";
  const Inked small = text("HHH", {.size = 10}), large = text("HHH", {.size = 30});
  EXPECT_NEAR(static_cast<double>(large.right - large.left),
              3.0 * static_cast<double>(small.right - small.left), 4);
}

TEST(Canvas, BrokenTextIsDrawnWithoutItsBrokenBytes) {
  for (const std::string broken : {"\xff", "a\x1b[31mb", "\xc2"}) {
    const Image image = drawn(200, 200, [&](Canvas& c) { c.draw_text({20, 100}, broken, {}); });
    EXPECT_GT(darkness(image), 0);
  }
}

TEST(Canvas, FilesThatScaleHaveTheSizeInPixels) {
  const auto file = [](PictureFormat format) {
    Canvas canvas(format, 400, 300);
    canvas.draw_lines({{{10, 10}, {50, 20}}}, 1, black);
    return canvas.finish();
  };
  EXPECT_THAT(file(PictureFormat::svg), HasSubstr("width=\"400px\" height=\"300px\""));
  EXPECT_THAT(file(PictureFormat::pdf), HasSubstr("MediaBox [ 0 0 300 225 ]"));
}

TEST(Canvas, TheNameOfAFileSaysWhichFormatItHas) {
  EXPECT_EQ(picture_format("a/b.png"), PictureFormat::png);
  EXPECT_EQ(picture_format("b.svg"), PictureFormat::svg);
  EXPECT_EQ(picture_format("b.pdf"), PictureFormat::pdf);
  EXPECT_EQ(test::refusal(ExitCode::usage, [] { picture_format("b.jpg"); }),
            "a picture b.jpg is refused (pictures are PNG, SVG or PDF files); choose a name that "
            "ends in .png, .svg or .pdf");
  EXPECT_THROW(picture_format("b"), Error);
}

TEST(Heading, LongTitlesTakeSeveralLinesInsideOfThePicture) {
  const std::string title = "a title of many words that does not fit beside anything at all";
  const Heading heading(title, 10, 180), one("short", 10, 180), none("", 10, 180);
  EXPECT_GT(heading.height(), one.height() + 40);
  EXPECT_EQ(none.height(), 0);
  const Inked box = inked(drawn(200, 220, [&](Canvas& c) { heading.draw(c, 160, 200); }));
  EXPECT_GE(box.left, 1);
  EXPECT_LE(box.right, 198);
  EXPECT_LT(box.bottom, 200);
  EXPECT_GE(static_cast<double>(box.top), 200 - heading.height());
}

TEST(Axes, TitlesLongerThanTheirAxisStayInThePicture) {
  PlotAxis axis = plot_axis(0, 1, AxisScale::linear, 60, 10, false, "m");
  axis.title = "magnitude of some quantity [m]";
  const Image image = drawn(200, 200, [&](Canvas& c) {
    draw_axis_beside(c, {.left = 80, .top = 10, .right = 120, .bottom = 70}, axis, 10, Side::high);
  });
  const Inked box = inked(image);
  EXPECT_GE(box.top, 1);
  EXPECT_LE(box.bottom, 198);
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
