#include "goban/domain/watch/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "goban/base/error.hpp"
#include "goban/domain/watch/watch.hpp"

namespace goban::verdict_test {
namespace {

constexpr double patience = 20;

RankState waits(double idle, int peer = ActivityBoard::everybody) {
  return {
      .activity = Activity::sweep, .is_waiting = true, .peer = peer, .idle = idle, .patience = 20};
}
RankState does(Activity activity, double idle, double own_patience = patience) {
  return {.activity = activity, .idle = idle, .patience = own_patience};
}

int stuck_rank(const std::vector<RankState>& ranks) {
  const auto stuck = find_stuck(ranks, patience);
  return stuck ? stuck->rank : -1;
}

TEST(FindStuck, ARankThatComputesWithoutProgressHangs) {
  const std::vector<RankState> ranks{waits(21), waits(22), does(Activity::sweep, 23), waits(21)};
  const auto stuck = find_stuck(ranks, patience);
  ASSERT_TRUE(stuck);
  EXPECT_EQ(stuck->rank, 2);
  EXPECT_EQ(stuck->waiter, 0);
  EXPECT_EQ(stuck->how, Stuck::How::hangs);
  EXPECT_EQ(describe(*stuck, "rank 2 (host b, pid 47)", ranks),
            "rank 2 (host b, pid 47) hangs in a sweep (no progress for 23 s, and rank 0 has waited "
            "for all ranks for 21 s); if that is no endless loop allow more time, "
            "GOBAN_WATCH=10,100");
}
TEST(FindStuck, OfSeveralTheFirstToStopIsNamed) {
  EXPECT_EQ(stuck_rank({waits(25), does(Activity::sweep, 23), does(Activity::sweep, 24)}), 2);
}
TEST(FindStuck, NobodyWaitsNobodyHangs) {
  EXPECT_EQ(stuck_rank({does(Activity::sweep, 1000), does(Activity::sweep, 1)}), -1);
  EXPECT_EQ(stuck_rank({waits(19), does(Activity::sweep, 1000)}), -1);
}
TEST(FindStuck, ProgressIsPatient) {
  EXPECT_EQ(stuck_rank({waits(300), does(Activity::sweep, 1)}), -1);
}
TEST(FindStuck, ARankWithLongSweepsMayTakeLonger) {
  EXPECT_EQ(stuck_rank({waits(60), does(Activity::sweep, 60, 100)}), -1);
  EXPECT_EQ(stuck_rank({waits(60), does(Activity::sweep, 101, 100)}), 1);
}
TEST(FindStuck, WhatMayTakeLongIsWaitedFor) {
  for (const Activity activity : {Activity::other, Activity::tuning, Activity::output,
                                  Activity::checkpoint, Activity::call, Activity::ending})
    EXPECT_EQ(stuck_rank({waits(3000), does(activity, 3000)}), -1);
}
TEST(FindStuck, ARankThatHasEndedIsNotWaitedFor) {
  RankState ended = waits(40);
  ended.activity = Activity::ending;
  EXPECT_EQ(stuck_rank({waits(21), ended, waits(25)}), 1);
  EXPECT_EQ(stuck_rank({waits(21), ended, does(Activity::output, 25)}), -1);
  EXPECT_EQ(stuck_rank({does(Activity::output, 25), ended, ended}), -1);
  EXPECT_EQ(stuck_rank({ended, ended}), -1);
}
TEST(FindStuck, AllMayWaitForALargeMessageButNotForever) {
  EXPECT_EQ(stuck_rank({waits(100, 1), waits(90, 0)}), -1);
  EXPECT_EQ(stuck_rank({waits(300, 1), waits(290, 0)}), 1);
  EXPECT_EQ(find_stuck(std::vector{waits(300), waits(290)}, patience)->how, Stuck::How::deadlock);
}

TEST(WatchOptions, AreRead) {
  EXPECT_FALSE(watch_options("off").is_on);
  EXPECT_EQ(watch_options("").patience, 20);
  EXPECT_EQ(watch_options("3").silence, 3);
  EXPECT_EQ(watch_options("3,4.5").patience, 4.5);
  for (const char* wrong : {"on", "1,", "1,x", "-1", "1,2,3", "nan"})
    EXPECT_THROW(watch_options(wrong), Error) << wrong;
}

}  // namespace
}  // namespace goban::verdict_test
