#include "goban/performance/measure/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "goban/performance/machine/machine_file.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::calibrate_test {
namespace {

Settings settings_of(Backend backend, int devices, int steps_per_pass) {
  Settings settings;
  settings.backend = backend;
  settings.threads = 1;
  settings.steps_per_exchange = settings.temporal_blocking = steps_per_pass;
  settings.overlap = Overlap::none;
  settings.delay_microseconds = 0;
  for (int device = 0; backend == Backend::emulated && device < devices; ++device) {
    settings.devices.push_back(device);
  }
  return settings;
}

/// Numbers are not looked at: small grids and few steps, on a machine that does other things, too.
Calibration quick_calibration(Backend backend, const std::string& folder) {
  Runtime single(settings_of(backend, 1, 1)), blocked(settings_of(backend, 1, 4));
  Runtime all(settings_of(backend, 2, 1));
  MachineRates known = single.machine();
  known.host = "here";
  return calibrate({single, blocked, all}, known, folder,
                   {.least_seconds = 1e-5, .most_bytes = 2e6});
}

void expect_complete(const Calibration& calibration) {
  const MachineRates& machine = calibration.machine;
  EXPECT_GE(calibration.notes.size(), 8u);
  for (const CalibrationNote& note : calibration.notes) {
    EXPECT_TRUE(std::isfinite(note.value) && note.value >= 0) << note.what;
  }
  EXPECT_EQ(machine.host, "here");
  EXPECT_GT(machine.device.memory_bandwidth(), 0);
  EXPECT_GT(machine.device.blocking_efficiency, 0);
  EXPECT_TRUE(machine.network.is_slow());  // as it was known
  EXPECT_GE(machine.device.deviations.size(), 20u);
  for (const auto& [sweep, ratio] : machine.device.deviations) {
    EXPECT_TRUE(std::isfinite(ratio) && ratio > 0) << sweep.cells;
    EXPECT_GT(sweep.moves * sweep.value_bytes * sweep.cells, 0);
    EXPECT_TRUE(sweep.share >= 0 && sweep.share <= 1) << sweep.share;
  }
  const MachineRates again = parse_machine(machine_text(machine), "again");
  EXPECT_NEAR(again.device.memory_bandwidth() / machine.device.memory_bandwidth(), 1, 1e-5);
}

TEST(Calibration, OfThreadsIsAMachineFile) {
  const test::ScratchFolder folder;
  expect_complete(quick_calibration(Backend::cpu, folder.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Calibration, OfDevicesHasWhatIsBetweenThem) {
  const test::ScratchFolder folder;
  const Calibration calibration = quick_calibration(Backend::emulated, folder.path());
  expect_complete(calibration);
  const auto is_link = [](const CalibrationNote& note) { return note.what == "between devices"; };
  EXPECT_EQ(std::count_if(calibration.notes.begin(), calibration.notes.end(), is_link), 1);
}

}  // namespace
}  // namespace goban::calibrate_test
