#pragma once
// Small flows for tests.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flow/step.hpp"
#include "goban/goban.hpp"
#include "tests/apps/one_thread.hpp"

namespace goban::flow {

using Ends = std::array<Edge, 2>;
inline constexpr Ends walls{Edge::wall, Edge::wall}, slips{Edge::slip, Edge::slip},
    open{Edge::periodic, Edge::periodic};

/// A flow ready to run.
template <int D, class T>
class SmallFlow {
 public:
  SmallFlow(const Model& model, GridOptions options, const Settings& settings = one_thread())
      : runtime_(settings),
        grid_(runtime_, with_boundary(options, model)),
        step(grid_, model),
        engine_(step.program()),
        observation_(step.observation()),
        balance_(step.balance()) {
    step.dt_limit.set(std::numeric_limits<double>::infinity());
    clock.dt_parameter = step.dt.record();
  }

  void run(Index steps) { engine_.run(steps, clock); }
  void run_until(double time) {
    while (clock.time < time * (1 - 1e-12)) {
      step.dt_limit.set(time - clock.time);
      engine_.run(1, clock);
    }
  }
  void observe() {
    StepClock now;
    observation_.run(1, now);
  }
  void sum_up() {
    StepClock now;
    balance_.run(1, now);
  }
  const Grid& grid() const { return grid_; }

 private:
  static GridOptions with_boundary(GridOptions options, const Model& model) {
    options.boundary = model.mirrors();
    return options;
  }
  Runtime runtime_;
  Grid grid_;

 public:
  FlowStep<D, T> step;
  StepClock clock;

 private:
  Engine engine_, observation_, balance_;
};

/// A square or cube of size 1 of so many cells along an axis, in D dimensions.
template <int D>
GridOptions unit_box(Index n) {
  return {.cells = {n, n, D == 2 ? 1 : n}, .spacing = 1.0 / static_cast<double>(n)};
}

inline Model plane_model(double viscosity) {
  Model model;
  model.dimensions = 2;
  model.viscosity = viscosity;
  return model;
}

/// A mode over the whole of a grid of these lengths.
inline Term mode(const std::string& field, double amplitude, Real3 waves,
                 std::array<bool, 3> is_cosine, Real3 length) {
  Profile profile{.shape = Profile::Shape::mode, .amplitude = amplitude, .waves = waves};
  profile.is_cosine = is_cosine;
  profile.length = length;
  return {field, profile};
}

}  // namespace goban::flow
