// What the direct solver computes: solutions, bits, and what it refuses.

#include "goban/solver/fourier.hpp"

#include <gmock/gmock.h>

#include <numbers>

#include "goban/solver/poisson_stencils.hpp"
#include "tests/error_text.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::fourier_test {
namespace {

using std::numbers::pi;
using test::error_of;
using test::mixed_sides;
using test::Poisson;
using test::Results;
using test::run_once;
using test::SettingsProduct;
using testing::HasSubstr;

/// Largest |f - div grad u| of the solution, f less the mean that nothing has.
double residual_of(const GridOptions& grid) {
  Poisson<double> p(test::plain_schedule(), grid);
  const Multigrid<double> multigrid = p.solver();
  Program program("program");
  multigrid.add_balance(program);
  Fourier<double>(p.u, p.f).add_solve(program);
  multigrid.add_residual(program);
  run_once(program);
  return multigrid.residual().value();
}

TEST(Fourier, SolvesTheEquationsOfTheMultigridBetweenSidesOfAnyKind) {
  using Sides = std::array<BoundaryCondition, 2>;
  const Sides kinds[] = {{periodic, periodic},
                         {mirror, gradient(0.5)},
                         {wall_value(1), wall_value(-2)},
                         {gradient(-1), wall_value(3)},
                         {wall_value(0.5), mirror}};
  for (const Sides& x : kinds) {
    for (const Sides& y : kinds) {
      for (const Sides& z : kinds) {
        GridOptions grid{.cells = {6, 5, 7}, .spacing = {0.5, 1, 0.25}};
        grid.boundary.sides = {x, y, z};
        EXPECT_LT(residual_of(grid), 1e-12)
            << static_cast<int>(x[0].kind) << static_cast<int>(x[1].kind) << " "
            << static_cast<int>(y[0].kind) << static_cast<int>(y[1].kind) << " "
            << static_cast<int>(z[0].kind) << static_cast<int>(z[1].kind);
      }
    }
  }
}

TEST(Fourier, TakesAnyNumbersOfCells) {
  for (const Index3& cells : {Index3{61, 33, 12}, {37, 1, 41}, {64, 48, 1}, {1, 1, 9}, {7, 1, 1}}) {
    EXPECT_LT(residual_of({.cells = cells, .spacing = 1, .boundary = mirror}), 1e-12) << cells[0];
    EXPECT_LT(residual_of({.cells = cells, .spacing = 1}), 1e-12) << cells[0];
  }
}

/// cos(pi x) cos(2 pi y) cos(3 pi z), what its differences make of it, and 2 n more of the mean.
TEST(Fourier, FindsCosines) {
  const Index n = 24;
  const double h = 1.0 / static_cast<double>(n);
  Poisson<double> p(test::plain_schedule(), {.cells = {n, n, n}, .spacing = h, .boundary = mirror});
  const auto exact = [](Position x) {
    return std::cos(pi * x.x) * std::cos(2 * pi * x.y) * std::cos(3 * pi * x.z);
  };
  double eigenvalue = 0;
  for (const int waves : {1, 2, 3}) {
    eigenvalue -= std::pow(2 / h * std::sin(pi * waves * h / 2), 2);
  }
  p.f.fill([&](Position x) { return eigenvalue * exact(x) + 5; });
  Program program("program");
  Fourier<double>(p.u, p.f).add_solve(program);
  run_once(program);
  const Field<double> u = p.u;
  for (const Index3& at : {Index3{0, 0, 0}, {5, 17, 11}, {23, 23, 23}}) {
    EXPECT_NEAR(u.get(at), exact(u.grid()->position(at, Location::cell)), 1e-13);
  }
  EXPECT_NEAR(p.f.get({0, 0, 0}), eigenvalue * exact(u.grid()->position({}, Location::cell)) + 5,
              1e-12)
      << "f is left alone";
}

TEST(Fourier, SolvesInSinglePrecisionToo) {
  Poisson<float> p(test::plain_schedule(), {.cells = {12, 10, 14}, .boundary = mixed_sides()});
  const Multigrid<float> multigrid = p.solver();
  Program program("program");
  Fourier<float>(p.u, p.f).add_solve(program);
  multigrid.add_residual(program);
  run_once(program);
  EXPECT_LT(multigrid.residual().value(), 1e-5);
}

/// In a loop, of a name that stands for another field from round to round.
Results results(const Settings& settings, const GridOptions& grid) {
  Poisson<double> p(settings, grid);
  Field<double> other(p.u, "other");
  other.fill(0);
  Program round("round"), program("program");
  Fourier<double>(p.u, p.f, {.transforms = FourierTransforms::host}).add_solve(round);
  round.apply(multigrid::AddTo{}, in(p.u), inout(p.f));
  round.swap(p.u, other);
  program.repeat(3, round);
  run_once(program);
  return {{"u", p.u.checksum()}, {"other", other.checksum()}, {"f", p.f.checksum()}};
}

void expect_same_bits(const GridOptions& grid, const std::array<std::string, 3>& cut) {
  SettingsProduct product = test::whole_and_cut(cut);
  product.threads = {1, 3};
  product.overlaps = {Overlap::none, Overlap::one_kernel};
  test::expect_same_bits([&](const Settings& settings) { return results(settings, grid); },
                         product.all());
}

TEST(FourierBits, AreTheSameHoweverGridsAreCut) {
  expect_same_bits({.cells = {24, 17, 20}, .spacing = 0.1, .boundary = mixed_sides()},
                   {"13,11", "", "9,11"});
  expect_same_bits({.cells = {23, 16, 20}, .spacing = 0.1, .boundary = mirror},
                   {"", "8,8", "12,8"});
}

TEST(Fourier, RefusesInOneLine) {
  const GridOptions options{.cells = {16, 16, 16}, .boundary = mirror};
  Poisson<double> p(test::plain_schedule(), options);
  Grid other(p.runtime, options);
  Field<double> f(other, "other f"), u(p.grid, "own");
  EXPECT_THAT(error_of([&] { Fourier<double>(p.u, f); }),
              HasSubstr("a Fourier solver refuses field 'other f' (both fields must live at the"));
  u.boundary(Axis::y, Side::high, constant(1));
  EXPECT_THAT(error_of([&] { Fourier<double>(u, p.f); }),
              HasSubstr("a Fourier solver refuses a boundary condition (no waves fulfil it"));
  u.boundary(Axis::y, Side::high, wall_value([](double time) { return time; }));
  EXPECT_THAT(error_of([&] { Fourier<double>(u, p.f); }), HasSubstr("(it varies)"));
  p.f.fill(1);
  EXPECT_THAT(error_of([&] {
                Program program("program");
                Fourier<double>(p.u, p.f, {.most_imbalance = 1e-3}).add_solve(program);
                run_once(program);
              }),
              HasSubstr("there is no solution for the right-hand side 'f' (no side holds a value"));
}

}  // namespace
}  // namespace goban::fourier_test
