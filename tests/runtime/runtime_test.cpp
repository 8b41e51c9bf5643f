#include "goban/runtime/runtime.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/performance/machine/known_machine.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/performance/model/machine_rates.hpp"
#include "goban/runtime/host_calibration.hpp"
#include "tests/cache_of_test.hpp"
#include "tests/error_text.hpp"

namespace goban::runtime_test {
namespace {

TEST(Runtime, RefusesThreadsThatWouldHardlyDoButWait) {
  const int cores = ThreadTeam::logical_cores();
  EXPECT_GE(cores, ThreadTeam::usable_cores());
  Settings settings;
  settings.threads = 16 * cores + 1;
  const std::string text = test::error_of([&] { Runtime runtime(settings); });
  const std::string number = std::to_string(cores);
  EXPECT_EQ(text, std::to_string(settings.threads) + " threads are refused (this process may use " +
                      number + (cores == 1 ? " core" : " cores") +
                      ", threads beyond them wait for each other); ask for " + number + " or auto");
}

TEST(Runtime, RunsMoreThreadsThanCores) {
  Settings settings;
  settings.threads = ThreadTeam::logical_cores() + 1;
  EXPECT_EQ(Runtime(settings).threads(), settings.threads);
}

/// What a test has asked for ends with it.
struct MeasuredHosts {
  ~MeasuredHosts() { measure_unknown_hosts(false); }
};

TEST(Runtime, MeasuresAMachineOnceAndRemembersIt) {
  const test::CacheOfTest cache;
  const MeasuredHosts restored;
  Settings settings;
  settings.threads = 1;
  const std::string host = host_of_cpu(1);
  EXPECT_TRUE(Runtime(settings).machine().host.empty());
  EXPECT_FALSE(recall_machine(host));
  measure_unknown_hosts(true);
  const MachineRates measured = Runtime(settings).machine();
  EXPECT_EQ(measured.host, host);
  EXPECT_TRUE(measured.is_quick);
  if (!recall_machine(host)) GTEST_SKIP() << "others computed while it measured";
  EXPECT_EQ(machine_text(*recall_machine(host)), machine_text(measured));
  EXPECT_EQ(machine_text(Runtime(settings).machine()), machine_text(measured));
}

TEST(Runtime, ADamagedMachineFileCountsAsNone) {
  const test::CacheOfTest cache;
  const std::string host = host_of_cpu(1);
  for (const char* text : {"", "format = 7\nname = \"x", "\xff", "format = 6"}) {
    std::ofstream(remembered_machine(host)) << text;
    testing::internal::CaptureStderr();
    Settings settings;
    settings.threads = 1;
    EXPECT_TRUE(Runtime(settings).machine().host.empty());
    EXPECT_NE(testing::internal::GetCapturedStderr().find("goban calibrate measures it anew"),
              std::string::npos);
  }
  remember_machine([&] {
    MachineRates machine = typical_machine(false, 1);
    machine.host = host;
    return machine;
  }());
  EXPECT_EQ(recall_machine(host)->host, host);
}

TEST(Runtime, TakesAShippedMachineWhereItIsNamed) {
  const test::CacheOfTest cache;
  const MeasuredHosts restored;
  Settings settings;
  settings.threads = 1;
  settings.machine = "xeon-core";
  measure_unknown_hosts(true);
  EXPECT_EQ(Runtime(settings).machine().name, "Xeon core");
  EXPECT_FALSE(recall_machine(host_of_cpu(1)));
}

TEST(Runtime, OnPaperNothingIsMeasured) {
  const test::CacheOfTest cache;
  const MeasuredHosts restored;
  Settings settings;
  settings.threads = 1;
  settings.on_paper = true;
  measure_unknown_hosts(true);
  EXPECT_TRUE(Runtime(settings).machine().host.empty());
  EXPECT_FALSE(recall_machine(host_of_cpu(1)));
}

}  // namespace
}  // namespace goban::runtime_test
