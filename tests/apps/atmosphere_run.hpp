#pragma once
// Small atmospheres for tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "atmosphere/step.hpp"
#include "goban/goban.hpp"
#include "tests/apps/one_thread.hpp"

namespace goban::atmosphere {

/// The cells of a slice along x and z, as the run has left them.
struct Slice {
  Index nx = 0, nz = 0;
  std::vector<double> values;

  double at(Index i, Index k) const { return values[static_cast<std::size_t>(k * nx + i)]; }
  double largest() const { return *std::max_element(values.begin(), values.end()); }
  double smallest() const { return *std::min_element(values.begin(), values.end()); }
};

/// Ready to run.
template <int D, class T>
class SmallAtmosphere {
 public:
  SmallAtmosphere(const Model& model, GridOptions options, const Settings& settings = one_thread())
      : runtime_(settings),
        grid_(runtime_, with_boundary(model, options)),
        dt_(model.dt),
        step(grid_, model),
        engine_(step.program()),
        observation_(step.observation()) {
    clock.dt = model.dt;
  }

  void run(Index steps) { engine_.run(steps, clock); }
  void run_until(double time) { run(std::lround(time / dt_)); }
  void observe() {
    StepClock now;
    observation_.run(1, now);
  }
  const Grid& grid() const { return grid_; }

  template <int C>
  Slice slice(const Field<T, C>& field, int component = 0) const {
    const Index3 cells = grid_.cells();
    const auto all = field.copy_out({{0, 0, 0}, {cells[0], 1, cells[2]}});
    const auto begin = all.begin() + component * cells[0] * cells[2];
    return {cells[0], cells[2], {begin, begin + cells[0] * cells[2]}};
  }
  Slice w() const { return slice(step.velocity, 2); }
  Slice theta() const { return slice(step.theta_deviation); }

 private:
  static GridOptions with_boundary(const Model& model, GridOptions options) {
    options.boundary = model.sides.boundary();
    return options;
  }
  Runtime runtime_;
  Grid grid_;
  double dt_;

 public:
  AtmosphereStep<D, T> step;
  StepClock clock;

 private:
  Engine engine_, observation_;
};

/// A slice of this length [m] and height in cells of these edges, x = 0 in its middle.
inline GridOptions slice_of(double length, double height, double dx, double dz) {
  return {.cells = {std::lround(length / dx), 1, std::lround(height / dz)},
          .spacing = {dx, dx, dz},
          .origin = {-length / 2, 0, 0}};
}

/// The model with a time step near this one, of which a whole number makes `end`.
inline Model timed(Model model, const GridOptions& grid, double dt, double end) {
  model.dt = end / std::ceil(end / dt * (1 - 1e-12));
  model.short_steps = model.usual_short_steps(model.dt, grid.spacing.value);
  return model;
}

}  // namespace goban::atmosphere
