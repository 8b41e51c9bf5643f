#pragma once
// A fluid with bodies in it, for tests: D3Q19, two relaxation rates, lattice units.

#include <functional>
#include <vector>

#include "goban/goban.hpp"
#include "goban/particle/bodies.hpp"
#include "lbm/stencils.hpp"

namespace goban::test {

using SuspensionStep = lbm::StreamCollide<lbm::D3Q19, lbm::Trt<double>>;
using WalledSuspensionStep = lbm::StreamBounceCollide<lbm::D3Q19, lbm::Trt<double>, double>;

struct SuspensionOptions {
  Index3 cells{16, 16, 16};
  double viscosity = 1.0 / 6;
  Real3 drive{};           ///< force density on the fluid
  double wall_speed = 0;   ///< not 0: layers y = 0 and y = last are walls that move along x, -, +
  bool has_walls = false;  ///< they are there
  /// Where there is fluid, instead of between such walls; null: everywhere, or there.
  std::function<bool(Index3)> is_fluid = {};
  bool is_list = false;  ///< the grid has the cells of fluid alone
};

inline lbm::Trt<double> collision_of(double viscosity) {
  const double tau = 0.5 + 3 * viscosity;
  return {1 / tau, 1 / (0.5 + (3.0 / 16) / (tau - 0.5))};
}

inline GridOptions grid_of(const SuspensionOptions& options) {
  GridOptions grid{.cells = options.cells, .boundary = periodic};
  if (options.is_list) grid.active = options.is_fluid;
  return grid;
}

/// Fields and the step; periodic along all axes but for the walls.
struct Suspension {
  Suspension(Runtime& runtime, const SuspensionOptions& options, const BodyOptions& of_bodies)
      : grid(runtime, grid_of(options)),
        f(grid, "f"),
        next(grid, "next"),
        velocity(grid, "velocity"),
        force(grid, "force"),
        type(grid, "type"),
        drive{Parameter<double>("drive_x", options.drive[0]),
              Parameter<double>("drive_y", options.drive[1]),
              Parameter<double>("drive_z", options.drive[2])},
        bodies(grid, of_bodies),
        step("suspension") {
    const Index last = options.cells[1] - 1;
    const bool has_walls = options.has_walls || options.wall_speed != 0;
    const auto speed = [=](Index3 i) {
      return i[1] == 0 ? -options.wall_speed : i[1] == last ? options.wall_speed : 0;
    };
    const auto is_wall = [=](Index3 i) {
      return options.is_fluid ? !options.is_fluid(i) : has_walls && (i[1] == 0 || i[1] == last);
    };
    type.fill([&](Index3 i) { return is_wall(i) ? lbm::cell::wall : lbm::cell::fluid; });
    f.fill([&](Index3 i, int q) {
      return is_wall(i) && q > 0 ? 6 * lbm::D3Q19::weight(q) * lbm::D3Q19::velocity(q)[0] * speed(i)
                                 : 0.0;
    });
    if ((has_walls || options.is_fluid) && !options.is_list) {
      step.apply(WalledSuspensionStep{collision_of(options.viscosity), {options.drive}}, in(f),
                 in(type), in(force), out(next), out(velocity));
      bodies.couple(step, velocity, force, type);
    } else {
      if (options.is_list) {
        f.inactive(bounce_back);
        next.inactive(bounce_back);
      }
      step.apply(SuspensionStep{collision_of(options.viscosity)}, in(f), in(force), out(next),
                 out(velocity), param(drive[0]), param(drive[1]), param(drive[2]));
      bodies.couple(step, velocity, force);
    }
    step.swap(f, next);
  }
  void run(Index steps) {
    if (!engine) engine = std::make_unique<Engine>(step);
    engine->run(steps, clock);
  }
  /// Sum of c_q f_q over all cells, one that has not met the force on it yet.
  Real3 momentum_of_fluid() {
    Real3 sum{};
    for (int q = 1; q < lbm::D3Q19::size; ++q) {
      const double populations = f.sum(q);
      for (std::size_t a = 0; a < 3; ++a) sum[a] += lbm::D3Q19::velocity(q)[a] * populations;
    }
    return sum;
  }

  Grid grid;
  Field<double, 19> f, next;
  Field<double, 3> velocity, force;
  Field<std::uint8_t> type;
  std::array<Parameter<double>, 3> drive;
  Bodies bodies;
  Program step;
  StepClock clock;
  std::unique_ptr<Engine> engine;
};

inline Settings one_thread() {
  Settings settings;
  settings.threads = 1;
  return settings;
}

inline BodyShape sphere(double radius, double viscosity) {
  BodyShape shape;
  shape.semi_axes = {radius, radius, radius};
  return in_fluid(shape, viscosity);
}

}  // namespace goban::test
