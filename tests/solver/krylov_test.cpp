// Krylov methods over functors of the user's.

#include "goban/solver/krylov.hpp"

#include <gmock/gmock.h>

#include "goban/performance/model/step_prediction.hpp"
#include "goban/stencil/operators.hpp"
#include "tests/error_text.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::krylov_test {
namespace {

using test::mixed_sides;
using test::Poisson;
using test::run_once;

/// div(c grad u), with c / h^2 or c = 1.
struct Inflow {
  double per_h2 = 1;
  GOBAN_FUNCTION auto operator()(auto u) const { return per_h2 * laplacian<2>(u); }
  GOBAN_FUNCTION auto operator()(auto u, auto x, auto y, auto z) const {
    const auto here = u();
    return per_h2 * ((x(1, 0, 0) * (u(1, 0, 0) - here) - x() * (here - u(-1, 0, 0))) +
                     (y(0, 1, 0) * (u(0, 1, 0) - here) - y() * (here - u(0, -1, 0))) +
                     (z(0, 0, 1) * (u(0, 0, 1) - here) - z() * (here - u(0, 0, -1))));
  }
};
/// Carried along x and y, upwind, and spreading.
struct CarryAndSpread {
  GOBAN_FUNCTION auto operator()(auto u) const {
    return 0.25 * (u() - u(-1, 0, 0)) + 0.125 * (u() - u(0, -1, 0)) - laplacian<2>(u);
  }
};
struct LargestResidual {
  CarryAndSpread a;
  GOBAN_FUNCTION auto operator()(auto u, auto f) const { return abs(f() - a(u)); }
};

const GridOptions cube{.cells = {32, 32, 32}, .spacing = 1.0 / 32};

GridOptions with(GridOptions grid, const BoundarySet& sides) {
  grid.boundary = sides;
  return grid;
}

TEST(ConjugateGradients, FindWhatMultigridFinds) {
  Poisson<double> p(test::plain_schedule(), with(cube, mixed_sides()));
  p.close_ball();
  Field<double> v(p.grid, "v"), r(p.grid, "r"), inverse(p.grid, "inverse");
  inverse.fill(1);
  v.fill(0);
  r.copy_in(p.f.copy_out());
  const Multigrid<double> multigrid = p.solver();
  const ConjugateGradients cg(v, r, inverse, Inflow{32.0 * 32}, p.c[0], p.c[1], p.c[2]);
  Program program("program");
  multigrid.add_setup(program);
  multigrid.add_solve(program, 1e-9, 40);
  cg.add_solve(program, 1e-12, 500);
  run_once(program);
  EXPECT_LT(test::largest_difference(p.u.copy_out(), v.copy_out()), 1e-8);
  EXPECT_LT(cg.residual().value(), 1e-12);
}

TEST(ConjugateGradients, ComponentsAreProblemsSideBySide) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, with(cube, {wall_value(0), mirror, periodic}));
  Field<double> u(grid, "u"), r(grid, "r"), inverse(grid, "inverse");
  Field<double, 3> several(grid, "several"), their(grid, "their r");
  inverse.fill(0.5);
  const auto value = [](Index3 p, int c) { return test::pattern(p) - 0.5 * c; };
  several.fill(0);
  their.fill(value);
  ConjugateGradients all(several, their, inverse, Inflow{});
  Program start("start"), iteration("iteration");
  all.add_start(start);
  all.add_iteration(iteration);
  run_once(start);
  StepClock clock;
  Engine(iteration).run(6, clock);
  ConjugateGradients one(u, r, inverse, Inflow{});
  double largest = 0;
  for (int c = 0; c < 3; ++c) {
    u.fill(0);
    r.fill([&](Index3 p) { return value(p, c); });
    Program start_of_one("start"), iteration_of_one("iteration");
    one.add_start(start_of_one);
    one.add_iteration(iteration_of_one);
    run_once(start_of_one);
    Engine(iteration_of_one).run(6, clock);
    largest = std::max(largest, one.residual().value());
    const auto found = several.copy_out();
    const auto size = static_cast<std::ptrdiff_t>(found.size() / 3);
    EXPECT_EQ(u.copy_out(),
              std::vector<double>(found.begin() + c * size, found.begin() + (c + 1) * size));
  }
  EXPECT_EQ(all.residual().value(), largest);
}

