// What fluid and bodies do to each other.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/particle/suspension.hpp"

namespace goban::drag_test {
namespace {

constexpr double viscosity = 1.0 / 6;

/// A sphere in every cube of n^3 nodes, pulled through the fluid: F / (6 pi viscosity R U), U the
/// velocity against the mean of all nodes.
double drag_of_array(Index n, double concentration) {
  const auto edge = static_cast<double>(n);
  const double radius = edge * std::cbrt(concentration * 3 / (4 * std::numbers::pi));
  BodyShape shape = test::sphere(radius, viscosity);
  shape.density = 2;
  constexpr double gravity = 1e-5;
  const double weight = shape.volume() * gravity, volume = edge * edge * edge;
  Runtime runtime(test::one_thread());
  test::Suspension s(runtime,
                     {.cells = {n, n, n}, .viscosity = viscosity, .drive = {0, 0, weight / volume}},
                     {.shapes = {shape}, .gravity = {0, 0, -gravity}});
  s.bodies.place({Body{.position = {edge / 2 + 0.1, edge / 2 + 0.2, edge / 2 + 0.3}}});
  s.run(1500);
  const double speed = s.velocity.sum(2) / volume - s.bodies.all()[0].velocity[2];
  return weight / (6 * std::numbers::pi * viscosity * radius * speed);
}

/// Zick and Homsy, J. Fluid Mech. 115 (1982) 13, table 1.
TEST(Drag, OfASimpleCubicArrayOfSpheres) {
  const double k = drag_of_array(16, 0.027);
  EXPECT_NEAR(k, 2.008, 0.02 * 2.008);
}

/// What bodies lose the fluid gets, as exactly as integers go; its own collisions round.
TEST(Drag, MomentumOfFluidAndBodiesStays) {
  Runtime runtime(test::one_thread());
  BodyShape shape = test::sphere(2, viscosity);
  shape.density = 1.5;
  test::Suspension s(runtime, {.cells = {20, 18, 17}},
                     {.shapes = {shape}, .repulsion = {.strength = 1e-4, .width = 2}});
  s.bodies.place({{.position = {8, 8, 8}, .velocity = {0.02, 0, 0}},
                  {.position = {12.2, 8.5, 8}, .velocity = {-0.03, 0.01, 0.002}},
                  {.position = {17, 1, 16}, .velocity = {0, 0.01, -0.02}}});
  const Real3 first = s.bodies.momentum();
  Real3 before = first;
  for (int step = 0; step < 100; ++step) {
    s.run(1);
    const Real3 after = s.bodies.momentum();
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(after[a] - before[a] + s.force.sum(static_cast<int>(a)), 0,
                  200 * s.bodies.units().force);
    }
    before = after;
  }
  const Real3 fluid = s.momentum_of_fluid();
  for (std::size_t a = 0; a < 3; ++a) {
    const double on_its_way = s.force.sum(static_cast<int>(a));  // for the next collision
    EXPECT_NEAR(before[a] + fluid[a] + on_its_way, first[a], 1e-9);
    EXPECT_GT(std::abs(fluid[a]), 0.1);
  }
}

/// Stokes flow can be run backwards: after they have passed each other in a shear two spheres that
/// do not repel each other are as far across it as at the same distance before.
TEST(Drag, TwoBodiesInShearPassAndReturn) {
  constexpr Index height = 16;
  Runtime runtime(test::one_thread());
  test::Suspension s(runtime,
                     {.cells = {28, height + 2, 10}, .viscosity = viscosity, .wall_speed = 0.03},
                     {.shapes = {test::sphere(1.5, viscosity)}});
  const double middle = 0.5 * height + 1;
  s.bodies.place({{.position = {9, middle + 0.8, 5}}, {.position = {19, middle - 0.8, 5}}});
  double before = 0, most = 0, along = 10, across = 1.6;
  while (along > -8) {
    s.run(20);
    const auto all = s.bodies.all();
    along = all[1].position[0] - all[0].position[0];
    across = all[0].position[1] - all[1].position[1];
    most = std::max(most, across);
    if (before == 0 && along < 8) before = across;
    ASSERT_LT(s.clock.step, 6000);
  }
  EXPECT_NEAR(across, before, 0.01 * before);
  EXPECT_GT(most, 1.2 * before);  // on their way around each other
}

/// Einstein, Ann. Phys. 34 (1911) 591: a dilute suspension of spheres is more viscous than its
/// fluid by 5/2 of what is spheres. The stress is that of the fluid near the walls.
TEST(Drag, SpheresMakeASuspensionViscous) {
  constexpr Index height = 20, across = 16;
  constexpr double speed = 0.02, radius = 2;
  Runtime runtime(test::one_thread());
  test::Suspension s(
      runtime, {.cells = {across, height + 2, across}, .viscosity = viscosity, .wall_speed = speed},
      {.shapes = {test::sphere(radius, viscosity)}});
  s.bodies.place({{.position = {8, 11, 8}}});
  s.run(3000);
  double mean[2] = {0, 0};
  const auto u = s.velocity.copy_out();
  for (int n = 0; n < 2; ++n) {
    for (Index k = 0; k < across; ++k) {
      for (Index i = 0; i < across; ++i) {
        const Index cell = i + across * (n + 1 + (height + 2) * k);
        mean[n] += u[static_cast<std::size_t>(cell)] / (across * across);
      }
    }
  }
  const double more = (mean[1] - mean[0]) / (2 * speed / height) - 1;
  const double part = s.bodies.hematocrit({{0, 1, 0}, {across, height + 1, across}});
  EXPECT_NEAR(more / part, 2.5, 0.1);
}

}  // namespace
}  // namespace goban::drag_test
