#include "goban/io/image/voxelize.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "goban/base/error.hpp"
#include "goban/io/image/closed_surface.hpp"
#include "tests/error_text.hpp"
#include "tests/io/image/shapes.hpp"

namespace goban::voxelize_test {
namespace {

Array voxelized(const TriangleMesh& mesh, const Real3& origin, const Real3& spacing,
                Index3 extents) {
  return voxelize(mesh, origin, spacing, extents)->read({{0, 0, 0}, extents});
}

Index count_inside(const Array& cells) {
  const auto values = cells.as<std::uint8_t>();
  return std::accumulate(values.begin(), values.end(), Index{0});
}

TEST(Voxelize, ABoxFillsTheCellsWhoseCentresItEncloses) {
  const Array cells = voxelized(box_mesh({1, 2, 0}, {3, 5, 2}), {0, 0, 0}, {1, 1, 1}, {5, 6, 4});
  for (Index k = 0; k < 4; ++k)
    for (Index j = 0; j < 6; ++j)
      for (Index i = 0; i < 5; ++i)
        EXPECT_EQ(cells.at(i, j, k), i >= 1 && i < 3 && j >= 2 && j < 5 && k < 2 ? 1 : 0)
            << i << " " << j << " " << k;
}

TEST(Voxelize, CentresOnTheSurfaceCountAsALittleFurtherUp) {
  // Every face, edge and corner of the box lies on cell centres.
  const Array cells =
      voxelized(box_mesh({1.5f, 1.5f, 1.5f}, {3.5f, 3.5f, 3.5f}), {0, 0, 0}, {1, 1, 1}, {6, 6, 6});
  for (Index k = 0; k < 6; ++k)
    for (Index j = 0; j < 6; ++j)
      for (Index i = 0; i < 6; ++i) {
        const auto within = [](Index n) { return n >= 1 && n < 3; };
        EXPECT_EQ(cells.at(i, j, k), within(i) && within(j) && within(k) ? 1 : 0);
      }
}

TEST(Voxelize, ASphereHasItsVolumeAndShape) {
  const int n = 40;
  const Array cells = voxelized(sphere_mesh({1, 1, 1}, 0.8f, 200), {0, 0, 0},
                                {2.0 / n, 2.0 / n, 2.0 / n}, {n, n, n});
  Index wrong = 0;
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const auto from_center = [&](Index m) {
          return (static_cast<double>(m) + 0.5) * 2 / n - 1;
        };
        const double r = std::hypot(from_center(i), from_center(j), from_center(k));
        if (std::abs(r - 0.8) > 1e-3 && (cells.at(i, j, k) == 1) != (r < 0.8)) ++wrong;
      }
  EXPECT_EQ(wrong, 0);
}

TEST(Voxelize, AHoleStaysOpen) {
  const Array cells = voxelized(torus_mesh({0, 0, 0}, 1.0f, 0.3f, 100), {-1.5, -1.5, -0.5},
                                {0.05, 0.05, 0.05}, {60, 60, 20});
  EXPECT_EQ(cells.at(30, 30, 10), 0);
  EXPECT_EQ(cells.at(10, 30, 10), 1);
  EXPECT_EQ(cells.at(30, 48, 10), 1);
  const double volume = 2 * std::numbers::pi * std::numbers::pi * 0.09;
  EXPECT_NEAR(static_cast<double>(count_inside(cells)) * 1.25e-4, volume, 0.02 * volume);
}

TEST(Voxelize, EdgesAndCornersUnderRaysLeaveNoStreaks) {
  // Coordinates on a lattice that the rays hit again and again, in every direction.
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const auto lattice = [&] { return 0.5f * static_cast<float>(random() % 17); };
    TriangleMesh mesh;
    for (int n = 0; n < 3; ++n) {  // closed: tetrahedra
      const Corner c[4] = {{lattice(), lattice(), lattice()},
                           {lattice(), lattice(), lattice()},
                           {lattice(), lattice(), lattice()},
                           {lattice(), lattice(), lattice()}};
      for (const auto& f : {std::array{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
        mesh.triangles.push_back({c[f[0]], c[f[1]], c[f[2]]});
    }
    // A border of cells that no part of the mesh reaches.
    const Array cells = voxelized(mesh, {-1, -1, -1}, {1, 1, 1}, {11, 11, 11});
    for (Index k = 0; k < 11; ++k)
      for (Index j = 0; j < 11; ++j) {
        EXPECT_EQ(cells.at(10, j, k), 0) << "trial " << trial;
        if (k == 0 || k == 10 || j == 0 || j == 10) {
          for (Index i = 0; i < 11; ++i) EXPECT_EQ(cells.at(i, j, k), 0) << "trial " << trial;
        }
      }
  }
}

TEST(Voxelize, RandomTetrahedraMatchTheirHalfSpaces) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 8);
  for (int trial = 0; trial < 100; ++trial) {
    std::array<Corner, 4> c;
    for (Corner& corner : c) corner = {uniform(random), uniform(random), uniform(random)};
    TriangleMesh mesh;
    for (const auto& f : {std::array{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
      mesh.triangles.push_back({c[f[0]], c[f[1]], c[f[2]]});
    const auto volume = [](const Real3& a, const Corner& b, const Corner& d, const Corner& e) {
      const auto u = [&](const Corner& p, int n) { return p[n] - a[n]; };
      return u(b, 0) * (u(d, 1) * u(e, 2) - u(d, 2) * u(e, 1)) -
             u(b, 1) * (u(d, 0) * u(e, 2) - u(d, 2) * u(e, 0)) +
             u(b, 2) * (u(d, 0) * u(e, 1) - u(d, 1) * u(e, 0));
    };
    const Array cells = voxelized(mesh, {0, 0, 0}, {0.5, 0.5, 0.5}, {16, 16, 16});
    for (Index k = 0; k < 16; ++k)
      for (Index j = 0; j < 16; ++j)
        for (Index i = 0; i < 16; ++i) {
          const Real3 p = {0.5 * static_cast<double>(i) + 0.25, 0.5 * static_cast<double>(j) + 0.25,
                           0.5 * static_cast<double>(k) + 0.25};
          int positive = 0, negative = 0;
          bool near = false;
          for (const Triangle& t : mesh.triangles) {
            const double v = volume(p, t[0], t[1], t[2]);
            near = near || std::abs(v) < 1e-4;
            ++(v > 0 ? positive : negative);
          }
          if (near) continue;
          EXPECT_EQ(cells.at(i, j, k) == 1, positive == 0 || negative == 0);
        }
  }
}

TEST(Voxelize, PartsOutsideOfTheCellsAreCutOff) {
  EXPECT_EQ(count_inside(voxelized(box_mesh({-10, -10, -10}, {10, 10, 10}), {0, 0, 0}, {1, 1, 1},
                                   {4, 4, 4})),
            64);
  EXPECT_EQ(count_inside(
                voxelized(box_mesh({-10, -10, -10}, {2, 2, 2}), {0, 0, 0}, {1, 1, 1}, {4, 4, 4})),
            8);
  EXPECT_EQ(count_inside(
                voxelized(box_mesh({20, 20, 20}, {30, 30, 30}), {0, 0, 0}, {1, 1, 1}, {4, 4, 4})),
            0);
}

/// The parts of one mesh.
TriangleMesh together(std::initializer_list<TriangleMesh> parts) {
  TriangleMesh all;
  for (const TriangleMesh& part : parts)
    all.triangles.insert(all.triangles.end(), part.triangles.begin(), part.triangles.end());
  return all;
}

Triangle turned(const Triangle& t) { return {t[0], t[2], t[1]}; }

TriangleMesh inside_out(TriangleMesh mesh) {
  for (Triangle& triangle : mesh.triangles) triangle = turned(triangle);
  return mesh;
}

Index cells_in(const TriangleMesh& mesh) {
  return count_inside(voxelized(mesh, {0, 0, 0}, {1, 1, 1}, {12, 12, 12}));
}

TEST(Voxelize, PartsThatOverlapTouchOrAreStoredTwiceAreOneBody) {
  const TriangleMesh box = box_mesh({2, 2, 2}, {8, 8, 8});
  EXPECT_EQ(cells_in(together({box, box_mesh({5, 5, 5}, {11, 11, 11})})), 216 + 216 - 27);
  EXPECT_EQ(cells_in(together({box, box})), 216);
  EXPECT_EQ(cells_in(together({box, box_mesh({4, 4, 4}, {6, 6, 6})})), 216);
  EXPECT_EQ(cells_in(together({box_mesh({2, 2, 2}, {6, 8, 8}), box_mesh({6, 2, 2}, {10, 8, 8})})),
            8 * 6 * 6);
}

TEST(Voxelize, APartTurnedInsideOutIsACavityOrABodyOfItsOwn) {
  const TriangleMesh box = box_mesh({2, 2, 2}, {8, 8, 8});
  EXPECT_EQ(cells_in(inside_out(box)), 216);
  const Array cells = voxelized(together({box, inside_out(box_mesh({4, 4, 4}, {6, 6, 6}))}),
                                {0, 0, 0}, {1, 1, 1}, {12, 12, 12});
  EXPECT_EQ(count_inside(cells), 216 - 8);
  EXPECT_EQ(cells.at(5, 5, 5), 0);
}

TEST(Voxelize, TrianglesTurnedAgainstTheirNeighboursAreTurnedBack) {
  TriangleMesh mesh =
      together({box_mesh({2, 2, 2}, {8, 8, 8}), inside_out(box_mesh({4, 4, 4}, {6, 6, 6}))});
  for (const std::size_t n : {1u, 4u, 11u, 13u, 20u}) mesh.triangles[n] = turned(mesh.triangles[n]);
  EXPECT_EQ(cells_in(mesh), 216 - 8);
}

TEST(Voxelize, NearlyEqualCornersAreOne) {
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0, 1e-7f);
  TriangleMesh mesh = together({box_mesh({2, 2, 2}, {8, 8, 8}), sphere_mesh({9, 9, 9}, 2, 20)});
  const Index cells = cells_in(mesh);
  for (Triangle& triangle : mesh.triangles)
    for (Corner& corner : triangle)
      for (float& x : corner) x += x * noise(random);
  EXPECT_GT(count_edges(mesh).open, 0u);
  EXPECT_EQ(cells_in(mesh), cells);
}

std::string refusal_of(const TriangleMesh& mesh, const Real3& spacing) {
  return test::refusal(ExitCode::usage, [&] { voxelized(mesh, {0, 0, 0}, spacing, {4, 4, 4}); });
}

TEST(Voxelize, OpenSurfacesAreRefused) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  EXPECT_EQ(
      refusal_of(mesh, {1, 1, 1}),
      "the surface is not closed (3 of its 18 edges belong to an odd number of triangles, as that "
      "from (1, 0, 0) to (1, 0, 1) of triangle 5); close it in the program that made it");
}

TEST(Voxelize, SurfacesWithoutAnInsideAreRefused) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  for (const Triangle& triangle : box_mesh({0, 0, 0}, {1, 1, 1}).triangles)
    mesh.triangles.push_back(triangle);
  mesh.triangles[3] = turned(mesh.triangles[3]);
  EXPECT_EQ(refusal_of(mesh, {1, 1, 1}),
            "the surface has no inside (at 3 of its 18 edges triangles are turned against each "
            "other); let the program that made it turn all normals outwards");
}

TEST(ClosedSurface, EdgesOfAClosedBoxAreSharedByTwo) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(count_edges(mesh).edges, 18u);
  EXPECT_EQ(count_edges(mesh).open, 0u);
  EXPECT_EQ(count_edges(mesh).turned, 0u);
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_EQ(count_edges(mesh).turned, 3u);
  mesh.triangles.pop_back();
  EXPECT_EQ(count_edges(mesh).open, 3u);
}

TEST(ClosedSurface, SignedZerosAndThinTrianglesDoNotOpenASurface) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  for (Corner& corner : mesh.triangles[0])
    for (float& x : corner)
      if (x == 0) x = -0.0f;
  mesh.triangles.push_back({{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(count_edges(mesh).open, 0u);
}

TEST(Voxelize, SpacingsMustBePositive) {
  const TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(refusal_of(mesh, {1, 0, 1}),
            "the cells of a surface's interior are not defined (a spacing is not positive)");
  EXPECT_NE(refusal_of(mesh, {1, -1, 1}), "");
  EXPECT_NE(refusal_of(mesh, {1, std::nan(""), 1}), "");
}

}  // namespace
}  // namespace goban::voxelize_test
