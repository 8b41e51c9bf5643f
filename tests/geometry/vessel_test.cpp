// Vessels from centre lines and surfaces, and what is wrong with those that are none.

#include "goban/geometry/vessel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <numbers>

#include "goban/geometry/caps.hpp"
#include "goban/geometry/center_lines.hpp"
#include "goban/geometry/vector.hpp"
#include "goban/io/image/closed_surface.hpp"
#include "goban/io/image/voxelize.hpp"
#include "tests/error_text.hpp"

namespace goban::vessel_test {
namespace {

using namespace vectors;

/// A straight tube and its two openings.
struct Tube {
  Real3 begin, end;
  double radius;

  Real3 along() const { return direction(end - begin); }
  std::vector<VesselSegment> segments() const { return {{begin, end, radius, radius}}; }
  std::vector<Opening> openings() const {
    return {{"inlet", begin, -1 * along(), radius}, {"outlet", end, along(), radius}};
  }
};
const Tube tilted{{6.3, 7.1, 8.2}, {33.1, 22.4, 17.3}, 5.2};
const CellPlace box{{0, 0, 0}, 1, {40, 32, 28}};

Vessel vessel_of(const Tube& tube, const CellPlace& place) {
  const auto wall = wall_of(tube.segments(), place);
  return make_vessel(cells_of(tube.segments(), place), *wall, place, tube.openings());
}

/// Where the link from a point at distance < radius of the axis leaves the tube.
double exact_part(const Tube& tube, const Real3& from, const Real3& link) {
  const auto across = [&](const Real3& v) { return v - dot(v, tube.along()) * tube.along(); };
  const Real3 p = across(from - tube.begin), d = across(link);
  const double a = dot(d, d), b = dot(p, d), c = dot(p, p) - tube.radius * tube.radius;
  return (-b + std::sqrt(b * b - a * c)) / a;
}

TEST(Vessel, OfATiltedTube_HasItsCells) {
  const Vessel vessel = vessel_of(tilted, box);
  Index expected = 0;
  for (Index k = 0; k < box.cells[2]; ++k) {
    for (Index j = 0; j < box.cells[1]; ++j) {
      for (Index i = 0; i < box.cells[0]; ++i) {
        const Real3 p = box.center({i, j, k}) - tilted.begin;
        const double y = dot(p, tilted.along());
        const bool is_inside = y >= 0 && y <= norm(tilted.end - tilted.begin) &&
                               dot(p, p) - y * y < tilted.radius * tilted.radius;
        EXPECT_EQ(vessel.fluid.contains({i, j, k}), is_inside) << i << " " << j << " " << k;
        expected += is_inside;
      }
    }
  }
  EXPECT_EQ(vessel.fluid.size(), expected);
}

TEST(Vessel, LinksOfATiltedTube_EndWhereItsWallIs) {
  const Vessel vessel = vessel_of(tilted, box);
  int walls = 0, openings[2] = {};
  for (const RimCell& rim : vessel.rim) {
    const Real3 center = box.center(rim.cell);
    for (std::size_t q = 0; q < 18; ++q) {
      const Index3 link = face_and_edge_links[q];
      const Real3 along = {static_cast<double>(link[0]), static_cast<double>(link[1]),
                           static_cast<double>(link[2])};
      EXPECT_EQ(rim.parts[q] == 0, vessel.fluid.contains(rim.cell + link));
      if (rim.parts[q] > 0) {
        ++walls;
        EXPECT_NEAR(rim.parts[q], exact_part(tilted, center, along), 1e-5);
      } else if (rim.parts[q] < 0) {
        ASSERT_GE(rim.opening, 0);
        ++openings[rim.opening];
        const Opening opening = tilted.openings()[static_cast<std::size_t>(rim.opening)];
        EXPECT_NEAR(dot(center - rim.parts[q] * along - opening.center, opening.normal), 0, 1e-5);
      }
    }
  }
  EXPECT_GT(walls, 1000);
  EXPECT_GT(openings[0], 100);
  EXPECT_GT(openings[1], 100);
}

TEST(Vessel, NormalsOfATube_PointAwayFromItsAxis) {
  const Tube tube{{0, 20.2, 20.4}, {40, 20.2, 20.4}, 16};
  const Vessel vessel = vessel_of(tube, {{0, 0, 0}, 1, {40, 41, 41}});
  double worst = 0, square = 0;
  int count = 0;
  for (const RimCell& rim : vessel.rim) {
    if (rim.to_wall == Real3{} || rim.opening >= 0) continue;
    const Real3 center = {20, rim.cell[1] + 0.5 - 20.2, rim.cell[2] + 0.5 - 20.4};
    const Real3 out = direction({0, center[1], center[2]});
    const double cosine = dot(out, direction(rim.to_wall));
    worst = std::max(worst, 1 - cosine);
    const double error = norm(rim.to_wall) - (16 - std::hypot(center[1], center[2]));
    square += error * error;
    ++count;
  }
  EXPECT_LT(worst, 0.02);
  EXPECT_LT(std::sqrt(square / count), 0.05);
}

TEST(Vessel, OfAnOpenSurface_IsThatOfTheCenterLine) {
  constexpr int around = 300;  // corners lie on the tube, edges within 3e-4 of it
  TriangleMesh mesh;
  const Real3 u = direction(cross(tilted.along(), {0, 0, 1})), v = cross(tilted.along(), u);
  const auto at = [&](const Real3& middle, int n) {
    const double angle = 2 * std::numbers::pi * (n % around) / around;
    const Real3 p = middle + tilted.radius * (std::cos(angle) * u + std::sin(angle) * v);
    return Corner{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
  };
  for (int n = 0; n < around; ++n) {
    mesh.triangles.push_back({at(tilted.begin, n), at(tilted.end, n), at(tilted.end, n + 1)});
    mesh.triangles.push_back({at(tilted.begin, n), at(tilted.end, n + 1), at(tilted.begin, n + 1)});
  }
  EXPECT_EQ(count_edges(mesh).open, 2u * around);
  const auto openings = tilted.openings();
  mesh = closed(with_caps(mesh, openings));
  const auto image = voxelize(mesh, box.origin, {1, 1, 1}, box.cells);
  const Vessel vessel = make_vessel(cells_of(*image), *wall_of(mesh, box), box, openings);
  const Vessel exact = vessel_of(tilted, box);
  Index others = 0;
  exact.fluid.each([&](Index3 cell, Index) { others += !vessel.fluid.contains(cell); });
  EXPECT_LE(others, 2);
  EXPECT_NEAR(static_cast<double>(vessel.fluid.size()), static_cast<double>(exact.fluid.size()), 2);
  for (const RimCell& rim : vessel.rim) {
    for (std::size_t q = 0; q < 18; ++q) {
      if (rim.parts[q] <= 0) continue;
      const Index3 link = face_and_edge_links[q];
      const Real3 along = {static_cast<double>(link[0]), static_cast<double>(link[1]),
                           static_cast<double>(link[2])};
      EXPECT_NEAR(rim.parts[q], exact_part(tilted, box.center(rim.cell), along), 0.02);
    }
  }
}

TEST(Vessel, OpenEdgesWithoutAnOpening_AreNamed) {
  TriangleMesh mesh;
  mesh.triangles = {{Corner{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  EXPECT_EQ(
      test::refusal(ExitCode::usage, [&] { closed(with_caps(mesh, {})); }),
      "the surface is not closed (3 of its 3 edges belong to an odd number of triangles, as that "
      "from (0, 0, 0) to (0, 1, 0) of triangle 1); close it in the program that made it");
}

std::string refusal_of(const std::vector<VesselSegment>& segments,
                       const std::vector<Opening>& openings, const CellPlace& place = box) {
  return test::refusal(ExitCode::usage, [&] {
    make_vessel(cells_of(segments, place), *wall_of(segments, place), place, openings);
  });
}

TEST(Vessel, OfNothing_IsRefused) {
  EXPECT_EQ(
      refusal_of({{{-20, 0, 0}, {-10, 0, 0}, 3, 3}}, {}),
      "the vessel covers no cell (no center of a cell lies inside of it); look at its unit of "
      "length and the grid's place");
}

TEST(Vessel, ThatEndsAtTheGrid_IsRefused) {
  EXPECT_EQ(
      refusal_of({{{-10, 16, 14}, {20, 16, 14}, 5, 5}}, {}),
      "the vessel has no wall beside the cell at (0.5, 14.5, 9.5) m (it reaches beyond the grid); "
      "make the grid larger, or put an opening where it ends");
}

TEST(Vessel, InPieces_IsRefused) {
  EXPECT_EQ(refusal_of({{{8, 8, 8}, {12, 8, 8}, 5, 5}, {{30, 20, 20}, {30, 20, 20}, 5, 5}}, {}),
            "the fluid does not hang together (552 cells at (28.5, 18.5, 15.5) m have no way to "
            "the other "
            "872); make the cells finer, or take that part out of the surface");
}

TEST(Vessel, OpeningsBesideIt_AreRefused) {
  std::vector<Opening> openings = tilted.openings();
  openings[1].center = {35, 28, 4};
  EXPECT_EQ(
      refusal_of(tilted.segments(), openings),
      "opening 'outlet' touches no fluid (its disc around (35, 28, 4) m cuts no cell of the vessel "
      "off); move its center into the vessel; normals point out of the fluid");
}

TEST(Vessel, OpeningsThatDoNotCloseIt_AreRefused) {
  std::vector<Opening> openings = tilted.openings();
  openings[0].center = 0.5 * (tilted.begin + tilted.end);
  openings[0].radius = 2;
  EXPECT_EQ(
      refusal_of(tilted.segments(), openings),
      "opening 'inlet' does not close the vessel (fluid gets around its disc); make its radius "
      "larger or turn it across the vessel");
}

TEST(Vessel, ThinnerThanThreeCells_IsRefused) {
  EXPECT_NE(refusal_of({{{8.5, 8.5, 8.5}, {14.5, 8.5, 8.5}, 5, 5},
                        {{14.5, 8.5, 8.5}, {30, 8.5, 8.5}, 1.1, 1.1}},
                       {})
                .find("the vessel is thinner than three cells at"),
            std::string::npos);
  EXPECT_EQ(refusal_of({{{8.5, 8.5, 8.5}, {30, 8.5, 8.5}, 1.6, 1.6}}, {}), "");
}

TEST(Vessel, ThatRepeatsItself_HasNoEnds) {
  CellPlace place{{0, 0, 0}, 1, {16, 16, 16}};
  place.is_periodic = {true, false, false};
  const auto segments = repeated({{{4, 8.1, 8.2}, {20, 8.1, 8.2}, 5, 5}}, place);
  const Vessel tube = make_vessel(cells_of(segments, place), *wall_of(segments, place), place, {});
  EXPECT_EQ(tube.fluid.size() % 16, 0);
  std::vector<Index> rim_of_layer(16, 0);
  for (const RimCell& rim : tube.rim) {
    ++rim_of_layer[static_cast<std::size_t>(rim.cell[0])];
    EXPECT_EQ(rim.parts[0], 0);  // along the axis there is no wall
    EXPECT_NEAR(rim.to_wall[0], 0, 1e-6);
  }
  EXPECT_EQ(rim_of_layer, std::vector<Index>(16, static_cast<Index>(tube.rim.size()) / 16));
}

double resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(Vessel, MemoryFollowsTheCells_NotTheBox) {
  VesselTree tree;
  tree.root = {100, 1000, 1000};
  tree.radius = 10;
  tree.length_ratio = 20;
  tree.generations = 2;
  const CenterLines lines = grow(tree);
  const CellPlace place{{0, 0, 0}, 1, {2000, 2000, 2000}};  // 8e9 cells
  const double before = resident_megabytes();
  const Vessel vessel = make_vessel(cells_of(lines.segments, place),
                                    *wall_of(lines.segments, place), place, lines.openings);
  EXPECT_GT(vessel.fluid.size(), 80'000);
  EXPECT_LT(resident_megabytes() - before, 100);
}

}  // namespace
}  // namespace goban::vessel_test
