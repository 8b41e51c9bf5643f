#include "goban/grid/grid.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "goban/runtime/runtime.hpp"
#include "tests/error_text.hpp"

namespace goban::grid_test {
namespace {

using test::error_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class GridTest : public testing::Test {
 protected:
  std::string refusal(const GridOptions& options) {
    return error_of([&] { Grid grid(runtime_, options); });
  }
  Runtime runtime_{Settings{.threads = 1}};
};

TEST_F(GridTest, AnAxisWithoutCellsIsRefused) {
  EXPECT_EQ(refusal({.cells = {4, 0, 4}}), "grid has no cells along y (got 0)");
  EXPECT_EQ(refusal({.cells = {4, 4, -1}}), "grid has no cells along z (got -1)");
}

TEST_F(GridTest, SpacingMustBePositiveAndFinite) {
  EXPECT_EQ(refusal({.cells = {4, 4, 4}, .spacing = {1, 0, 1}}),
            "grid spacing along y is not positive and finite (got 0.000000)");
  EXPECT_EQ(refusal({.cells = {4, 4, 4}, .spacing = {1, 1, infinity}}),
            "grid spacing along z is not positive and finite (got inf)");
  EXPECT_NE(refusal({.cells = {4, 4, 4}, .spacing = nan}), "");
}

TEST_F(GridTest, TheOriginMustBeFinite) {
  EXPECT_EQ(refusal({.cells = {4, 4, 4}, .origin = {0, nan, 0}}),
            "grid origin along y is not a finite number (got nan)");
  EXPECT_NE(refusal({.cells = {4, 4, 4}, .origin = {-infinity, 0, 0}}), "");
}

TEST_F(GridTest, ConditionsOfNaNAreRefusedByTheirNames) {
  EXPECT_EQ(error_of([&] { wall_value(nan); }),
            "boundary condition wall_value(nan) is refused (its value is not a number)");
  EXPECT_NE(error_of([&] { constant(nan); }), "");
  EXPECT_NE(error_of([&] { gradient(static_cast<float>(nan)); }), "");
  EXPECT_EQ(constant(infinity).value, infinity);
}

TEST_F(GridTest, PeriodicOnOneSideOnlyIsRefused) {
  BoundarySet boundary(mirror);
  boundary.at(Axis::z, Side::high) = periodic;
  EXPECT_EQ(refusal({.cells = {4, 4, 4}, .boundary = boundary}),
            "boundary along z is periodic on one side only (both sides belong together); make both "
            "periodic or neither");
}

TEST_F(GridTest, TooManyCellsAreRefused) {
  EXPECT_NE(refusal({.cells = {Index{1} << 31, Index{1} << 31, 4}}), "");
}

TEST_F(GridTest, CellsSitAtTheirCentersAndFacesOnTheirLowerSide) {
  Grid grid(runtime_, {.cells = {4, 4, 4}, .spacing = {0.5, 1, 2}, .origin = {10, 20, 30}});
  const Position cell = grid.state()->position({1, 2, 3}, Location::cell);
  EXPECT_EQ(cell.x, 10.75);
  EXPECT_EQ(cell.y, 22.5);
  EXPECT_EQ(cell.z, 37);
  const Position face = grid.state()->position({1, 2, 3}, Location::face_y);
  EXPECT_EQ(face.x, 10.75);
  EXPECT_EQ(face.y, 22);
  const Position node = grid.state()->position({4, 0, 0}, Location::node);
  EXPECT_EQ(node.x, 12);
  EXPECT_EQ(node.z, 30);
}

TEST_F(GridTest, FaceFieldsHaveALastWallFaceExceptOnPeriodicAxes) {
  Grid grid(runtime_, {.cells = {4, 5, 6}, .boundary = {mirror, periodic, mirror}});
  const auto domain = [&](Location location) { return grid.state()->domain(location).upper; };
  EXPECT_EQ(domain(Location::cell), (Index3{4, 5, 6}));
  EXPECT_EQ(domain(Location::face_x), (Index3{5, 5, 6}));
  EXPECT_EQ(domain(Location::face_y), (Index3{4, 5, 6}));
  EXPECT_EQ(domain(Location::node), (Index3{5, 5, 7}));
}

TEST(Mirrored, GhostCellsMirrorAboutTheFaceAndGhostFacesAboutTheWallFace) {
  EXPECT_EQ(mirrored(-1, 8, false), 0);
  EXPECT_EQ(mirrored(-3, 8, false), 2);
  EXPECT_EQ(mirrored(8, 8, false), 7);
  EXPECT_EQ(mirrored(10, 8, false), 5);
  EXPECT_EQ(mirrored(-1, 8, true), 1);
  EXPECT_EQ(mirrored(9, 8, true), 7);
}

TEST(Mirrored, WallFacesAreTheirOwnMirrorImages) {
  EXPECT_EQ(mirrored(0, 8, true), 0);
  EXPECT_EQ(mirrored(8, 8, true), 8);
}

}  // namespace
}  // namespace goban::grid_test
