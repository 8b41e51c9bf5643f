#pragma once
// Heat on paper, on a machine whose numbers are powers of ten.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/performance/predict/scaling.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::test {

struct Diffuse {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.1f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                         u(0, 0, -1) - 6.0f * u());
  }
};
constexpr double flops = 9, bytes = 8;

/// Every number a power of ten, so that each part of a time can be told from it.
inline MachineRates decimal_machine(bool is_gpu) {
  MachineRates machine;
  machine.device.is_gpu = is_gpu;
  machine.device.operations = {1e12, 1e12, 1e12};
  machine.device.levels = {{.bandwidth = 1e11}};
  machine.process = machine.peer = machine.nccl = machine.node = machine.network = {0, 1e9};
  return machine;
}

inline Settings on_paper() {
  Settings settings;
  settings.on_paper = true;
  return settings;
}

/// u and next, and a step that swaps them.
struct Heat {
  explicit Heat(Index3 cells, BoundarySet boundary = BoundarySet{constant(0)})
      : context(on_paper()),
        grid(context, {.cells = cells, .boundary = boundary}),
        u(grid, "u"),
        next(grid, "next"),
        step("heat") {
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
  }
  std::vector<StraightRun> runs() const { return Engine(step).straight_runs(); }
  ScalingPoint best(const MachineRates& machine, Index devices) const {
    return predict_strategies({runs(), machine}, devices).front();
  }
  ScalingPoint with(const MachineRates& machine, Index devices, const StepPlan& plan) const {
    for (const ScalingPoint& point : predict_strategies({runs(), machine}, devices)) {
      if (text_of(point.plan) == text_of(plan)) return point;
    }
    ADD_FAILURE() << text_of(plan) << " was not tried";
    return {};
  }

  NoStore context;
  Grid grid;
  Field<float> u, next;
  Program step;
};

}  // namespace goban::test
