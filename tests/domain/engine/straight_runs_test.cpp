// What predictions are made of.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/machines.hpp"

namespace goban::straight_runs_test {
namespace {

TEST(StraightRuns, LoopsCountAsOftenAsTheyRun) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 6, 4}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  const Parameter<double> rest("rest");
  Program sweep("sweep"), step("step");
  sweep.apply(test::Diffusion<float>{}, in(u), out(next));
  sweep.swap(u, next);
  step.repeat(3, sweep);
  step.until(rest < 1.0, 20, 1000, sweep, Program("look"));  // looks after every 20
  const auto times = [&](double rounds) {
    std::vector<double> all;
    for (const StraightRun& run : Engine(step).straight_runs(rounds)) all.push_back(run.times);
    return all;
  };
  EXPECT_EQ(times(1), (std::vector{3.0, 20.0}));
  EXPECT_EQ(times(5), (std::vector{3.0, 100.0}));
}

TEST(StraightRuns, LoopsThatHaveRunArePredictedWithTheirRounds) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 6, 4}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  Parameter<double> rounds("rounds");
  Program sweep("sweep"), step("step");
  sweep.apply(test::Diffusion<float>{}, in(u), out(next));
  sweep.swap(u, next);
  sweep.compute([](auto& n) { n = n - 1; }, inout(rounds));
  step.until(rounds < 0.5, 1, 1000, sweep, Program("look"));
  Engine engine(step);
  engine.prepare();
  const MachineRates machine = test::shipped_machine("xeon-core");
  const StepPrediction one = engine.predicted_step(machine);
  rounds.set(7);
  StepClock clock;
  engine.run(1, clock);
  const StepPrediction seven = engine.predicted_step(machine);
  EXPECT_NEAR(seven.solver / one.solver, 7, 1e-6);
  EXPECT_EQ(seven.solver, seven.seconds);
}

TEST(StraightRuns, EveryPartIsPredictedAndMeasured) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 6, 4}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next"), other(grid, "other");
  Program sweep("sweep"), step("step");
  sweep.apply(test::Diffusion<float>{}, in(u), out(next));
  sweep.swap(u, next);
  step.apply(test::Diffusion<float>{}, in(u), out(other));
  step.repeat(3, sweep);
  Engine engine(step);
  engine.prepare();
  const StepPrediction all = engine.predicted_step(test::shipped_machine("xeon-core"));
  for (const StraightRun& run : engine.straight_runs()) {
    EXPECT_EQ(run.slots.size(), 2);
    EXPECT_EQ(run.step.size(), 3);  // they share the caches
  }
  ASSERT_EQ(all.parts.size(), 2u);
  EXPECT_EQ(all.parts[0].cells, grid.cells());
  EXPECT_EQ(all.parts[1].times, 3);
  EXPECT_EQ(all.parts[0].seconds + all.parts[1].seconds, all.seconds);
  StepClock clock;
  engine.run(1, clock);
  const TimeSplit split = engine.time_split();
  ASSERT_EQ(split.parts.size(), 2u);
  EXPECT_GT(split.parts[0], 0);
  EXPECT_GT(split.parts[1], 0);
  EXPECT_GE(split.parts[0] + split.parts[1], split.compute + split.halo);
}

TEST(StraightRuns, NothingRunsOnPaper) {
  Settings settings;
  settings.on_paper = true;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 6, 4}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  Program step("step");
  step.apply(test::Diffusion<float>{}, in(u), out(next));
  StepClock clock;
  Engine engine(step);
  engine.run(3, clock);
  EXPECT_EQ(clock.step, 0);
  EXPECT_EQ(engine.straight_runs().size(), 1u);
}

}  // namespace
}  // namespace goban::straight_runs_test
