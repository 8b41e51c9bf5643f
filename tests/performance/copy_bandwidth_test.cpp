#include "goban/performance/measure/copy_bandwidth.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/error.hpp"

namespace goban::copy_bandwidth_test {
namespace {

TEST(CopyBandwidth, IsAPositiveRateOfWholePages) {
  ThreadTeam team(2);
  const CopyBandwidth copy = measure_copy_bandwidth(team, (1 << 20) + 1);
  EXPECT_EQ(copy.bytes, (1 << 20) + 4096);
  EXPECT_GE(copy.best, copy.median);
  EXPECT_GT(copy.median, 1e6);
  EXPECT_LT(copy.best, 1e14);
}

TEST(CopyBandwidth, IsMeasuredOncePerTeamSize) {
  ThreadTeam team(1);
  const CopyBandwidth first = copy_bandwidth(team), second = copy_bandwidth(team);
  EXPECT_EQ(first.best, second.best);
  EXPECT_EQ(first.median, second.median);
  EXPECT_GT(first.bytes, 0);
}

TEST(CopyBandwidth, ProcessesOfAMachineShareTheMemory) {
  ThreadTeam team(1);
  constexpr Index least = Index{256} << 20;
  const Index alone = copy_bandwidth(team, 1, least).bytes;
  EXPECT_LE(alone, least);
  EXPECT_LE(copy_bandwidth(team, 4, least).bytes, least / 4);
  EXPECT_EQ(copy_bandwidth(team, 1, 5).bytes, alone) << "too small an array tells of caches";
}

TEST(CopyBandwidth, TakesTheMemoryThatItSays) {
  ThreadTeam team(1);
  constexpr Index most = Index{300} << 20;
  const Index said = memory_of_copy_bandwidth(most);
  const Index taken = 2 * copy_bandwidth(team, 1, most).bytes;
  // What is left to others changes meanwhile.
  EXPECT_NEAR(static_cast<double>(taken), static_cast<double>(said),
              0.1 * static_cast<double>(said));
}

TEST(CopyBandwidth, RefusesMemoryThatCannotBeHad) {
  ThreadTeam team(1);
  try {
    measure_copy_bandwidth(team, Index{1} << 60);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
  }
}

}  // namespace
}  // namespace goban::copy_bandwidth_test
