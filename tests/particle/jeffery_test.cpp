// Spheroids in shear turn as Jeffery (Proc. R. Soc. A 102 (1922) 161) found: a turn takes 2 pi (r +
// 1/r) / rate, 15.708 / rate for r = 2 and 1/2.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/particle/suspension.hpp"

namespace goban::jeffery_test {
namespace {

BodyShape spheroid(double r) {
  BodyShape shape;
  const double across = r > 1 ? 1.5 : 3;
  shape.semi_axes = {r * across, across, across};
  return in_fluid(shape, 1.0 / 6);
}

/// Where the axis of symmetry points in the plane of shear, x and y.
double angle_of(const Body& body) {
  double axes[3][3];
  device::body_axes(state_of(0, body).quaternion, axes);
  return std::atan2(axes[0][1], axes[0][0]);
}

/// Steps until the axis has made half a turn, times two.
double period(Bodies& bodies, const std::function<void(Index)>& run) {
  const double first = angle_of(bodies.all()[0]);
  double turned = 0, before = first;
  for (Index steps = 0;;) {
    constexpr Index at_once = 5;
    run(at_once);
    steps += at_once;
    const double now = angle_of(bodies.all()[0]);
    const double more = std::remainder(now - before, std::numbers::pi);
    before = now;
    if (std::abs(turned + more) >= std::numbers::pi || steps > 20000) {
      const double part = (std::numbers::pi - std::abs(turned)) / std::abs(more);
      return 2 * (static_cast<double>(steps - at_once) + part * static_cast<double>(at_once));
    }
    turned += more;
  }
}

TEST(Jeffery, OrbitsInAShearThatIsGivenTakeTheirTime) {
  constexpr double rate = 0.01;
  for (const double r : {2.0, 0.5}) {
    Runtime runtime(test::one_thread());
    Grid grid(runtime, {.cells = {16, 16, 16}, .boundary = mirror});
    Field<double, 3> velocity(grid, "velocity"), force(grid, "force");
    velocity.fill([&](Position x, int c) { return c == 0 ? rate * (x.y - 8) : 0; });
    Bodies bodies(grid, {.shapes = {spheroid(r)}});
    bodies.place({Body{.position = {8, 8, 8}}});
    Program step("jeffery");
    bodies.couple(step, velocity, force);
    Engine engine(step);
    StepClock clock;
    const double found = period(bodies, [&](Index steps) { engine.run(steps, clock); });
    EXPECT_NEAR(found, 15.708 / rate, 0.01 * 15.708 / rate) << r;
  }
}

/// The rate is that of the fluid around the body, between walls that move.
TEST(Jeffery, OrbitsInAFluidTakeTheirTime) {
  constexpr double speed = 0.06;
  constexpr Index height = 20;
  for (const double r : {2.0, 0.5}) {
    Runtime runtime(test::one_thread());
    test::Suspension s(runtime, {.cells = {16, height + 2, 16}, .wall_speed = speed},
                       {.shapes = {spheroid(r)}});
    s.bodies.place({Body{.position = {8, 11, 8}}});
    s.run(1500);
    const double rate = 2 * speed / height;
    const double found = period(s.bodies, [&](Index steps) { s.run(steps); });
    EXPECT_NEAR(found, 15.708 / rate, 0.03 * 15.708 / rate) << r;
  }
}

}  // namespace
}  // namespace goban::jeffery_test
