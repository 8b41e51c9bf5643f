// By what factor a cycle of the multigrid multiplies the residual.

#include <gtest/gtest.h>

#include "tests/solver/poisson.hpp"

namespace goban::convergence_test {
namespace {

using test::mixed_sides;
using test::Poisson;

constexpr double most = 0.15;

double factor(const GridOptions& grid, const MultigridOptions& options = {}) {
  return Poisson<double>(test::plain_schedule(), grid).factor(options);
}

TEST(MultigridFactor, IsTheSameAtEverySize) {
  for (const BoundarySet& sides :
       {BoundarySet(mirror), BoundarySet(wall_value(0)), BoundarySet(periodic), mixed_sides()}) {
    for (const Index n : {16, 32, 64}) {
      EXPECT_LT(factor({.cells = {n, n, n}, .spacing = 0.1, .boundary = sides}), most) << n;
    }
  }
}

/// They hold half a cell beyond the side, which is another place on every grid.
TEST(MultigridFactor, IsWorseForConstantGhosts) {
  for (const Index n : {16, 32, 64}) {
    EXPECT_LT(factor({.cells = {n, n, n}, .boundary = constant(1)}), 0.3) << n;
  }
}

TEST(MultigridFactor, HoldsOnFlatGridsAndThinOnes) {
  EXPECT_LT(factor({.cells = {128, 128, 1}, .boundary = {mirror, wall_value(0), periodic}}), most);
  EXPECT_LT(factor({.cells = {1, 64, 128}, .boundary = {periodic, mirror, mirror}}), most);
  EXPECT_LT(factor({.cells = {1, 256, 1}, .boundary = {mirror, wall_value(0), periodic}}), most);
  EXPECT_LT(factor({.cells = {256, 16, 16}, .boundary = mirror}), most);
  EXPECT_LT(factor({.cells = {16, 128, 4}, .boundary = mixed_sides()}), most);
  EXPECT_LT(factor({.cells = {16, 1, 128}, .boundary = wall_value(0)}), most);
}

TEST(MultigridFactor, HoldsWhereCellsCannotBeHalvedFar) {
  EXPECT_LT(factor({.cells = {48, 20, 36}, .boundary = mirror}), most);
  EXPECT_LT(factor({.cells = {50, 50, 50}, .boundary = wall_value(0)}), most);
  EXPECT_LT(factor({.cells = {27, 27, 27}, .boundary = periodic}), most);
}

TEST(MultigridFactor, HoldsForLongCells) {
  for (const double ratio : {2.0, 4.0, 16.0}) {
    for (const BoundarySet& sides : {BoundarySet(mirror), mixed_sides()}) {
      for (const Spacing& h :
           {Spacing(1, ratio, 1), Spacing(1, ratio, ratio), Spacing(1, 2, ratio)}) {
        EXPECT_LT(factor({.cells = {32, 32, 32}, .spacing = h, .boundary = sides}), most)
            << ratio << " " << h.value[1] << " " << h.value[2];
      }
    }
  }
}

TEST(MultigridFactor, OfOtherSmoothersAndCycles) {
  const GridOptions grid{.cells = {32, 32, 32}, .boundary = mirror};
  EXPECT_LT(factor(grid, {.smoother = Smoother::jacobi}), 0.2);
  EXPECT_LT(factor(grid, {.sweeps_before = 2, .sweeps_after = 2, .smoother = Smoother::red_black}),
            most);
  EXPECT_LT(factor(grid, {.cycle = MultigridCycle::f}), most);
  EXPECT_LT(factor(grid, {.sweeps_before = 0, .sweeps_after = 4}), 0.3);
  EXPECT_LT(factor(grid, {.sweeps_before = 4, .sweeps_after = 4}), 0.1);
}

TEST(MultigridFactor, HoldsForConductancesThatVary) {
  for (const Index n : {16, 32, 64}) {
    Poisson<double> p(
        test::plain_schedule(),
        {.cells = {n, n, n}, .spacing = 1.0 / static_cast<double>(n), .boundary = mixed_sides()});
    p.conduct([](std::size_t, Position x) {
      return 1 + 0.9 * std::sin(7 * x.x) * std::cos(5 * x.y + x.z);
    });
    EXPECT_LT(p.factor(), 0.17) << n;
  }
}

TEST(MultigridFactor, IsTheSameWithCorrectionsInSinglePrecision) {
  for (const auto& options :
       {MultigridOptions{.single_precision = true}, MultigridOptions{.sweeps_before = 2,
                                                    .sweeps_after = 2,
                                                    .smoother = Smoother::red_black,
                                                    .single_precision = true}}) {
    EXPECT_LT(factor({.cells = {32, 32, 32}, .spacing = 0.1, .boundary = mixed_sides()}, options),
              most);
    EXPECT_LT(factor({.cells = {32, 32, 32}, .boundary = mirror}, options), most);
  }
}

TEST(MultigridFactor, HoldsAroundSolids) {
  for (const Index n : {16, 32, 64}) {
    for (const BoundarySet& sides : {mixed_sides(), BoundarySet(mirror), BoundarySet(periodic)}) {
      Poisson<double> p(
          test::plain_schedule(),
          {.cells = {n, n, n}, .spacing = 1.0 / static_cast<double>(n), .boundary = sides});
      p.close_ball();
      EXPECT_LT(p.factor(), 0.2) << n;
    }
  }
}

}  // namespace
}  // namespace goban::convergence_test
