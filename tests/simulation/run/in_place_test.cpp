// Runs of fields stored in place stop, go on and write as those of two sets of values do.

#include "goban/stencil/unroll.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::in_place_test {
namespace {

/// Four values that move, each another way.
struct Drift {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    const auto a = f[0](-1, 0, 0), b = f[1](1, 1, 0), c = f[2](0, -1, 1), d = f[3](0, 0, -1);
    const auto mean = 0.25f * (a + b + c + d);
    next[0] = a + 0.5f * (mean - a);
    next[1] = b + 0.5f * (mean - b);
    next[2] = c + 0.5f * (mean - c);
    next[3] = d + 0.5f * (mean - d);
  }
};

/// Runs up to `steps`, from the newest checkpoint if there is one, and returns the checksum.
template <class T>
std::uint64_t run(Index steps, const fs::path& directory, const Settings& settings = {}) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {19, 12, 9}, .boundary = periodic});
  Field<T, 4> f(grid, "f"), next(f, "next");
  f.fill(
      [](Index3 i, int c) { return std::sin(0.3 * static_cast<double>(i[0] + c * i[1] * i[2])); });
  Program step("drift");
  step.apply(Drift{}, in(f), out(next));
  step.swap(f, next);
  SimulationOptions options;
  options.steps = steps;
  options.directory = directory;
  options.restart = restart_newest();
  options.measure_bandwidth = false;
  options.case_text = "app = \"drift\"\n";
  Simulation simulation(grid, step, options);
  simulation.checkpoint(every(9)).output({f}, every(7) | at_end());
  simulation.series("sums", {sum_of(f, 2)}, every(1));
  simulation.run();
  return f.checksum();
}

class InPlaceRuns : public SmallRuns {};

TEST_F(InPlaceRuns, GoOnAsIfNothingHadHappened) {
  const std::uint64_t expected = run<float>(30, root_ / "two");
  EXPECT_EQ(run<InPlace<float>>(30, root_ / "whole"), expected);
  expect_same_outputs(root_ / "two", root_ / "whole");
  run<InPlace<float>>(13, root_ / "parts");
  EXPECT_EQ(run<InPlace<float>>(30, root_ / "parts", {.patches = {2, 1, 2}}), expected);
  expect_same_outputs(root_ / "two", root_ / "parts");
}

TEST_F(InPlaceRuns, GoOnFromTwoSetsAndBack) {
  const std::uint64_t expected = run<float>(30, root_ / "two");
  run<float>(11, root_ / "parts");
  run<InPlace<float>>(20, root_ / "parts");
  EXPECT_EQ(run<float>(30, root_ / "parts"), expected);
}

}  // namespace
}  // namespace goban::in_place_test
