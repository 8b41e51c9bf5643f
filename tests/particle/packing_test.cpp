#include "goban/particle/packing.hpp"

#include <gtest/gtest.h>

#include "goban/particle/bodies.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/error_text.hpp"

namespace goban::packing_test {
namespace {

BodyShape red_cell() {
  BodyShape shape;
  shape.semi_axes = {3, 3, 1.1};
  return shape;
}

TEST(Packing, KeepsRedCellsApartAtBloodsHematocrit) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {24, 20, 16}, .boundary = periodic});
  const auto placed = packed(grid, red_cell(), {.hematocrit = 0.45});
  Bodies bodies(grid, {.shapes = {red_cell()}});
  bodies.place(placed);  // refuses what overlaps
  EXPECT_NEAR(bodies.hematocrit(), 0.45, 0.01);
  double mean = 0;  // of the component of the short axes along z: orientations are random
  for (const Body& body : placed) {
    double axes[3][3];
    device::body_axes(state_of(0, body).quaternion, axes);
    mean += axes[2][2] * axes[2][2] / static_cast<double>(placed.size());
  }
  EXPECT_NEAR(mean, 1.0 / 3, 0.1);
}

TEST(Packing, FollowsFromTheSeed) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {20, 20, 20}, .boundary = periodic});
  const auto positions = [&](std::uint64_t seed) {
    std::vector<Real3> all;
    for (const Body& body : packed(grid, red_cell(), {.hematocrit = 0.2, .seed = seed})) {
      all.push_back(body.position);
    }
    return all;
  };
  EXPECT_EQ(positions(1), positions(1));
  EXPECT_NE(positions(1), positions(2));
}

TEST(Packing, KeepsWholeBodiesInARegion) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {24, 20, 16}, .boundary = periodic});
  const Box region{{0, 4, 2}, {24, 16, 14}};
  const auto placed = packed(grid, red_cell(), {.hematocrit = 0.3, .region = region});
  Bodies bodies(grid, {.shapes = {red_cell()}});
  bodies.place(placed);
  const double inside = bodies.hematocrit(region) * static_cast<double>(region.volume());
  EXPECT_GT(inside, 0.28 * static_cast<double>(region.volume()));
  EXPECT_DOUBLE_EQ(inside, bodies.hematocrit() * 24 * 20 * 16);
}

TEST(Packing, TooManyBodiesAreRefused) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {12, 12, 12}, .boundary = periodic});
  EXPECT_EQ(test::error_of([&] { packed(grid, red_cell(), {.hematocrit = 0.9}); }),
            "38 bodies cannot be packed (at a hematocrit of 0.9 they could not be kept 0.05 nodes "
            "apart); take fewer bodies or a smaller gap");
}

}  // namespace
}  // namespace goban::packing_test
