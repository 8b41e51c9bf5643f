// Velocities without divergence, of those that have some.

#include "goban/solver/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "goban/field/face_fields.hpp"
#include "goban/stencil/staggered.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::projection_test {
namespace {

constexpr double tolerance = 1e-10;

/// The largest |div u| over the largest sum |u| / h, after a projection of noise in a box. `speed`:
/// m/s, of the noise.
template <int D>
double divergence_left(const Settings& settings, bool has_solid, double speed) {
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
      return is_closed(p) || is_closed(below) ? 0 : speed * test::pattern(p);
    });
  }
  Projection<D, double> projection(grid, {.tolerance = tolerance}, type, has_solid,
                                   grid.state()->boundary);
  projection.length.set(0.01);
  projection.per_length.set(100);
  Program program("program");
  projection.add_setup(program);
  projection.add_projection(program, u);
  const Parameter<double> largest("largest"), rate("rate");
  const Real3 h = grid.spacing();
  const std::array per_h{1 / h[0], 1 / h[1], 1 / h[2]};
  const Box cells = grid.state()->domain(Location::cell);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    program.reduce(staggered::AbsoluteDivergence<D>{per_h}, in(u[I])..., maximum, into(largest))
        .over(cells);
    program.reduce(staggered::CourantRate<D, double>{per_h}, in(u[I])..., maximum, into(rate))
        .over(cells);
  }
  (std::make_index_sequence<D>{});
  test::run_once(program);
  return largest.value() / rate.value();
}

/// However slow it flows.
TEST(Projection, LeavesNoMoreDivergenceThanTheTolerance) {
  for (const bool has_solid : {false, true}) {
    for (const double speed : {1.0, 1e-8}) {
      EXPECT_LT(divergence_left<2>(test::plain_schedule(), has_solid, speed), 3 * tolerance);
      EXPECT_LT(divergence_left<3>(test::plain_schedule(), has_solid, speed), 3 * tolerance);
    }
  }
}

/// Fluid that a force presses against walls stays at rest, whose pressure has round-off alone.
TEST(Projection, FindsThePressureOfFluidAtRest) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {16, 12, 1}, .boundary = {mirror, mirror, periodic}});
  auto u = face_fields<double>(grid, "u_", std::span(all_axes).first<2>(),
                               [&](Axis) { return grid.state()->boundary; });
  Projection<2, double> projection(grid, {}, {}, false, grid.state()->boundary);
  projection.length.set(1);
  projection.per_length.set(1);
  Program step("step");
  projection.add_projection(step, u);
  for (auto& field : u) field.fill(0);
  for (int n = 0; n < 3; ++n) {
    u[0].fill([](Index3 p) { return p[0] == 0 || p[0] == 16 ? 0.0 : 1.0 + double(p[0]); });
    test::run_once(step);
    EXPECT_LT(std::max(u[0].maximum(), -u[0].minimum()), n == 0 ? 1e-4 : 1e-8) << n;
  }
}

TEST(Projection, GuessesWhatIsLinearInTime) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {4, 4, 1}, .boundary = periodic});
  Projection<2, double> projection(grid, {}, {}, false, grid.state()->boundary);
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
