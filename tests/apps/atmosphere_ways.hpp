#pragma once
// Ways to run an atmosphere that must not make a difference.

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "goban/simulation/run/simulation.hpp"
#include "tests/apps/atmosphere_run.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::atmosphere {

/// Threads, devices, ghost widths, ways to overlap, over these cuts.
inline std::vector<Settings> ways(const std::vector<std::array<std::string, 3>>& cuts,
                                  const std::vector<bool>& recompute = {false, true},
                                  std::size_t stride = 5) {
  test::SettingsProduct product;
  product.cuts = cuts;
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.recompute = recompute;
  product.delay_microseconds = 1;
  const std::vector<Settings> all = product.all();
  std::vector<Settings> some;  // every fifth: all pairs of choices
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

/// Checksums and numbers of three steps, as settings have them run.
template <int D, class T>
test::Experiment three_steps(const Model& model, const GridOptions& grid) {
  return [=](const Settings& settings) {
    SmallAtmosphere<D, T> air(model, grid, settings);
    air.run(3);
    air.observe();
    test::Results results;
    const State<T>& now = air.step.now;
    for (const auto* field : {&now.density, &now.heat, &now.x, &now.y, &now.z}) {
      results[field->name()] = field->checksum();
    }
    results["velocity"] = air.step.velocity.checksum();
    results["temperature"] = air.step.air.temperature.checksum();
    if (const auto& water = air.step.water) {
      for (const auto& field : water->now.all()) results[field.name()] = field.checksum();
      results["relative_humidity"] = water->relative_humidity.checksum();
    }
    for (const auto& number : {air.step.largest_w, air.step.smallest_theta, air.step.added_mass}) {
      results[number.name()] = std::bit_cast<std::uint64_t>(number.value());
    }
    return results;
  };
}

/// Checksums of the state after so many steps of a run with checkpoints.
inline std::vector<std::uint64_t> run_to(Index steps, const Model& model, GridOptions options,
                                         const test::ScratchFolder& folder, Restart restart) {
  Runtime runtime;
  options.boundary = model.sides.boundary();
  Grid grid(runtime, options);
  const AtmosphereStep<3, double> step(grid, model);
  Simulation simulation(grid, step.program(),
                        {.steps = steps,
                         .dt = model.dt,
                         .directory = folder.path().string(),
                         .restart = restart,
                         .measure_bandwidth = false});
  simulation.checkpoint(every(1000));
  simulation.run();
  std::vector<Field<double>> state{step.now.density, step.now.heat, step.now.x, step.now.y,
                                   step.now.z};
  if (const auto& water = step.water) {
    const auto all = water->now.all();
    state.insert(state.end(), all.begin(), all.end());
    state.insert(state.end(), {water->heating, water->fallen_rain});
  }
  std::vector<std::uint64_t> sums;
  for (const Field<double>& field : state) sums.push_back(field.checksum());
  return sums;
}

/// A run that is stopped and goes on ends as one that is not.
inline void expect_the_same_after_a_restart(const Model& model, const GridOptions& options) {
  const test::ScratchFolder one, two;
  const auto whole = run_to(5, model, options, one, {});
  run_to(2, model, options, two, {});
  EXPECT_EQ(run_to(5, model, options, two, restart_newest()), whole);
}

}  // namespace goban::atmosphere
