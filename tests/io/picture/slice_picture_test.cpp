#include "goban/io/picture/slice_picture.hpp"

#include <cmath>
#include <set>

#include "goban/base/error.hpp"
#include "goban/io/picture/color_bar.hpp"
#include "tests/io/picture/drawn.hpp"
#include "tests/io/scratch.hpp"
#include "tests/png_file.hpp"

namespace goban::slice_picture_test {
namespace {

using SlicePictureTest = ScratchTest;

using test::pixel;

Image drawn(const ArrayView& plane, const SlicePictureOptions& options = {}) {
  return test::pixels_of(slice_picture(plane, options, PictureFormat::png));
}

/// Width and height of the widest rectangle of plot colours: pixels of exactly these colours.
struct Extent {
  Index left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
  Index width() const { return right - left + 1; }
  Index height() const { return bottom - top + 1; }
};
Extent extent_of(const Image& image, Color color) {
  Extent extent;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x)
      if (pixel(image, x, y) == color) {
        extent.left = std::min(extent.left, x);
        extent.right = std::max(extent.right, x);
        extent.top = std::min(extent.top, y);
        extent.bottom = std::max(extent.bottom, y);
      }
  return extent;
}

TEST_F(SlicePictureTest, CellsAreRectanglesOfTheirColor) {
  // A mark in one corner cell of a plane of zeros: x = 2 of 3, y = 0 of 2.
  std::vector<float> values = {0, 0, 1, 0, 0, 0.5f};
  const Image image = drawn(dense_view(values.data(), {3, 2, 1}),
                            {.colormap = Colormap::thermal, .pixels_per_cell = 40});
  const Extent half = extent_of(image, color_at(Colormap::thermal, 0.5));
  EXPECT_EQ(half.width(), 40);
  EXPECT_EQ(half.height(), 40);
  // y points up: the cell with 1 lies below it, both at the right edge.
  EXPECT_EQ(pixel(image, half.left + 20, half.bottom + 20), color_at(Colormap::thermal, 1));
  EXPECT_EQ(pixel(image, half.left - 20, half.bottom + 20), color_at(Colormap::thermal, 0));
}

TEST_F(SlicePictureTest, ShapesLieOverThePlaneAndEndWithIt) {
  const std::vector<float> values(8, 0);
  const Color red = {196, 38, 46};
  const Image image = drawn(dense_view(values.data(), {4, 2, 1}),
                            {.origin = {10, 20, 0},
                             .pixels_per_cell = 200,
                             .shapes = {{{11, 20.5}, {12, 20.5}, {12, 21.5}, {11, 21.5}},
                                        {{13, 20.5}, {15, 20.5}, {15, 21}, {13, 21}}}});
  const Extent extent = extent_of(image, red);
  EXPECT_NEAR(extent.width(), 600, 12);  // from x = 11 to the end, 14, less lines
  EXPECT_NEAR(extent.height(), 200, 12);
  EXPECT_EQ(pixel(image, extent.left + 90, extent.top + 90), red);
  EXPECT_NE(pixel(image, extent.left + 300, extent.top + 90), red);
}

TEST_F(SlicePictureTest, ThePlaneHasAtLeast600PixelsOnItsLongerSide) {
  const std::vector<std::uint8_t> values = {0, 1, 0, 1, 0, 1, 0};
  for (const Index width : {7, 1}) {
    const Image image = drawn(dense_view(values.data(), {width, 7 / width, 1}));
    EXPECT_GE(std::max(image.width, image.height), 600);
    EXPECT_LE(std::max(image.width, image.height), 1100);
  }
}

TEST_F(SlicePictureTest, LargePlanesAreAveraged) {
  std::vector<std::uint8_t> values(6000 * 100);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = n % 2;
  const Image image = drawn(dense_view(values.data(), {6000, 100, 1}));
  EXPECT_LE(image.width, 2900);
  // Three cells a pixel or two: every other stone gives no plain black or wood.
  EXPECT_GT(image.width, 2400);
}

TEST_F(SlicePictureTest, ProportionsAreThoseOfTheCells) {
  const std::vector<float> values(10 * 10, 1.0f);
  const SlicePictureOptions options{.range = std::pair{0.0, 2.0}, .spacing = {2, 1, 1}};
  const Image image = drawn(dense_view(values.data(), {10, 10, 1}), options);
  const Extent plot = extent_of(image, color_at(Colormap::sequential, 0.5));
  // The colour bar has a line of the same colour, as high as the plane.
  EXPECT_EQ(plot.height(), 300);
  EXPECT_GE(plot.width(), 600);
}

TEST_F(SlicePictureTest, BarsArePointedWhereValuesLieOutside) {
  for (const bool above : {false, true})
    for (const bool below : {false, true}) {
      const ValueRange range{.low = 0, .high = 1, .values_below = below, .values_above = above};
      const ColorBar bar(Colormap::thermal, range, {}, 300, 10, "u", "m");
      const PlotBox box = bar.beside({.left = 0, .top = 20, .right = 50, .bottom = 320});
      EXPECT_EQ(box.height(), 300);
      Canvas canvas(PictureFormat::png, std::floor(box.right + bar.width_beside()) + 1, 340);
      bar.draw(canvas, box);
      const Image image = test::pixels_of(canvas.finish());
      const auto left = static_cast<Index>(box.left) + 1;
      const Color white = {255, 255, 255};
      EXPECT_EQ(pixel(image, left, 22) == white, above);
      EXPECT_EQ(pixel(image, left, 317) == white, below);
      EXPECT_NE(pixel(image, left, 170), white);
    }
}

TEST_F(SlicePictureTest, FewIntegersHaveBlocksInTheBar) {
  ValueSummary summary;
  summary.levels = {87, 182};
  const ColorBar bar(Colormap::stones, {.low = 87, .high = 182}, summary, 600, 10, "phase", "");
  const PlotBox box = bar.beside({.left = 0, .top = 0, .right = 50, .bottom = 600});
  EXPECT_LT(box.height(), 100);
  Canvas canvas(PictureFormat::png, std::floor(box.right + bar.width_beside()) + 1, 600);
  bar.draw(canvas, box);
  const Image image = test::pixels_of(canvas.finish());
  const auto x = static_cast<Index>(box.left) + 2;
  EXPECT_EQ(pixel(image, x, static_cast<Index>(box.top) + 5), color_at(Colormap::stones, 1));
  EXPECT_EQ(pixel(image, x, static_cast<Index>(box.bottom) - 5), color_at(Colormap::stones, 0));
}

TEST_F(SlicePictureTest, ComponentsAreChosen) {
  const std::vector<float> values = {0, 0, 0, 0, 1, 0, 0, 1};
  const ArrayView view = dense_view(ElementType::float32, {2, 2, 1}, 2, values.data());
  EXPECT_NE(drawn(view, {.component = 0}).pixels, drawn(view, {.component = 1}).pixels);
  EXPECT_EQ(refusal([&] { drawn(view, {.component = 2}); }, ExitCode::usage),
            "there is no component 2 of '' (it has 2)");
}

TEST_F(SlicePictureTest, SmoothPicturesHaveColorsBetween) {
  const std::vector<float> values = {0, 1};
  const ArrayView view = dense_view(values.data(), {2, 1, 1});
  const auto colors = [&](bool smooth) {
    const Image image = drawn(view, {.colormap = Colormap::grey, .smooth = smooth});
    std::set<int> greys;
    const Index middle = image.height / 3;
    for (Index x = 0; x < image.width * 2 / 3; ++x) greys.insert(*image.at(x, middle));
    return greys.size();
  };
  EXPECT_GT(colors(true), 3 * colors(false));
}

TEST_F(SlicePictureTest, AnythingFlatCanBeShown) {
  const std::vector<double> nan(6, std::nan(""));
  const std::vector<double> infinite = {HUGE_VAL, -HUGE_VAL, 1, 2, 3, 4};
  const std::vector<double> huge = {1.7e308, -1.7e308, 0, 0, 0, 0};
  const std::vector<double> tiny = {5e-324, 0, 0, 0, 0, 0};
  const std::vector<double> equal(6, 1e300);
  const std::vector<Real3> spacings = {{1, 1, 1}, {1e-300, 1e300, 1}, {0, 0, 0}, {-1, 1, 1}};
  std::size_t count = 0;
  for (const auto* values : {&nan, &infinite, &huge, &tiny, &equal}) {
    for (const Index3 extents : {Index3{6, 1, 1}, {1, 6, 1}, {1, 1, 6}, {2, 3, 1}, {1, 1, 1}}) {
      const Image image =
          drawn(dense_view(values->data(), extents, "u"),
                {.spacing = spacings[count % spacings.size()], .smooth = count % 2 == 0});
      EXPECT_LE(image.width, 3000);
      EXPECT_LE(image.height, 3000);
      ++count;
    }
  }
}

TEST_F(SlicePictureTest, ADemandForTooManyPixelsIsLimited) {
  const std::vector<float> values(100 * 10);
  const Image image =
      drawn(dense_view(values.data(), {100, 10, 1}), {.pixels_per_cell = 1'000'000});
  EXPECT_LE(image.width, 9000);
}

TEST_F(SlicePictureTest, FilesHoldThePicture) {
  const std::vector<float> values = {0, 1, 2, 3};
  const ArrayView view = dense_view(values.data(), {2, 2, 1}, "u");
  const SlicePictureOptions options{.title = "A title", .unit = "K", .length_unit = "m"};
  write_slice_picture(path("p.png"), view, options);
  EXPECT_EQ(test::read_png(path("p.png")).pixels, drawn(view, options).pixels);
  for (const std::string name : {"p.svg", "p.pdf"}) write_slice_picture(path(name), view, options);
  EXPECT_NE(content("p.svg").find("</svg>"), std::string::npos);
  EXPECT_TRUE(content("p.pdf").starts_with("%PDF"));
  EXPECT_NE(drawn(view, options).pixels, drawn(view).pixels);
}

TEST_F(SlicePictureTest, OutlinesLieBetweenCellsOfDifferentValues) {
  const std::vector<float> values(8, 1);
  const std::vector<std::uint8_t> bodies = {0, 0, 1, 1, 0, 0, 1, 1};  // x < 2 and x >= 2
  const ArrayView plane = dense_view(values.data(), {4, 2, 1});
  SlicePictureOptions options{
      .range = std::pair(0.0, 1.0), .colormap = Colormap::thermal, .pixels_per_cell = 40};
  const Color plain = color_at(Colormap::thermal, 1);
  const Extent without = extent_of(drawn(plane, options), plain);
  options.outline = dense_view(bodies.data(), {4, 2, 1});
  const Image image = drawn(plane, options);
  const Extent with = extent_of(image, plain);
  EXPECT_EQ(with.width(), without.width());
  int lines = 0;
  for (Index x = with.left; x <= with.right; ++x) {
    if (pixel(image, x, with.top + 20) == plain) continue;
    ++lines;
    EXPECT_NEAR(static_cast<double>(x), static_cast<double>(with.left + 80), 3);
  }
  EXPECT_GE(lines, 1);
  const std::vector<float> few(4);
  options.outline = dense_view(few.data(), {2, 2, 1});
  EXPECT_THROW(drawn(plane, options), Error);
}

TEST_F(SlicePictureTest, LengthsUpwardsMayBeExaggerated) {
  const std::vector<float> values(80 * 20, 1.0f);
  const ArrayView plane = dense_view(values.data(), {80, 20, 1});
  const auto size = [&](double exaggeration) {
    const Image image = drawn(plane, {.range = std::pair{0.0, 2.0},
                                      .vertical_exaggeration = exaggeration,
                                      .pixels_per_cell = 8});
    const Extent plot = extent_of(image, color_at(Colormap::sequential, 0.5));
    return std::pair(plot.height(), image.width);
  };
  EXPECT_EQ(size(1).first, 160);
  EXPECT_EQ(size(2.5).first, 400);
  EXPECT_GE(size(0.1).first, 80) << "ten times as wide as high at most";
}

TEST_F(SlicePictureTest, MaskedCellsAreGreyAndDoNotCount) {
  const std::vector<float> values = {1, 2, 1000, 3};
  const std::vector<std::uint8_t> bodies = {0, 0, 1, 0};
  const Array shown =
      masked(dense_view(values.data(), {4, 1, 1}), dense_view(bodies.data(), {4, 1, 1}));
  const FlatPlane plane(shown.view(), 0);
  EXPECT_EQ(summary_of(plane).largest, 3);
  const Color grey = ValueColors(Colormap::sequential, {}).at(std::nan(""));
  EXPECT_EQ(extent_of(drawn(shown.view()), grey).width(), 150);
  const Array inverse =
      masked(dense_view(values.data(), {4, 1, 1}), dense_view(bodies.data(), {4, 1, 1}), 0);
  EXPECT_EQ(summary_of(FlatPlane(inverse.view(), 0)).smallest, 1000);
  EXPECT_EQ(
      test::refusal(
          ExitCode::usage,
          [&] {
            masked(dense_view(values.data(), {4, 1, 1}), dense_view(bodies.data(), {2, 2, 1}));
          }),
      "the mask of a picture is refused (it is of other cells)");
}

TEST_F(SlicePictureTest, ComponentsAreCalledByTheirAxes) {
  EXPECT_EQ(name_of_component("velocity", 3, 2), "velocity z");
  EXPECT_EQ(name_of_component("f", 19, 7), "f, component 7");
  EXPECT_EQ(name_of_component("t", 1, 0), "t");
}

}  // namespace
}  // namespace goban::slice_picture_test
