#include "goban/runtime/runtime.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cpu/thread_team.hpp"
#include "tests/error_text.hpp"

namespace goban {
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

}  // namespace
}  // namespace goban