/// Sums go with the sweeps that make what they are of.
TEST(ConjugateGradients, SweepThreeTimesAnIteration) {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  const auto described = [&]<int C>(std::integral_constant<int, C>) {
    Runtime runtime(settings);
    Grid grid(runtime, with(cube, mixed_sides()));
    Field<double, C> u(grid, "u"), r(grid, "r");
    Field<double> inverse(grid, "inverse"), x(grid, "x"), y(grid, "y"), z(grid, "z");
    const ConjugateGradients cg(u, r, inverse, Inflow{}, x, y, z);
    Program iteration("iteration");
    cg.add_iteration(iteration);
    Engine engine(iteration);
    // p and the coefficients; these, u and r, both twice, and the diagonal; r, it and p twice.
    EXPECT_DOUBLE_EQ(engine.work_per_update().bytes, 8 * ((C + 3) + (5 * C + 3 + 1) + (3 * C + 1)));
    return engine.describe();
  };
  using ::testing::HasSubstr;
  const std::string one = described(std::integral_constant<int, 1>());
  EXPECT_THAT(one, HasSubstr("one launch: Advance<Inflow, 1> + WeightedSquare<0>\n"));
  const std::string three = described(std::integral_constant<int, 3>());
  EXPECT_THAT(three, HasSubstr("Inflow, 3> + WeightedSquare<0> + WeightedSquare<1> + "
                               "WeightedSquare<2>\n"));
  EXPECT_THAT(three, HasSubstr("Inflow, 0> + Curvature<Inflow, 1> + Curvature<Inflow, 2>\n"));
}

/// A ball that conducts a thousand times as well as what is around it.
TEST(FlexibleConjugateGradients, NeedFewCyclesOfMultigrid) {
  for (const double contrast : {1.0, 1000.0}) {
    for (const bool in_single : {false, true}) {
      Poisson<double> p(test::plain_schedule(), with(cube, homogeneous(mixed_sides())));
      p.conduct([=](std::size_t, Position x) {
        return test::is_in_ball({x.x, x.y, x.z}) ? contrast : 1.0;
      });
      Field<double> u(p.grid, "solution");
      u.fill(0);
      const Multigrid<double> multigrid = p.solver({.single_precision = in_single});
      const FlexibleConjugateGradients cg(u, multigrid.preconditioner(), Inflow{32.0 * 32}, p.c[0],
                                          p.c[1], p.c[2]);
      Program program("program");
      multigrid.add_setup(program);
      cg.add_solve(program, 1e-10, contrast > 1 ? 30 : 9);
      run_once(program);
      EXPECT_LT(cg.residual().value(), 1e-10) << in_single;
    }
  }
}

/// A ball that conducts a million times as well as what is around it, and reaches no side.
TEST(FlexibleConjugateGradients, NeedFewCyclesWhereTheLastGridIsSolved) {
  for (const BoundarySet& sides : {homogeneous(mixed_sides()), BoundarySet(mirror)}) {
    for (const bool in_single : {false, true}) {
      Poisson<double> p(test::plain_schedule(), with(cube, sides));
      p.conduct([](std::size_t, Position x) {
        return test::is_in_ball({x.x, x.y, x.z}) ? 1e6 : 1.0;
      });
      Field<double> u(p.grid, "solution");
      u.fill(0);
      const Multigrid<double> multigrid =
          p.solver({.bottom = MultigridBottom::conjugate_gradients, .single_precision = in_single});
      const FlexibleConjugateGradients cg(u, multigrid.preconditioner(), Inflow{32.0 * 32}, p.c[0],
                                          p.c[1], p.c[2]);
      Program program("program");
      multigrid.add_setup(program);
      multigrid.add_balance(program);
      cg.add_solve(program, 1e-8, 16);
      run_once(program);
      EXPECT_LT(cg.residual().value(), 1e-8) << in_single;
    }
  }
}

