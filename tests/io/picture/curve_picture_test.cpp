#include "goban/io/picture/curve_picture.hpp"

#include <fmt/format.h>

#include <cmath>

#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/plot_points.hpp"
#include "tests/io/picture/drawn.hpp"
#include "tests/io/scratch.hpp"
#include "tests/png_file.hpp"

namespace goban::curve_picture_test {
namespace {

using CurvePictureTest = ScratchTest;

Image drawn(const std::vector<Curve>& curves, const CurvePictureOptions& options = {}) {
  return test::pixels_of(curve_picture({{curves, options}}, PictureFormat::png));
}

Index count_pixels(const Image& image, Color color) {
  Index count = 0;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) {
      const std::uint8_t* p = image.at(x, y);
      if (Color{p[0], p[1], p[2]} == color) ++count;
    }
  return count;
}

TEST_F(CurvePictureTest, EveryCurveLeavesItsColor) {
  std::vector<Curve> curves;
  for (int c = 0; c < 4; ++c)
    curves.push_back({.label = fmt::format("curve {}", c),
                      .x = {0, 1, 2},
                      .y = {0.0 + c, 1.5 + c, 1.0 + c},
                      .style = static_cast<CurveStyle>(c)});
  const Image image = drawn(curves, {.title = "Title", .x_name = "x", .y_name = "y"});
  EXPECT_EQ(image.width, 900);
  EXPECT_EQ(image.height, 600);
  for (int c = 0; c < 4; ++c) EXPECT_GT(count_pixels(image, series_color(c)), 60) << c;
  EXPECT_EQ(count_pixels(image, series_color(5)), 0);
}

TEST_F(CurvePictureTest, DashesLeaveLessThanALine) {
  Curve curve{.x = {0, 1}, .y = {0, 1}};
  const Index line = count_pixels(drawn({curve}), series_color(0));
  curve.style = CurveStyle::dashed;
  const Index dashed = count_pixels(drawn({curve}), series_color(0));
  EXPECT_LT(dashed, 0.8 * line);
  EXPECT_GT(dashed, 0.3 * line);
}

TEST_F(CurvePictureTest, CurvesStayInsideOfTheirAxes) {
  const Curve wild{.x = {-1e9, 0.5, 1e9}, .y = {-1e9, 0.5, 1e9}};
  const CurvePictureOptions options{.x_range = std::pair{0.0, 1.0}, .y_range = std::pair{0.0, 1.0}};
  const Image image = drawn({wild}, options);
  for (Index y = 0; y < image.height; ++y)
    for (const Index x : {Index{0}, Index{5}, image.width - 6, image.width - 1}) {
      const std::uint8_t* p = image.at(x, y);
      EXPECT_NE((Color{p[0], p[1], p[2]}), series_color(0));
    }
  EXPECT_GT(count_pixels(image, series_color(0)), 100);
}

TEST_F(CurvePictureTest, AnythingCanBeDrawn) {
  const double nan = std::nan("");
  const std::vector<std::vector<double>> sets = {{},
                                                 {1},
                                                 {nan, nan, nan},
                                                 {1, 1, 1},
                                                 {-1, 0, 1},
                                                 {1e300, -1e300, 0},
                                                 {HUGE_VAL, 1, 2},
                                                 {0, 5e-324, 0}};
  for (const auto& x : sets)
    for (const auto& y : sets) {
      if (x.size() != y.size()) continue;
      for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic})
        for (const CurveStyle style :
             {CurveStyle::line, CurveStyle::dashed, CurveStyle::line_and_points}) {
          const std::string svg =
              curve_picture({{{{.label = "l", .x = x, .y = y, .style = style}},
                              {.x_scale = scale, .y_scale = scale, .width = 1}}},
                            PictureFormat::svg);
          EXPECT_NE(svg.find("width=\"300px\""), std::string::npos);
        }
    }
  EXPECT_EQ(drawn({}).width, 900);
}

