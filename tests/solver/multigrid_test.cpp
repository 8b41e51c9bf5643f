// What the multigrid computes: solutions, bits, and what it refuses.

#include "goban/solver/multigrid.hpp"

#include <gmock/gmock.h>

#include <numbers>

#include "goban/simulation/run/simulation.hpp"
#include "tests/error_text.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::multigrid_test {
namespace {

using std::numbers::pi;
using test::bits;
using test::error_of;
using test::mixed_sides;
using test::Poisson;
using test::Results;
using test::run_once;
using test::SettingsProduct;
using testing::HasSubstr;

/// Largest difference to a function, both less their mean.
template <class T, class F>
double error_against(const Field<T>& u, F exact) {
  const Grid grid(u.grid());
  const Index3 n = grid.cells();
  const std::vector<T> values = u.copy_out();
  const double mean = u.sum() / static_cast<double>(product(n));
  double largest = 0, mean_of_exact = 0;
  for (const bool measures : {false, true}) {
    std::size_t at = 0;
    for (Index k = 0; k < n[2]; ++k) {
      for (Index j = 0; j < n[1]; ++j) {
        for (Index i = 0; i < n[0]; ++i) {
          const double wanted = exact(u.grid()->position({i, j, k}, Location::cell));
          if (measures) {
            largest = std::max(largest, std::abs(values[at] - mean - wanted + mean_of_exact));
          } else {
            mean_of_exact += wanted / static_cast<double>(product(n));
          }
          ++at;
        }
      }
    }
  }
  return largest;
}

void solve(const Poisson<double>& p, double tolerance, const MultigridOptions& options = {}) {
  const Multigrid<double> multigrid = p.solver(options);
  Program program("program");
  multigrid.add_setup(program);
  multigrid.add_solve(program, tolerance, 40);
  run_once(program);
}

TEST(Multigrid, HasSecondOrder) {
  const auto wave = [](double x) { return std::cos(pi * x); };
  const auto exact = [&](Position p) { return wave(p.x) * wave(p.y) * wave(p.z); };
  const auto sine = [](double x) { return std::sin(pi * x); };
  const auto between_walls = [&](Position p) { return sine(p.x) * wave(2 * p.y) * wave(p.z); };
  double last[2] = {0, 0};
  for (const Index n : {16, 32, 64}) {
    const GridOptions grid{.cells = {n, n, n}, .spacing = 1.0 / static_cast<double>(n)};
    double errors[2];
    for (const bool has_walls : {false, true}) {
      GridOptions its = grid;
      its.boundary = has_walls ? BoundarySet{wall_value(0), periodic, mirror} : BoundarySet(mirror);
      Poisson<double> p(test::plain_schedule(), its);
      p.f.fill([&](Position x) {
        return has_walls ? -6 * pi * pi * between_walls(x) : -3 * pi * pi * exact(x);
      });
      solve(p, 1e-8);
      errors[has_walls] = has_walls ? error_against(p.u, between_walls) : error_against(p.u, exact);
      if (last[has_walls] > 0) {
        EXPECT_NEAR(last[has_walls] / errors[has_walls], 4, 0.2);
      }
      last[has_walls] = errors[has_walls];
    }
  }
}

/// u = 1 + x - 2 y^2 + z / 2 with c = 1 + x, and u = 1 + 2 x: what the scheme has no error for.
TEST(Multigrid, TakesGradientsAndValuesOfSides) {
  GridOptions grid{.cells = {16, 16, 16}, .spacing = 1.0 / 16};
  BoundarySet& sides = grid.boundary = {gradient(1), gradient(0), gradient(0.5)};
  sides.at(Axis::x, Side::low) = gradient(-1);
  sides.at(Axis::y, Side::high) = gradient(-4);
  sides.at(Axis::z, Side::low) = gradient(-0.5);
  Poisson<double> p(test::plain_schedule(), grid);
  p.conduct([](std::size_t, Position x) { return 1 + x.x; });
  p.f.fill([](Position x) { return 1 - 4 * (1 + x.x); });
  solve(p, 1e-9);
  const auto exact = [](Position x) { return 1 + x.x - 2 * x.y * x.y + x.z / 2; };
  EXPECT_LT(error_against(p.u, exact), 1e-9);
  EXPECT_NEAR(p.f.get({0, 0, 0}), 1 - 4 * (1 + 0.5 / 16), 1e-12) << "balanced already";

  sides = {wall_value(1), periodic, gradient(0)};
  sides.at(Axis::x, Side::high) = wall_value(3);
  Poisson<double> q(test::plain_schedule(), grid);
  q.f.fill(0);
  solve(q, 1e-9);
  EXPECT_NEAR(q.u.get({3, 5, 7}), 1 + 2 * 3.5 / 16, 1e-11);
}

Results results(const Settings& settings, const GridOptions& grid, bool has_solids,
                const MultigridOptions& options) {
  Poisson<double> p(settings, grid);
  if (has_solids) p.close_ball();
  const Multigrid<double> multigrid = p.solver(options);
  Program program("program");
  multigrid.add_setup(program);
  multigrid.add_balance(program);
  multigrid.add_cycle(program);
  multigrid.add_cycle(program);
  multigrid.add_residual(program);
  run_once(program);
  return {{"u", p.u.checksum()}, {"residual", bits(multigrid.residual().value())}};
}

void expect_same_bits(const GridOptions& grid, const std::array<std::string, 3>& cut,
                      bool has_solids, const MultigridOptions& options) {
  const auto run = [&](const Settings& settings) {
    return results(settings, grid, has_solids, options);
  };
  SettingsProduct product = test::whole_and_cut(cut);
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  test::expect_same_bits(run, product.all());
}

constexpr Index3 cells{24, 16, 20};
constexpr double h = 1.0 / 24;

TEST(MultigridBits, AreTheSameHoweverGridsAreCut) {
  expect_same_bits({.cells = cells, .spacing = h, .boundary = mixed_sides()}, {"13,11", "", "9,11"},
                   false, {.coarsest = 4});
}
TEST(MultigridBits, AreTheSameWithSolids) {
  expect_same_bits({.cells = cells, .spacing = h, .boundary = mirror}, {"", "8,8", "12,8"}, true,
                   {.cycle = MultigridCycle::f, .coarsest = 4});
}
TEST(MultigridBits, AreTheSameWithColors) {
  expect_same_bits({.cells = cells, .spacing = {h, 3 * h, h}, .boundary = periodic},
                   {"13,11", "9,7", ""}, false, {.smoother = Smoother::red_black, .coarsest = 4});
}
TEST(MultigridBits, AreTheSameWithCorrectionsInSinglePrecision) {
  expect_same_bits({.cells = cells, .spacing = h, .boundary = mixed_sides()}, {"13,11", "", "9,11"},
                   true, {.coarsest = 4, .single_precision = true});
}
TEST(MultigridBits, AreTheSameWithConjugateGradientsOnTheLastGrid) {
  expect_same_bits({.cells = cells, .spacing = h, .boundary = mirror}, {"13,11", "", "9,11"}, true,
                   {.bottom = MultigridBottom::conjugate_gradients, .coarsest = 4});
}
TEST(MultigridBits, AreTheSameWhereverCoarserGridsAre) {
  const GridOptions grid{.cells = cells, .spacing = h, .boundary = mixed_sides()};
  const Results expected = results(test::plainest(), grid, true, {.coarsest = 4});
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.cuts = {"12,12", "8,8", ""};
  using Patches = std::vector<Index3>;
  for (const Patches& patches : {Patches{}, Patches{{1, 1, 1}}, Patches{{0, 0, 0}, {1, 1, 1}},
                                 Patches{{1, 2, 1}, {1, 1, 2}}}) {
    EXPECT_EQ(results(settings, grid, true, {.coarsest = 4, .patches = patches}), expected)
        << patches.size();
  }
}

TEST(MultigridBits, AreTheSameHoweverManyCellsAreGathered) {
  const GridOptions grid{.cells = cells, .spacing = h, .boundary = mixed_sides()};
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.cuts = {"12,12", "8,8", ""};
  for (const bool is_single : {false, true}) {
    MultigridOptions options{.coarsest = 4, .single_precision = is_single};
    const Results expected = results(test::plainest(), grid, true, options);
    for (const Index most : {0, 200, 100000}) {
      options.gathered_cells = most;
      EXPECT_EQ(results(settings, grid, true, options), expected) << most;
    }
  }
}

TEST(Multigrid, TellsWhichGridsAreGathered) {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.cuts = {"16,16", "", ""};
  const auto text = [&](const Settings& its, const MultigridOptions& options) {
    return Poisson<double>(its, {.cells = {32, 32, 32}}).solver(options).describe();
  };
  EXPECT_THAT(text(settings, {.coarsest = 4, .gathered_cells = 1000}),
              HasSubstr(", from 8 x 8 x 8 cells on one device"));
  EXPECT_THAT(text(settings, {.coarsest = 8, .gathered_cells = 0}),
              HasSubstr(", none on one device"));
  EXPECT_THAT(text(settings, {}), HasSubstr(" cells on one device ("));
  EXPECT_THAT(text(settings, {}), HasSubstr(" predicted for it and coarser ones, "));
  EXPECT_THAT(text(test::plain_schedule(), {}), Not(HasSubstr("device")));
}

TEST(Multigrid, RunsDescribeWhereItsGridsLie) {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.cuts = {"16,16", "", ""};
  Poisson<double> p(settings, {.cells = {32, 32, 32}});
  Program step("step");
  p.solver({.coarsest = 4, .gathered_cells = 1000}).add_cycle(step);
  Simulation simulation(p.grid, step, {.steps = 1});
  const std::string text = simulation.describe();
  EXPECT_THAT(text, HasSubstr("coarser grid of 16 x 16 x 16 cells in 2 x 1 x 1 patches\n"));
  EXPECT_THAT(text, HasSubstr("coarser grid of 8 x 8 x 8 cells on one device\n"));
}

TEST(Multigrid, TellsItsLevels) {
  Poisson<double> p(test::plain_schedule(), {.cells = {48, 20, 8}, .spacing = {1, 1, 4}});
  const Multigrid<double> multigrid = p.solver();
  EXPECT_EQ(multigrid.levels(), (std::vector<Index3>{{48, 20, 8}, {24, 10, 8}, {12, 5, 8}}));
  EXPECT_THAT(multigrid.describe(), HasSubstr("12 x 5 x 8 cells, "));
  Poisson<double> q(test::plain_schedule(), {.cells = {48, 20, 8}, .spacing = {1, 1, 4}});
  EXPECT_EQ(q.solver({.coarsest = 6}).levels().back(), (Index3{6, 5, 4}));
}

TEST(Multigrid, BalancesWhatHasNoSolution) {
  const GridOptions grid{.cells = {16, 16, 16}, .spacing = 1.0 / 16, .boundary = mirror};
  for (const bool has_solids : {false, true}) {
    Poisson<double> p(test::plain_schedule(), grid);
    if (has_solids) p.close_ball();
    p.f.fill([&](Position x) {
      return has_solids && test::is_in_ball({x.x, x.y, x.z}) ? 0 : std::cos(3 * x.x) + 7;
    });
    solve(p, 1e-8);
    EXPECT_LT(std::abs(p.f.sum()), 1e-9);
    Poisson<double> q(test::plain_schedule(), grid);
    q.f.fill(1);
    EXPECT_THAT(
        error_of([&] { solve(q, 1e-8, {.most_imbalance = 1e-3}); }),
        HasSubstr("there is no solution for the right-hand side 'f' (no side holds a value"));
  }
}

TEST(Multigrid, SinglePrecisionGoesAsFarAsItsDigits) {
  Poisson<float> p(test::plain_schedule(),
                   {.cells = {32, 32, 32}, .spacing = 1, .boundary = mixed_sides()});
  const Multigrid<float> multigrid = p.solver();
  Program program("program");
  multigrid.add_solve(program, 1e-4, 20);
  run_once(program);
  EXPECT_LT(multigrid.residual().value(), 1e-4);
}

/// However the last grid is solved.
TEST(Multigrid, FindsTheSameInEveryWay) {
  for (const BoundarySet& sides :
       {mixed_sides(), BoundarySet(mirror), BoundarySet(gradient(0.5))}) {
    const GridOptions grid{.cells = {32, 32, 32}, .spacing = 1.0 / 32, .boundary = sides};
    Poisson<double> p(test::plain_schedule(), grid);
    solve(p, 1e-9);
    const std::vector<double> wanted = p.u.copy_out();
    for (const bool starts_anew : {false, true}) {
      for (const bool is_single : {false, true}) {
        Poisson<double> q(test::plain_schedule(), grid);
        Multigrid<double> multigrid = q.solver(
            {.bottom = MultigridBottom::conjugate_gradients, .single_precision = is_single});
        Program program("program");
        multigrid.add_setup(program);
        if (starts_anew) multigrid.add_full_multigrid(program);
        multigrid.add_solve(program, 1e-9, starts_anew ? 11 : 15);
        run_once(program);
        EXPECT_LT(
            error_against(q.u, [&, at = std::size_t{0}](
                                   Position) mutable { return wanted[at++ % wanted.size()]; }),
            1e-9);
      }
    }
  }
}

/// What is left after corrections in single precision is found in double precision.
TEST(Multigrid, CorrectionsInSinglePrecisionLoseNoDigits) {
  for (const bool has_solids : {false, true}) {
    const GridOptions grid{.cells = {32, 32, 32}, .spacing = 1.0 / 32, .boundary = mixed_sides()};
    Poisson<double> p(test::plain_schedule(), grid), q(test::plain_schedule(), grid);
    for (Poisson<double>* each : {&p, &q}) {
      if (has_solids) each->close_ball();
    }
    solve(p, 1e-9);
    solve(q, 1e-9, {.single_precision = true});
    const std::vector<double> wanted = p.u.copy_out(), values = q.u.copy_out();
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(values[i], wanted[i], 1e-9);
    EXPECT_NE(values, wanted) << "both were computed alike";
  }
}

TEST(Multigrid, RefusesInOneLine) {
  const GridOptions options{.cells = {16, 16, 16}, .boundary = mirror};
  Poisson<double> p(test::plain_schedule(), options);
  Grid other(p.runtime, options);
  Field<double> f(other, "other f"), face(p.grid, "face", {.location = Location::face_x});
  Field<double> u(p.grid, "own");
  u.boundary(Axis::y, Side::high, custom([](const GhostCell&) { return 1.0; }));
  const auto refused = [&](const auto& make) { return error_of(make); };
  EXPECT_THAT(refused([&] { Multigrid<double>(p.u, f); }),
              HasSubstr("multigrid refuses field 'other f' (it lives on another grid than 'u')"));
  EXPECT_THAT(refused([&] { Multigrid<double>(p.u, face); }), HasSubstr("it must live at cells"));
  EXPECT_THAT(refused([&] { Multigrid<double>(p.u, p.f, face, face, face); }),
              HasSubstr("it must live on faces along y"));
  EXPECT_THAT(refused([&] {
                Poisson<double> q(test::plain_schedule(), options);
                q.conduct([](std::size_t, Position) { return 1.0; });
                q.c[1].boundary(wall_value(0));
                q.solver();
              }),
              HasSubstr("multigrid refuses field 'cy' (its boundary conditions would set faces"));
  EXPECT_THAT(refused([&] { Multigrid<double>(u, p.f); }),
              HasSubstr("multigrid refuses the boundary condition of 'own' along y"));
  EXPECT_THAT(refused([&] { p.solver({.sweeps_before = 0, .sweeps_after = 0}); }),
              HasSubstr("a cycle needs a sweep"));
  EXPECT_THAT(refused([&] { p.solver({.weight = 2}); }), HasSubstr("between 0 and 2"));
  EXPECT_THAT(
      refused([&] {  // three cells that are long, beside which none can be halved
        Poisson<double>(test::plain_schedule(),
                        {.cells = {3, 99, 1}, .spacing = {1000, 1, 1}, .boundary = mirror})
            .solver();
      }),
      HasSubstr("multigrid cannot solve on 3 x 99 x 1 cells (the coarsest grid has 3 x 99 "));
  EXPECT_THAT(refused([&] {
                Poisson<float>(test::plain_schedule(), options).solver({.single_precision = true});
              }),
              HasSubstr("what is solved is single precision already"));
  EXPECT_THAT(refused([&] {
                Poisson<double> q(test::plain_schedule(), options);
                Program program("program");
                q.solver().add_solve(program, 1e-30, 3);
                run_once(program);
              }),
              HasSubstr("'multigrid of u' did not converge (after 3 steps u residual is"));
}

}  // namespace
}  // namespace goban::multigrid_test
