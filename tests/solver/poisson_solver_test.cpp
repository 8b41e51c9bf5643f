// What a case says of the solver, and what it finds.

#include "goban/solver/poisson_solver.hpp"

#include <gtest/gtest.h>

#include "tests/solver/poisson.hpp"

namespace goban::poisson_solver_test {
namespace {

using Solver = PoissonMethod::Solver;

std::vector<double> solution(const PoissonMethod& method, bool has_solids, double scale = 1) {
  test::Poisson<double> p(
      test::plain_schedule(),
      {.cells = {16, 20, 24}, .spacing = 1.0 / 16, .boundary = test::mixed_sides()});
  if (has_solids) p.close_ball();
  const auto solver = make_poisson_solver(method, p.u, p.f, p.c);
  Program program("program");
  solver->add_setup(program);
  solver->add_solve(program, Parameter<double>("scale", scale));
  test::run_once(program);
  return p.u.copy_out();
}

TEST(PoissonSolver, FindsTheSameByEveryMethod) {
  const auto wanted = solution({.solver = Solver::fourier}, false);
  constexpr double tolerance = 1e-9;
  for (const PoissonMethod& method :
       {PoissonMethod{.tolerance = tolerance},
        PoissonMethod{.in_single = true, .tolerance = tolerance}, PoissonMethod{.iterations = 14},
        PoissonMethod{.solver = Solver::jacobi, .tolerance = tolerance, .limit = 10000},
        PoissonMethod{.solver = Solver::jacobi, .iterations = 12000}}) {
    EXPECT_LT(test::largest_difference(solution(method, false), wanted), 1e-8);
  }
}

TEST(PoissonSolver, FindsTheSameAroundSolids) {
  const PoissonMethod jacobi{.solver = Solver::jacobi, .tolerance = 1e-9, .limit = 10000};
  EXPECT_LT(test::largest_difference(solution({.tolerance = 1e-9}, true), solution(jacobi, true)),
            1e-8);
}

/// What a tolerance is compared with scales it; a cycle is done whatever that says.
TEST(PoissonSolver, ComparesItsResidualWithAScale) {
  const auto wanted = solution({.tolerance = 1e-9}, false);
  EXPECT_EQ(solution({.tolerance = 1e-4}, false, 1e-5), wanted);
  EXPECT_EQ(solution({.tolerance = 1e9}, false), solution({.iterations = 1}, false));
  EXPECT_GT(test::largest_difference(solution({.tolerance = 1e9}, false), wanted), 1e-6);
}

}  // namespace
}  // namespace goban::poisson_solver_test
