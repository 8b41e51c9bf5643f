#include "goban/geometry/center_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "goban/geometry/vector.hpp"
#include "tests/error_text.hpp"

namespace goban::center_lines_test {
namespace {

using namespace vectors;

TEST(CenterLines, DistanceFromARoundCone_IsThatOfItsSpheres) {
  const VesselSegment cone{{0, 0, 0}, {4, 0, 0}, 1, 2};
  EXPECT_DOUBLE_EQ(distance_from(cone, {-3, 0, 0}), 2);
  EXPECT_DOUBLE_EQ(distance_from(cone, {9, 0, 0}), 3);
  for (const Real3& p : {Real3{1, 3, 0}, {2.5, 0, -4}, {3, 0.5, 0.5}, {-0.5, 2, 1}}) {
    double least = 1e9;
    for (int n = 0; n <= 100'000; ++n) {
      const double part = n / 100'000.0;
      least = std::min(least, norm(p - Real3{4 * part, 0, 0}) - (1 + part));
    }
    EXPECT_NEAR(distance_from(cone, p), least, 1e-8);
  }
  EXPECT_DOUBLE_EQ(distance_from({{0, 0, 0}, {1, 0, 0}, 5, 1}, {0, 7, 0}),
                   2);  // a sphere in another
}

TEST(CenterLines, FlatEnds_CutItsSpheres) {
  const VesselSegment flat{{0, 0, 0}, {4, 0, 0}, 1, 1, true};
  EXPECT_DOUBLE_EQ(distance_from(flat, {-0.5, 0.2, 0}), 0.5);
  EXPECT_DOUBLE_EQ(distance_from(flat, {4.25, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(distance_from(flat, {2, 0.75, 0}), -0.25);
}

TEST(CenterLines, Trees_FollowMurraysLaw) {
  VesselTree tree;
  tree.generations = 3;
  tree.asymmetry = 0.8;
  tree.across = {0.3, 1, 0};
  const CenterLines lines = grow(tree);
  ASSERT_EQ(lines.segments.size(), 7u);
  ASSERT_EQ(lines.openings.size(), 5u);
  double cubes = 0;
  for (std::size_t n = 1; n < lines.openings.size(); ++n)
    cubes += std::pow(lines.openings[n].radius, 3);
  EXPECT_NEAR(cubes, std::pow(tree.radius, 3), 1e-12);
  const auto& mother = lines.segments[0];
  const auto& larger = lines.segments[1];
  const auto& smaller = lines.segments[4];
  EXPECT_NEAR(smaller.begin_radius / larger.begin_radius, 0.8, 1e-12);
  EXPECT_EQ(larger.begin, mother.end);
  EXPECT_EQ(smaller.begin, mother.end);
  EXPECT_EQ(lines.openings[0].name, "inlet");
  EXPECT_EQ(lines.openings[4].name, "outlet_4");
}

TEST(CenterLines, EvenBifurcations_OpenAt75Degrees) {
  const CenterLines lines = grow({});
  const auto angle = [&](std::size_t n) {
    const VesselSegment& segment = lines.segments[n];
    return std::acos(direction(segment.end - segment.begin)[0]);
  };
  EXPECT_NEAR(angle(1) * 180 / M_PI, 37.47, 0.01);  // cos a = 2^(-1/3)
  EXPECT_NEAR(angle(2), angle(1), 1e-12);
}

TEST(CenterLines, TreesWithoutAPlane_AreRefused) {
  VesselTree tree;
  tree.across = {2, 0, 0};
  EXPECT_EQ(test::refusal(ExitCode::usage, [&] { grow(tree); }),
            "the tree of vessels has no plane (its directions along and across are parallel)");
}

}  // namespace
}  // namespace goban::center_lines_test
