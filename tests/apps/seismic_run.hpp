#pragma once
// Small runs of elastic waves for tests.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "goban/domain/engine/engine.hpp"
#include "goban/grid/settings.hpp"
#include "goban/runtime/runtime.hpp"
#include "seismic/step.hpp"

namespace goban::seismic {

/// Waves ready to run.
template <int Dimensions, class T>
class SmallWaves {
 public:
  SmallWaves(const Model& model, GridOptions options, double dt, const Settings& settings = {})
      : runtime_(settings),
        grid_(runtime_, with_boundary(options, model)),
        step(grid_, model, fastest(options, model), dt),
        engine_(step.program()),
        balance_(step.balance()) {
    clock_.dt = dt;
  }

  void run(Index steps) { engine_.run(steps, clock_); }
  double time() const { return clock_.time; }
  /// J for cells of 1 m3; of periodic grids.
  double energy() {
    StepClock now;
    balance_.run(1, now);
    return step.motion.value() + step.strain.value();
  }
  std::vector<std::uint64_t> checksums() const {
    std::vector<std::uint64_t> all{step.normal.checksum()};
    for (const auto& v : step.velocity) all.push_back(v.checksum());
    for (const auto& s : step.shear) all.push_back(s.checksum());
    if (step.peak) all.push_back(step.peak->checksum());
    return all;
  }

 private:
  static GridOptions with_boundary(GridOptions options, const Model& model) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t side = 0; side < 2; ++side) {
        options.boundary.sides[a][side] =
            model.edges[a][side] == Edge::periodic ? periodic : constant(0);
      }
    }
    return options;
  }
  static double fastest(const GridOptions& options, const Model& model) {
    return speeds(model.medium, options, *self_communicator()).fastest;
  }
  Runtime runtime_;
  Grid grid_;

 public:
  WaveStep<Dimensions, T> step;

 private:
  Engine engine_, balance_;
  StepClock clock_;
};

inline TimeFunction pulse(TimeFunction::Shape shape, double duration) {
  TimeFunction time;
  time.shape = shape;
  time.duration = duration;
  return time;
}
inline TimeFunction ricker(double duration) { return pulse(TimeFunction::Shape::ricker, duration); }
inline Source force_at(Real3 position, Real3 force, const TimeFunction& time) {
  Source source;
  source.position = position;
  source.force = force;
  source.time = time;
  return source;
}
inline Source moment_at(Real3 position, const std::array<double, 6>& moment,
                        const TimeFunction& time) {
  Source source;
  source.position = position;
  source.moment = moment;
  source.time = time;
  return source;
}

/// lambda = mu: vp = sqrt(3) vs.
inline Rock poisson_rock(double vs = 1, double density = 1) {
  return {std::sqrt(3.0) * vs, vs, density};
}
inline Medium uniform(const Rock& rock) {
  Medium medium;
  medium.layers = {Layer{.rock = rock}};
  return medium;
}

/// Periodic; below a depth of 6 there is a fluid, a body lies in both, and a force shakes them for
/// a while.
inline Model shaken_box(int dimensions, const Rock& rock, const Rock& fluid) {
  Model model;
  model.dimensions = dimensions;
  model.medium = uniform(rock);
  model.medium.layers.push_back(Layer{.top = 6, .rock = fluid});
  model.medium.bodies.push_back(Body{.shape = Body::Shape::ellipsoid,
                                     .center = {8, 6, 6},
                                     .semi_axes = {4, 6, 3},
                                     .rock = {1.5, 0.6, 4}});
  model.sources = {force_at({5.2, 0.5, 3.1}, {1, 0, 2}, pulse(TimeFunction::Shape::bump, 10))};
  return model;
}

}  // namespace goban::seismic
