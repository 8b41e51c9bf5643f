// Full multigrid: one way through all grids leaves the error of the scheme.

#include <gtest/gtest.h>

#include <numbers>

#include "tests/solver/poisson.hpp"

namespace goban::full_multigrid_test {
namespace {

using std::numbers::pi;
using test::largest_difference;
using test::Poisson;

/// u = 2 + cos(pi x) sin(pi y) cos(2 pi z), between walls that hold 2.
double solution_at(Position x) {
  return 2 + std::cos(pi * x.x) * std::sin(pi * x.y) * std::cos(2 * pi * x.z);
}
struct BetweenWalls : Poisson<double> {
  explicit BetweenWalls(Index n)
      : Poisson(test::plain_schedule(), {.cells = {n, n, n},
                                         .spacing = 1.0 / static_cast<double>(n),
                                         .boundary = {mirror, wall_value(2), periodic}}) {
    f.fill([](Position x) { return -6 * pi * pi * (solution_at(x) - 2); });
  }
};
/// What full multigrid makes of anything.
std::vector<double> start(Poisson<double>& p, Multigrid<double>& multigrid, int cycles) {
  p.u.fill(99);
  Program program("start");
  multigrid.add_full_multigrid(program, cycles);
  test::run_once(program);
  return p.u.copy_out();
}

TEST(FullMultigrid, LeavesLittleBesideTheErrorOfTheScheme) {
  for (const Index n : {32, 64}) {
    BetweenWalls p(n), q(n);
    p.u.fill(solution_at);
    const std::vector<double> wanted = p.u.copy_out();
    Multigrid<double> multigrid = p.solver(), in_single = q.solver({.single_precision = true});
    const auto by_one = start(p, multigrid, 1), by_two = start(p, multigrid, 2),
               by_two_in_single = start(q, in_single, 2);
    Program rest("rest");
    multigrid.add_solve(rest, 1e-8, 20);
    test::run_once(rest);
    const std::vector<double> solution = p.u.copy_out();
    const double error = largest_difference(solution, wanted);
    EXPECT_LT(largest_difference(by_one, solution), 0.15 * error) << n;
    EXPECT_LT(largest_difference(by_two, solution), 0.01 * error) << n;
    EXPECT_LT(largest_difference(by_two_in_single, solution), 0.01 * error) << n;
  }
}

TEST(FullMultigrid, TakesTheSmootherThatIsAskedFor) {
  for (const MultigridOptions& options :
       {MultigridOptions{.smoother = Smoother::red_black},
        MultigridOptions{.smoother = Smoother::red_black, .most_levels = 1},
        MultigridOptions{.smoother = Smoother::jacobi}}) {
    BetweenWalls p(32);
    p.u.fill(solution_at);
    const std::vector<double> wanted = p.u.copy_out();
    Multigrid<double> multigrid = p.solver(options);
    EXPECT_LT(largest_difference(start(p, multigrid, 2), wanted), 0.1);
  }
}

TEST(FullMultigrid, HasTheSameBitsHoweverGridsAreCut) {
  for (const bool has_solid : {false, true}) {
    const auto run = [&](const Settings& settings) {
      Poisson<double> p(
          settings, {.cells = {24, 16, 20}, .spacing = 1.0 / 24, .boundary = test::mixed_sides()});
      if (has_solid) p.close_ball();
      Multigrid<double> multigrid = p.solver({.coarsest = 4});
      Program program("program");
      multigrid.add_setup(program);
      multigrid.add_full_multigrid(program);
      test::run_once(program);
      return test::Results{{"u", p.u.checksum()}};
    };
    test::expect_same_bits(run, test::whole_and_cut().all());
  }
}

}  // namespace
}  // namespace goban::full_multigrid_test
