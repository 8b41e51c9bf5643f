#include "goban/simulation/when.hpp"

#include <gtest/gtest.h>

#include "goban/simulation/triggers.hpp"

namespace goban::when_test {
namespace {

using Steps = std::vector<Index>;

Steps due_steps(When when, Index first, Index last) {
  Steps steps;
  for (Index step = first; step <= last; ++step) {
    if (when.due({step, 0.1 * static_cast<double>(step), 0})) steps.push_back(step);
  }
  return steps;
}

TEST(Schedules, AreDueWhenAnyTriggerIs) {
  EXPECT_EQ(due_steps(every(4) | at({1, 8}), 0, 9), (Steps{0, 1, 4, 8}));
  EXPECT_EQ(due_steps(every(4) | every_time(0.6), 0, 12), (Steps{0, 4, 6, 8, 12}));
  EXPECT_EQ(due_steps(When(), 0, 9), Steps{});
  EXPECT_EQ(due_steps(at_end(), 0, 9), Steps{});
}

TEST(Schedules, AskForTheNearestMoment) {
  When when = every(100) | at({7});
  const Clock start{0, 0, 0};
  when.due(start);
  EXPECT_EQ(when.steps_until_due(start, 0.1), 7);
  EXPECT_EQ(When().steps_until_due(start, 0.1), Trigger::no_limit);
  EXPECT_EQ(When().time_until_due(start), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ((every(1) | every_time(0.5) | every_time(0.3)).time_until_due(start), 0.3);
}

TEST(Schedules, KnowTheEnd) {
  EXPECT_FALSE(When(every(1)).is_at_end());
  EXPECT_TRUE(at_end().is_at_end());
  EXPECT_TRUE((every(1) | at_end()).is_at_end());
  EXPECT_EQ((every(3) | at_end()).describe(), "every 3 steps, at the end");
  EXPECT_EQ(When().describe(), "never");
  EXPECT_EQ((every_time(0.01) | at_end()).describe("s"),
            "every 10 ms of simulated time, at the end");
}

TEST(Schedules, GoOnFromTheirState) {
  When before = every(4) | every(6);
  for (Index step = 0; step <= 9; ++step) before.due({step, 0, 0});
  When after = every(4) | every(6);
  after.restore(before.state());
  EXPECT_EQ(due_steps(after, 9, 20), (Steps{12, 16, 18, 20}));
}

TEST(Schedules, TakeTheStateOfAnotherSchedule) {
  When before = every(4);
  for (Index step = 0; step <= 9; ++step) before.due({step, 0, 0});
  When after = every(3) | at({5, 11});
  after.restore(before.state());
  EXPECT_EQ(due_steps(after, 9, 13), (Steps{9, 11, 12})) << "8 was the last moment of the other";
  When none;
  none.restore(before.state());
  after.restore({});
}

TEST(When, TellsHowOftenItWillBeDue) {
  EXPECT_EQ(When().times_due(100, 1), 0);
  EXPECT_EQ(When(every(10)).times_due(100, 1), 11);  // 0 and 100 are moments
  EXPECT_EQ((every(10) | at_end()).times_due(100, 1), 11);
  EXPECT_EQ((every(10) | at_end()).times_due(105, 1), 12);
  EXPECT_EQ((every(10) | every(25)).times_due(100, 1), 13);
  EXPECT_EQ(When(every_time(0.2)).times_due(100, 0.01), 6);
  EXPECT_EQ(When(at({0.5, 2.0})).times_due(100, 0.01), 1);
  EXPECT_EQ((every_wall(5) | at_end()).times_due(100, 1), 1);
  EXPECT_EQ(When(every(1)).times_due(4'000'000, 1), 4'000'000);
}

}  // namespace
}  // namespace goban::when_test