test::Results carried(const Settings& settings, bool is_preconditioned) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {24, 16, 20}, .boundary = {wall_value(1), mirror, periodic}});
  Field<double> u(grid, "u"), r(grid, "r"), f(grid, "f");
  Field<double> z(grid, "z"), rest(grid, "rest");
  u.fill(0);
  f.fill(test::pattern);
  r.fill(test::pattern);
  z.boundary(homogeneous(u.record()->boundary.front()));
  const Multigrid<double> multigrid(z, rest);
  BiCgStab method(u, r, CarryAndSpread{});
  if (is_preconditioned) method.precondition(multigrid.preconditioner());
  Parameter<double> largest("largest");
  Program program("program");
  method.add_solve(program, 1e-10, is_preconditioned ? 25 : 100);
  program.reduce(LargestResidual{}, in(u), in(f), maximum, into(largest));
  run_once(program);
  EXPECT_LT(largest.value(), 1e-8);
  return {{"u", u.checksum()}, {"largest", test::bits(largest.value())}};
}

TEST(BiCgStab, SolvesWhatIsNotSymmetric) {
  carried(test::plain_schedule(), false);
  carried(test::plain_schedule(), true);
}

TEST(BiCgStab, HasTheSameBitsHoweverGridsAreCut) {
  test::expect_same_bits([](const Settings& settings) { return carried(settings, true); },
                         test::whole_and_cut().all());
}

/// The second solution is that of another right-hand side, the third has one of zeros.
TEST(Krylov, MethodsSolveAgain) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, with(cube, wall_value(0)));
  std::vector<Field<double>> u, r;
  for (const char* name : {"a", "b", "c"}) {
    u.emplace_back(grid, name);
    r.emplace_back(grid, std::string("r of ") + name);
  }
  Field<double> inverse(grid, "inverse"), correction(grid, "correction");
  inverse.fill(1);
  const auto solve = [&](std::size_t n, const auto& method) {
    Program program("program");
    method.add_solve(program, 1e-9, 500);
    Engine engine(program);
    StepClock clock;
    for (const double scale : {1.0, 3.0, 0.0}) {
      u[n].fill(0);
      r[n].fill([&](Index3 at) { return scale * (test::pattern(at) - 0.5); });
      engine.run(1, clock);
      EXPECT_LT(method.residual().value(), 1e-9);
      EXPECT_LE(std::max(r[n].maximum(), -r[n].minimum()), 1e-6 * scale) << n;
    }
  };
  solve(0, ConjugateGradients(u[0], r[0], inverse, Inflow{}));
  const Multigrid<double> multigrid(correction, r[1], {.conductances_hold_h2 = true});
  solve(1, FlexibleConjugateGradients(u[1], multigrid.preconditioner(), Inflow{}));
  solve(2, BiCgStab(u[2], r[2], CarryAndSpread{}));
}

TEST(Krylov, RefusesInOneLine) {
  Poisson<double> p(test::plain_schedule(), with(cube, wall_value(0)));
  EXPECT_THAT(test::error_of([&] { ConjugateGradients(p.u, p.u, p.f, Inflow{}); }),
              testing::HasSubstr("it must be another field than 'u', on the same grid"));
  Field<double> inverse(p.grid, "inverse");
  inverse.fill(1);
  const ConjugateGradients cg(p.u, p.f, inverse, Inflow{});
  Program program("program");
  cg.add_solve(program, 1e-10, 3);
  EXPECT_THAT(test::error_of([&] { run_once(program); }),
              testing::HasSubstr("'conjugate gradients of u' did not converge (after 3 steps"));
}

}  // namespace
}  // namespace goban::krylov_test
