// Processors that others keep busy.

#include "goban/performance/measure/other_load.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "goban/performance/measure/calibrate.hpp"
#include "goban/runtime/host_calibration.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::other_load_test {
namespace {

TEST(OtherLoad, IsWhatTheSystemCountsBesideThisProcess) {
  const test::ScratchFolder root;
  root.store("proc/stat", "cpu  100 0 100 5000 7 0 0 0 0 0\ncpu0 1 1 1 1\n");
  const OtherLoad load(root.path());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(load.processors(), 0);
  root.store("proc/stat", "cpu  150000 0 100 5000 900 0 0 50000 0 0\n");
  EXPECT_GT(load.processors(), 100);
  EXPECT_EQ(OtherLoad(root.path() / "nowhere").processors(), 0);
}

TEST(Disturbance, IsToldByRepeatsAndByOthers) {
  Calibration calibration;
  EXPECT_EQ(disturbance_of(calibration, 1), "");
  calibration.others = 1e4;
  EXPECT_NE(disturbance_of(calibration, 1).find("processors busy"), std::string::npos);
  EXPECT_EQ(disturbance_of(calibration, 10001), "");  // ranks that wait
  calibration.spread = 0.4;
  EXPECT_EQ(disturbance_of(calibration, 1), "repeats lie 40 % apart");
}

}  // namespace
}  // namespace goban::other_load_test
