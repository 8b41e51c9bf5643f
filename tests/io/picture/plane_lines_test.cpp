#include "goban/io/picture/plane_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "goban/base/error.hpp"

namespace goban::plane_lines_test {
namespace {

/// Values of a plane of cells, by the middle of each.
class Plane {
 public:
  template <class F>
  Plane(Index width, Index height, const F& value) {
    for (Index j = 0; j < height; ++j) {
      for (Index i = 0; i < width; ++i) {
        values_.push_back(value(static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5));
      }
    }
    view_ = dense_view(values_.data(), {width, height, 1});
  }
  FlatPlane flat() const { return {view_, 0}; }

 private:
  std::vector<double> values_;
  ArrayView view_;
};

TEST(ContourLines, LieWhereALinearFieldHasTheLevel) {
  const Plane plane(9, 7, [](double x, double y) { return x + 2 * y; });
  const auto lines = contour_lines(plane.flat(), 9.3);
  double length = 0;
  for (const Polyline& line : lines) {
    for (const Point& p : line) EXPECT_NEAR(p.x + 2 * p.y, 9.3, 1e-12);
    length += std::hypot(line[1].x - line[0].x, line[1].y - line[0].y);
  }
  EXPECT_NEAR(length, std::hypot(7.8, 3.9), 1e-12);
  EXPECT_TRUE(contour_lines(plane.flat(), 100).empty());
}

TEST(ContourLines, OfACircleAreClosed) {
  const Plane plane(21, 21, [](double x, double y) { return std::hypot(x - 10.5, y - 10.5); });
  double length = 0;
  for (const Polyline& line : contour_lines(plane.flat(), 7)) {
    length += std::hypot(line[1].x - line[0].x, line[1].y - line[0].y);
  }
  EXPECT_NEAR(length, 2 * std::acos(-1) * 7, 0.3);
}

TEST(ContourLines, SaddlesAreCutByTheirMiddle) {
  const Plane plane(2, 2, [](double x, double y) { return x == y ? 1.0 : 0.0; });
  for (const double level : {0.4, 0.6}) {
    const auto lines = contour_lines(plane.flat(), level);
    ASSERT_EQ(lines.size(), 2u);
    for (const Polyline& line : lines) {  // 0.4: around the low corners, 0.6: the high ones
      const double side = (line[0].x + line[1].x - 2) * (line[0].y + line[1].y - 2);
      EXPECT_EQ(side < 0, level < 0.5);
    }
  }
}

TEST(ContourLines, EndBesideCellsWithoutANumber) {
  const Plane plane(6, 6, [](double x, double y) {
    return x > 3 ? std::numeric_limits<double>::quiet_NaN() : y;
  });
  for (const Polyline& line : contour_lines(plane.flat(), 2.2)) {
    for (const Point& p : line) EXPECT_LE(p.x, 2.5);
  }
}

TEST(Streamlines, FollowCirclesAndKeepTheirDistance) {
  const Plane u(60, 60, [](double, double y) { return 30 - y; });
  const Plane v(60, 60, [](double x, double) { return x - 30; });
  const auto lines = streamlines(u.flat(), v.flat(), 1);
  ASSERT_GT(lines.size(), 6u);
  for (const Polyline& line : lines) {
    const double radius = std::hypot(line[0].x - 30, line[0].y - 30);
    for (const Point& p : line) EXPECT_NEAR(std::hypot(p.x - 30, p.y - 30), radius, 0.6);
    const double turn = (line[0].x - 30) * (line[1].y - 30) - (line[0].y - 30) * (line[1].x - 30);
    EXPECT_GT(turn, 0);  // with the velocity, not against it
  }
}

TEST(Streamlines, StopWhereNothingMoves) {
  const Plane u(20, 20, [](double x, double) { return x < 10 ? 1.0 : 0.0; });
  const Plane v(20, 20, [](double, double) { return 0.0; });
  for (const Polyline& line : streamlines(u.flat(), v.flat(), 1)) {
    for (const Point& p : line) EXPECT_LT(p.x, 11);
  }
  const Plane other(20, 10, [](double, double) { return 0.0; });
  EXPECT_THROW(streamlines(u.flat(), other.flat(), 1), Error);
}

}  // namespace
}  // namespace goban::plane_lines_test
