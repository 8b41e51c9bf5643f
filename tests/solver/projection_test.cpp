// Velocities without divergence, of those that have some.

#include "goban/solver/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/field/face_fields.hpp"
#include "goban/stencil/staggered.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::projection_test {
namespace {

constexpr double tolerance = 1e-10;

/// The largest |div u| times the length of the stage, after a projection of noise in a box.
template <int D>
double divergence_left(const Settings& settings, bool has_solid) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {16, 12, D == 2 ? 1 : 8},
                      .spacing = {0.1, 0.2, 0.15},
                      .boundary = {mirror, mirror, D == 2 ? periodic : mirror}});
  std::optional<Field<std::uint8_t>> type;
  if (has_solid) {
    type.emplace(grid, "type");
    const BoundaryCondition beyond = constant(staggered::cell::beyond);
    type->boundary({beyond, beyond, D == 2 ? periodic : beyond});
    type->fill([](Index3 p) {
      const bool is_solid = p[0] > 4 && p[0] < 8 && p[1] > 2 && p[1] < 6;
      return is_solid ? staggered::cell::solid : staggered::cell::fluid;
    });
  }
  auto u = face_fields<double>(grid, "u_", std::span(all_axes).template first<D>(),
                               [&](Axis) { return grid.state()->boundary; });
  for (int a = 0; a < D; ++a) {
    u[static_cast<std::size_t>(a)].fill([&](Index3 p) {
      const auto is_closed = [&](Index3 cell) {
        for (int b = 0; b < D; ++b) {
          if (cell[b] < 0 || cell[b] >= grid.cells()[b]) return true;
        }
        return has_solid && type->get(cell) == staggered::cell::solid;
      };
      Index3 below = p;
      --below[a];
      return is_closed(p) || is_closed(below) ? 0 : test::pattern(p);
    });
  }
  Projection<D, double> projection(grid, {.tolerance = tolerance}, type, has_solid);
  projection.length.set(0.01);
  projection.per_length.set(100);
  Program program("program");
  projection.add_setup(program);
  projection.add_projection(program, u);
  const Parameter<double> largest("largest");
  const Real3 h = grid.spacing();
  const staggered::AbsoluteDivergence<D> divergence{{1 / h[0], 1 / h[1], 1 / h[2]}};
  const Box cells = grid.state()->domain(Location::cell);
  if constexpr (D == 2) {
    program.reduce(divergence, in(u[0]), in(u[1]), maximum, into(largest)).over(cells);
  } else {
    program.reduce(divergence, in(u[0]), in(u[1]), in(u[2]), maximum, into(largest)).over(cells);
  }
  test::run_once(program);
  return largest.value() * projection.length.value();
}

TEST(Projection, LeavesNoMoreDivergenceThanTheTolerance) {
  for (const bool has_solid : {false, true}) {
    EXPECT_LT(divergence_left<2>(test::plain_schedule(), has_solid), tolerance) << has_solid;
    EXPECT_LT(divergence_left<3>(test::plain_schedule(), has_solid), tolerance) << has_solid;
  }
}

/// phi / length^2 is linear in time: a guess from two stages finds the third.
TEST(Projection, GuessesWhatIsLinearInTime) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {4, 4, 1}, .boundary = periodic});
  Projection<2, double> projection(grid, {}, {}, false);
  const std::array lengths = {0.1, 0.1, 0.2};
  double time = 0;
  for (const double length : lengths) {
    Program step("step");
    projection.length.set(length);
    projection.add_length(step);
    projection.add_guess(step);
    test::run_once(step);
    time += length;
    if (length == lengths.back()) {
      EXPECT_NEAR(projection.phi.get({1, 2, 0}), (3 + 2 * time) * length * length, 1e-12);
    }
    projection.phi.fill((3 + 2 * time) * length * length);
  }
}

}  // namespace
}  // namespace goban::projection_test
