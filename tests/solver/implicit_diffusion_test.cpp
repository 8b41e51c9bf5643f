// A mode between two ends decays as the scheme says, however long the step.

#include "goban/solver/implicit_diffusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/solver/poisson.hpp"

namespace goban::implicit_diffusion_test {
namespace {

/// What a step of length 1 leaves of the longest mode that `end` allows, over what the mean of both
/// second differences leaves.
template <Axis N, bool OnFaces>
double decay_over_that_of_the_scheme(const BoundaryCondition& end) {
  constexpr Index n = 12;
  constexpr double h = 0.25, nu = 3;
  Runtime runtime(test::plain_schedule());
  BoundarySet sides(periodic);
  sides.sides[static_cast<std::size_t>(index_of(N))] = {end, end};
  Grid grid(runtime, {.cells = {n, n, n}, .spacing = h, .boundary = sides});
  const FieldOptions options{.location = !OnFaces       ? Location::cell
                                         : N == Axis::y ? Location::face_y
                                                        : Location::face_z};
  Field<double> u(grid, "u", options), next(grid, "next", options);
  const auto mode = [&](Index3 p) {
    const double angle =
        std::numbers::pi * (static_cast<double>(p[index_of(N)]) + (OnFaces ? 0 : 0.5)) / n;
    return end.kind == BoundaryCondition::Kind::mirror ? std::cos(angle) : std::sin(angle);
  };
  u.fill(mode);
  next.fill(mode);
  Program program("program");
  program.columns(N, diffuse_along<N, OnFaces, double>(nu, sides, *grid.state()), site, in(u),
                  inout(next), param(Parameter<double>("length", 1)), scratch<double, 2>);
  test::run_once(program);
  const Index3 somewhere{3, 4, 5};
  const double wave = 2 / h * std::sin(std::numbers::pi / (2 * n));
  const double half = nu * wave * wave / 2;
  return next.get(somewhere) / mode(somewhere) / ((1 - half) / (1 + half));
}

TEST(ImplicitDiffusion, TakesTheMeanOfBothEndsOfAStep) {
  EXPECT_NEAR((decay_over_that_of_the_scheme<Axis::y, false>(wall_value(0))), 1, 1e-12);
  EXPECT_NEAR((decay_over_that_of_the_scheme<Axis::z, false>(mirror)), 1, 1e-12);
  EXPECT_NEAR((decay_over_that_of_the_scheme<Axis::z, true>(wall_value(0))), 1, 1e-12);
}

TEST(ImplicitDiffusion, RefusesSidesThatMirrorNothing) {
  EXPECT_EQ(reflection(gradient(1)), 1);
  EXPECT_EQ(reflection(constant(1)), 0);
  for (const BoundaryCondition& side :
       {BoundaryCondition(periodic), custom([](const GhostCell&) { return 0.0; })}) {
    EXPECT_THROW(reflection(side), Error);
  }
}

}  // namespace
}  // namespace goban::implicit_diffusion_test
