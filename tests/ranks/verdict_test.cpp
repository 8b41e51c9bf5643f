#include "goban/domain/watch/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "goban/domain/watch/judge.hpp"

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

const FailureReport disk{1, 4, "the disk is full"}, same{0, 4, "the disk is full"};
const FailureReport lost{2, 6, "MPI failed"};

TEST(Failures, AreAlikeWhenAllHaveTheSameText) {
  EXPECT_EQ(judge(std::vector{disk, same}, 2, 0.1, 1.5), FailureVerdict::alike);
  EXPECT_EQ(judge(std::vector{disk, lost}, 2, 0.1, 1.5), FailureVerdict::alone);
  EXPECT_EQ(judge(std::vector{disk}, 2, 0.1, 1.5), FailureVerdict::wait);
  EXPECT_EQ(judge(std::vector{disk}, 2, 1.6, 1.5), FailureVerdict::alone);
  EXPECT_EQ(judge({}, 2, 1.6, 1.5), FailureVerdict::wait);
}
TEST(Failures, AreNotCausedByLosses) {
  EXPECT_EQ(cause(std::vector{lost, disk, same}).rank, 1);
  EXPECT_EQ(cause(std::vector{lost}).rank, 2);
}

TEST(WatchOptions, AreRead) {
  EXPECT_FALSE(watch_options("off").is_on);
  EXPECT_EQ(watch_options("").patience, 20);
  EXPECT_EQ(watch_options("3").silence, 3);
  EXPECT_EQ(watch_options("3,4.5").patience, 4.5);
  for (const char* wrong : {"on", "1,", "1,x", "-1", "1,2,3", "nan"})
    EXPECT_THROW(watch_options(wrong), Error) << wrong;
}

class JudgeOfThree : public testing::Test {
 protected:
  using Kind = WatchNote::Kind;
  static std::vector<RankCard> cards() {
    std::vector<RankCard> all(3);
    for (int rank = 0; rank < 3; ++rank)
      all[rank] = {.rank = rank, .pid = 100 + rank, .host = {'b'}};
    return all;
  }
  Judge judge_{cards(), {}};
};

TEST_F(JudgeOfThree, NamesARankThatDiedOnce) {
  EXPECT_FALSE(judge_.decide(1));
  judge_.hear({.kind = Kind::lost, .rank = 2}, "", 1);
  judge_.hear({.kind = Kind::lost, .rank = 1}, "", 1);
  const auto order = judge_.decide(1);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, Kind::end);
  EXPECT_EQ(order->code, 6);
  EXPECT_EQ(order->line.substr(0, 28), "rank 2 (host b, pid 102) die");
  EXPECT_FALSE(judge_.decide(2));
}
TEST_F(JudgeOfThree, LetsARankSpeakOrSpeaksForIt) {
  judge_.hear({.kind = Kind::failure, .rank = 1, .code = 4}, "the disk is full", 1);
  EXPECT_FALSE(judge_.decide(2));
  auto order = judge_.decide(3);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, Kind::speak);
  EXPECT_EQ(order->rank, 1);
  EXPECT_FALSE(judge_.decide(3.5));
  order = judge_.decide(5);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, Kind::end);
  EXPECT_EQ(order->code, 4);
  EXPECT_EQ(order->line, "rank 1 (b): the disk is full");
}
TEST_F(JudgeOfThree, DoesNotWaitForFailuresOfRanksThatHaveEnded) {
  judge_.hear({.kind = Kind::failure, .rank = 0, .code = 4}, "the disk is full", 1);
  for (const int rank : {2, 1}) {
    EXPECT_FALSE(judge_.decide(1));
    judge_.hear({.kind = Kind::exiting, .rank = rank}, "", 1);
  }
  EXPECT_EQ(judge_.decide(1)->kind, Kind::speak);
}
TEST_F(JudgeOfThree, SaysNothingAfterASpeaker) {
  judge_.hear({.kind = Kind::failure, .rank = 1, .code = 4}, "the disk is full", 1);
  judge_.decide(3);
  judge_.hear({.kind = Kind::spoken, .rank = 1}, "", 3);
  const auto order = judge_.decide(3);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->code, 4);
  EXPECT_EQ(order->line, "");
}
TEST_F(JudgeOfThree, LetsAllEndThatFailAlike) {
  for (const int rank : {2, 0, 0, 1}) {
    EXPECT_FALSE(judge_.decide(1));
    judge_.hear({.kind = Kind::failure, .rank = rank, .code = 4}, "the disk is full", 1);
  }
  const auto order = judge_.decide(1);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, Kind::alike);
  judge_.hear({.kind = Kind::lost, .rank = 2}, "", 1);
  EXPECT_FALSE(judge_.decide(1));
}
TEST_F(JudgeOfThree, LetsRanksExitTogether) {
  for (const int rank : {2, 0, 1}) {
    EXPECT_FALSE(judge_.decide(1));
    judge_.hear({.kind = Kind::exiting, .rank = rank}, "", 1);
  }
  ASSERT_EQ(judge_.decide(1)->kind, Kind::exit);
  EXPECT_FALSE(judge_.decide(1));
}
TEST_F(JudgeOfThree, ForgetsWhatRanksDidBeforeAPause) {
  judge_.hear({.kind = Kind::state, .rank = 0, .state = waits(30)}, "", 1);
  judge_.hear({.kind = Kind::state, .rank = 1, .state = does(Activity::sweep, 30)}, "", 1);
  judge_.forgive();
  EXPECT_FALSE(judge_.decide(1));
}

}  // namespace
}  // namespace goban::verdict_test