TEST_F(CurvePictureTest, RefusesWhatIsNoCurveOrAxis) {
  EXPECT_EQ(refusal(
                [] {
                  drawn({{.label = "a", .x = {1, 2}, .y = {1}}});
                },
                ExitCode::usage),
            "curve 'a' has 2 x and 1 y");
  EXPECT_EQ(refusal(
                [] {
                  drawn({}, {.x_range = std::pair{1.0, 1.0}});
                },
                ExitCode::usage),
            "an axis from 1 to 1 is not usable");
  EXPECT_EQ(refusal(
                [] {
                  drawn({}, {.y_scale = AxisScale::logarithmic, .y_range = std::pair{0.0, 1.0}});
                },
                ExitCode::usage),
            "an axis from 0 to 1 is not usable");
}

TEST_F(CurvePictureTest, FilesHoldThePicture) {
  const Curve curve{.x = {0, 1}, .y = {0, 1}};
  write_curve_picture(path("c.png"), {CurveFrame{{curve}}});
  EXPECT_EQ(test::read_png(path("c.png")).pixels, drawn({curve}).pixels);
}

TEST_F(CurvePictureTest, FramesStandBelowEachOther) {
  const Curve curve{.x = {0, 1}, .y = {0, 1}};
  const CurveFrame frame{{curve}, {.title = "one"}};
  const Image one = drawn({curve}, {.title = "one"});
  const Image two = test::pixels_of(curve_picture({frame, frame}, PictureFormat::png));
  ASSERT_EQ(two.height, 2 * one.height);
  const auto half = static_cast<std::ptrdiff_t>(one.pixels.size());
  EXPECT_TRUE(std::equal(one.pixels.begin(), one.pixels.end(), two.pixels.begin()));
  EXPECT_TRUE(std::equal(one.pixels.begin(), one.pixels.end(), two.pixels.begin() + half));
  EXPECT_THROW(curve_picture(std::vector<CurveFrame>(100, frame), PictureFormat::png), Error);
}

TEST(PlotPoints, GapsCutACurve) {
  const double nan = std::nan("");
  const PlotAxis unit{.low = 0, .high = 4, .ticks = {}, .title = {}};
  const auto pieces = pieces_of(
      {.x = {nan, 0, 1, nan, 2, 3, 4, nan}, .y = {0, 0, 1, 0, 2, nan, 4, 0}}, unit, unit, 100);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].size(), 2u);
  EXPECT_EQ(pieces[1].size(), 1u);
  EXPECT_EQ(pieces[2].back().y, 1);
}

TEST(PlotPoints, CrowdedColumnsKeepTheirExtremes) {
  Curve curve;
  for (int n = 0; n < 100'000; ++n) {
    curve.x.push_back(n);
    curve.y.push_back(n == 54'321 ? 7.0 : std::sin(n));
  }
  const PlotAxis x_axis{.low = 0, .high = 1e5, .ticks = {}, .title = {}};
  const PlotAxis y_axis{.low = 0, .high = 7, .ticks = {}, .title = {}};
  const auto pieces = pieces_of(curve, x_axis, y_axis, 500);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_LE(pieces[0].size(), 2004u);
  double highest = 0;
  for (const Point& point : pieces[0]) highest = std::max(highest, point.y);
  EXPECT_EQ(highest, 1);
}

TEST(PlotPoints, LogarithmsLeaveOutWhatIsNotPositive) {
  const std::vector<Curve> curves = {{.x = {-1, 0, 1, 100}, .y = {1, 1, 1, 1}}};
  EXPECT_EQ(span_of(curves, &Curve::x, AxisScale::logarithmic, {}, 0), (std::pair{1.0, 100.0}));
  const PlotAxis axis{
      .low = 1, .high = 100, .scale = AxisScale::logarithmic, .ticks = {}, .title = {}};
  EXPECT_DOUBLE_EQ(axis.share_of(10), 0.5);
  EXPECT_TRUE(std::isnan(axis.share_of(0)));
}

}  // namespace
}  // namespace goban::curve_picture_test
