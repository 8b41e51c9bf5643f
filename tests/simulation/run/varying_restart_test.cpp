// Runs whose boundary values and parameters vary in time go on with the bits of one that was not
// stopped.

#include "tests/domain/diffusion.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::varying_restart_test {
namespace {

struct Warm {
  GOBAN_FUNCTION void operator()(auto u, auto power, auto next) const {
    next = u() + power() + 0.1 * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) - 4 * u());
  }
};

std::uint64_t run_until(Index steps, const fs::path& directory, const Settings& settings,
                        const Restart& restart) {
  Runtime runtime(settings);
  const Parameter<double> wall("wall"), power("power");
  const BoundarySet sides{constant([](double time) { return std::sin(time); }), wall_value(wall),
                          mirror};
  Grid grid(runtime, {.cells = {19, 12, 3}, .boundary = sides});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Program step("warm");
  step.follow(wall, [](double time) { return std::cos(3 * time); });
  step.follow(power, [](double time) { return 0.01 * time; });
  step.apply(Warm{}, in(u), param(power), out(next));
  step.swap(u, next);
  SimulationOptions options;
  options.steps = steps;
  options.dt = 0.1;
  options.directory = directory;
  options.restart = restart;
  options.measure_bandwidth = false;
  Simulation simulation(grid, step, options);
  simulation.checkpoint(every(1000));
  EXPECT_EQ(simulation.run(), RunStatus::finished);
  return u.checksum();
}

TEST(VaryingRestart, GoesOnAsIfNothingHadHappened) {
  const test::ScratchFolder folder;
  Settings plain, other;
  plain.threads = 1;
  other.backend = Backend::emulated;
  other.patches = {2, 1, 1};
  other.steps_per_exchange = 3;
  other.delay_microseconds = 5;
  const std::uint64_t whole = run_until(40, folder / "whole", plain, {});
  run_until(17, folder / "parts", plain, {});
  EXPECT_EQ(run_until(40, folder / "parts", other, restart_newest()), whole);
}

}  // namespace
}  // namespace goban::varying_restart_test
