// Full multigrid: one way through all grids leaves the error of the scheme.

#include <gtest/gtest.h>

#include <numbers>

#include "tests/solver/poisson.hpp"

namespace goban {
namespace {

using std::numbers::pi;
using test::Poisson;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// u = 2 + cos(pi x) sin(pi y) cos(2 pi z), between walls that hold 2.
TEST(FullMultigrid, LeavesLittleBesideTheErrorOfTheScheme) {
  for (const Index n : {32, 64}) {
    Poisson<double> p(test::plain_schedule(), {.cells = {n, n, n},
                                               .spacing = 1.0 / static_cast<double>(n),
                                               .boundary = {mirror, wall_value(2), periodic}});
    const auto exact = [](Position x) {
      return 2 + std::cos(pi * x.x) * std::sin(pi * x.y) * std::cos(2 * pi * x.z);
    };
    p.f.fill([&](Position x) { return -6 * pi * pi * (exact(x) - 2); });
    p.u.fill(exact);
    const std::vector<double> wanted = p.u.copy_out();
    p.u.fill(99);
    Multigrid<double> multigrid = p.solver();
    Program once("once"), twice("twice"), rest("rest");
    multigrid.add_full_multigrid(once);
    multigrid.add_full_multigrid(twice, 2);
    multigrid.add_solve(rest, 1e-8, 20);
    test::run_once(once);
    const std::vector<double> by_one = p.u.copy_out();
    test::run_once(twice);
    const std::vector<double> by_two = p.u.copy_out();
    test::run_once(rest);
    const std::vector<double> solution = p.u.copy_out();
    const double error = largest_difference(solution, wanted);
    EXPECT_LT(largest_difference(by_one, solution), 2 * error) << n;
    EXPECT_LT(largest_difference(by_two, solution), 0.15 * error) << n;

    p.u.fill(99);
    Multigrid<double> in_single = p.solver({.single_precision = true});
    Program in_two("in single precision");
    in_single.add_full_multigrid(in_two);
    test::run_once(in_two);
    EXPECT_LT(largest_difference(p.u.copy_out(), solution), 0.15 * error) << n;
  }
}

TEST(FullMultigrid, HasTheSameBitsHoweverGridsAreCut) {
  const auto run = [](const Settings& settings) {
    Poisson<double> p(
        settings, {.cells = {24, 16, 20}, .spacing = 1.0 / 24, .boundary = test::mixed_sides()});
    p.close_ball();
    Multigrid<double> multigrid = p.solver();
    Program program("program");
    multigrid.add_setup(program);
    multigrid.add_full_multigrid(program);
    test::run_once(program);
    return test::Results{{"u", p.u.checksum()}};
  };
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"13,11", "", "9,11"}};
  product.backends = {Backend::cpu, Backend::emulated};
  test::expect_same_bits(run, product.all());
}

}  // namespace
}  // namespace goban
