// Where overlap is tried, if the settings leave it open.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::overlap_choice_test {
namespace {

/// Longer than the first turn of what comes before overlap.
constexpr Index rounds = 40, steps_a_round = 8;

struct Outcome {
  std::uint64_t checksum = 0;
  bool has_tried = false;  ///< overlap
};

/// After each round, so as to see what is being tried.
template <class Checksum>
Outcome run_rounds(const Program& program, Index steps, const Checksum& checksum) {
  Engine engine(program);
  StepClock clock;
  Outcome outcome;
  for (Index n = 0; n < rounds; ++n) {
    engine.run(steps, clock);
    outcome.has_tried |= engine.overlap() == Overlap::one_kernel;
  }
  engine.synchronize();
  outcome.checksum = checksum();
  return outcome;
}

Outcome run(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 6, 10}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Program step("step");
  step.apply(test::Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  return run_rounds(step, steps_a_round, [&] { return u.checksum(); });
}

struct Restrict {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const {
    coarse = fine(0, 0, 0) + fine(1, 1, 1);
  }
};

/// Whose stages work on two grids, repeated until a number is there.
Outcome run_on_two_grids(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 6, 12}, .boundary = periodic});
  Grid coarser = grid.coarsened({2, 2, 2});
  Field<float> u(grid, "u"), next(grid, "next"), coarse(coarser, "coarse");
  u.fill(test::pattern);
  Parameter<double> count("count", 0);
  Program round("round"), look("look"), step("step");
  round.apply(test::Diffusion<float>{}, in(u), out(next));
  round.swap(u, next);
  round.apply(Restrict{}, in(u), out(coarse));
  look.compute([](double& n) { n += 1; }, inout(count));
  step.compute([](double& n) { n = 0; }, out(count));
  step.until(count > steps_a_round, 1, 100, round, look);
  return run_rounds(step, 1, [&] { return u.checksum() ^ coarse.checksum(); });
}

Settings on(Backend backend, int patches) {
  Settings settings;
  settings.backend = backend;
  settings.threads = 1;
  settings.patches = {1, 1, patches};
  settings.delay_microseconds = 0;
  return settings;
}

TEST(OverlapChoice, IsTriedBetweenDevicesOfAProcess) {
  const Outcome found = run(on(Backend::emulated, 2));
  EXPECT_TRUE(found.has_tried);
  EXPECT_EQ(found.checksum, run(test::plainest()).checksum);
}

TEST(OverlapChoice, IsTriedInLoopsOverSeveralGrids) {
  const Outcome found = run_on_two_grids(on(Backend::emulated, 2));
  EXPECT_TRUE(found.has_tried);
  EXPECT_EQ(found.checksum, run_on_two_grids(test::plainest()).checksum);
  EXPECT_FALSE(run_on_two_grids(on(Backend::emulated, 1)).has_tried);
}

TEST(OverlapChoice, IsNotTriedWhereNothingTravels) {
  EXPECT_FALSE(run(on(Backend::emulated, 1)).has_tried);
}

TEST(OverlapChoice, IsNotTriedOnACpuThatComputesPatchAfterPatch) {
  EXPECT_FALSE(run(on(Backend::cpu, 2)).has_tried);
}

TEST(OverlapChoice, IsNotTriedAgainstTheSettings) {
  Settings settings = on(Backend::emulated, 2);
  settings.overlap = Overlap::none;
  EXPECT_FALSE(run(settings).has_tried);
}

}  // namespace
}  // namespace goban::overlap_choice_test
