#pragma once
// Small flows for tests.

#include <gtest/gtest.h>

#include <cmath>

#include "goban/goban.hpp"
#include "lbm/cell.hpp"
#include "lbm/step.hpp"

namespace goban::lbm {

/// A flow ready to run, in lattice units unless the grid says otherwise.
template <class Lattice, class T, class Layout = ijk>
class SmallFlow {
 public:
  SmallFlow(const Model& model, GridOptions options, const Settings& settings = {})
      : runtime_(settings),
        grid_(runtime_, with_boundary(options, model)),
        step(grid_, model),
        engine_(step.program()),
        observation_(step.observation()),
        shear_(step.shear()),
        balance_(step.balance()) {}

  void run(Index steps) { engine_.run(steps, clock_); }
  void observe() {
    StepClock now;
    observation_.run(1, now);
  }
  void look_at_shear() {
    StepClock now;
    shear_.run(1, now);
  }
  void sum_up() {
    StepClock now;
    balance_.run(1, now);
  }

 private:
  static GridOptions with_boundary(GridOptions options, const Model& model) {
    options.boundary = model.population_boundary();
    return options;
  }
  Runtime runtime_;
  Grid grid_;

 public:
  FlowStep<Lattice, T, Layout> step;

 private:
  Engine engine_, observation_, shear_, balance_;
  StepClock clock_;
};

inline Model plane_model(Model::Collision collision, double tau) {
  Model model;
  model.lattice = Model::Lattice::d2q9;
  model.collision = collision;
  model.tau = tau;
  return model;
}

}  // namespace goban::lbm
