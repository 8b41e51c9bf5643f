#pragma once
// Small dendrites for tests.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "dendrite/frame.hpp"
#include "dendrite/step.hpp"
#include "goban/goban.hpp"
#include "tests/apps/one_thread.hpp"

namespace goban::dendrite {

/// Growth ready to run, on cells of edge `spacing` with the largest stable step times 0.8.
template <class T>
class SmallGrowth {
 public:
  SmallGrowth(const Model& model, Index3 cells, double spacing,
              const Settings& settings = one_thread(), std::optional<double> highest_tip = {})
      : runtime_(settings),
        grid_(runtime_, {.cells = cells, .spacing = spacing, .boundary = model.boundary}),
        dt(0.8 * model.largest_stable_step(cells, spacing)),
        step(grid_, model, dt),
        follower(step, spacing, highest_tip),
        engine_(step.program()),
        balance_(step.balance()) {
    clock_.dt = dt;
  }

  void run(Index steps) { engine_.run(steps, clock_); }
  void look() { follower.look(clock_.time); }
  void sum_up() {
    StepClock now;
    balance_.run(1, now);
  }
  /// Speed of the interface over the last `steps`.
  double speed_over(Index steps) {
    sum_up();
    const double before = step.tip.value();
    run(steps);
    sum_up();
    return (step.tip.value() - before) / (static_cast<double>(steps) * dt);
  }
  double time() const { return clock_.time; }

 private:
  Runtime runtime_;
  Grid grid_;

 public:
  const double dt;
  GrowthStep<T> step;
  TipFollower<T> follower;

 private:
  Engine engine_, balance_;
  StepClock clock_;
};

/// Aluminium with silicon, an interface of four cells; times and speeds of small runs.
inline Model alloy_model(double spacing, double composition) {
  Model model;
  model.alloy.composition = composition;
  model.alloy.kinetic_coefficient = 0.03;
  model.alloy.width = 4 * spacing;
  return model;
}

inline Model melt_model(double undercooling, double diffusivity) {
  Model model;
  model.formulation = Formulation::thermal;
  model.thermal.undercooling = undercooling;
  model.thermal.diffusivity = diffusivity;
  model.thermal.coupling = Thermal::coupling_without_kinetics(diffusivity, 1, 1);
  return model;
}

inline Nucleus layer(double height) { return {.shape = Nucleus::Shape::layer, .height = height}; }

}  // namespace goban::dendrite
