#include "goban/simulation/triggers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::triggers_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Steps at which the trigger is due when the driver goes in cycles of at most `longest` steps.
std::vector<Index> due_steps(Trigger trigger, Index steps, double dt, Index longest,
                             Index start = 0) {
  std::vector<Index> result;
  for (Index step = start;;) {
    const Clock now{step, static_cast<double>(step) * dt, 0};
    if (trigger.due(now)) result.push_back(step);
    if (step >= steps) return result;
    step += std::min({longest, trigger.steps_until_due(now, dt), steps - step});
  }
}

using Steps = std::vector<Index>;

TEST(EveryNSteps, IsDueAtAllMultiplesWhateverTheCycle) {
  for (const Index cycle : {1, 2, 3, 4, 7, 1000})
    EXPECT_EQ(due_steps(every(4), 14, 0.1, cycle), (Steps{0, 4, 8, 12})) << cycle;
}

TEST(EveryNSteps, IsDueOnceWhereItWasOverrun) {
  Trigger trigger = every(10);
  EXPECT_TRUE(trigger.due({0, 0, 0}));
  EXPECT_FALSE(trigger.due({9, 0, 0}));
  EXPECT_TRUE(trigger.due({35, 0, 0}));
  EXPECT_FALSE(trigger.due({35, 0, 0}));
  EXPECT_FALSE(trigger.due({39, 0, 0}));
  EXPECT_TRUE(trigger.due({40, 0, 0}));
}

TEST(EveryTime, NeitherSkipsNorDoublesMomentsThatRoundOffBlurs) {
  // 0.1 is no binary fraction: step * dt lies above and below the multiples of 0.3.
  for (const Index cycle : {1, 2, 5, 1000}) {
    const Steps steps = due_steps(every_time(0.3), 3000, 0.1, cycle);
    ASSERT_EQ(steps.size(), 1001u) << cycle;
    for (std::size_t k = 0; k < steps.size(); ++k) ASSERT_EQ(steps[k], static_cast<Index>(3 * k));
  }
}

TEST(EveryTime, HoldsWhenTimeIsAddedUpStepByStep) {
  Trigger trigger = every_time(0.1);
  double time = 0;
  int count = 0;
  for (Index step = 0; step <= 10000; ++step, time += 0.01) {
    const bool due = trigger.due({step, time, 0});
    EXPECT_EQ(due, step % 10 == 0) << step;
    count += due;
  }
  EXPECT_EQ(count, 1001);
}

TEST(EveryTime, IsDueAtTheFirstStepNotBeforeTheMoment) {
  for (const Index cycle : {1, 2, 1000})
    EXPECT_EQ(due_steps(every_time(1.0), 10, 0.4, cycle), (Steps{0, 3, 5, 8, 10})) << cycle;
}

TEST(EveryTime, IsMetExactlyByAStepShortenedToIt) {
  Trigger trigger = every_time(0.7);
  EXPECT_TRUE(trigger.due({0, 0, 0}));
  double time = 0;
  for (int moment = 1; moment <= 1000; ++moment) {
    for (int step = 0; step < 2; ++step) {
      EXPECT_FALSE(trigger.due({0, time, 0}));
      const double left = trigger.time_until_due({0, time, 0});
      time += step == 0 ? left / 2 : left;
    }
    EXPECT_TRUE(trigger.due({0, time, 0})) << moment;
    EXPECT_NEAR(time, 0.7 * moment, 1e-9);
  }
}

TEST(EveryWall, IsDueAfterEachIntervalAndNeverShortensACycle) {
  Trigger trigger = minutes(5);
  EXPECT_FALSE(trigger.due({0, 0, 0}));
  EXPECT_FALSE(trigger.due({1, 0, 299}));
  EXPECT_TRUE(trigger.due({2, 0, 305}));
  EXPECT_FALSE(trigger.due({3, 0, 604}));
  EXPECT_TRUE(trigger.due({3, 0, 605}));
  EXPECT_EQ(trigger.steps_until_due({3, 0, 605}, 0.1), Trigger::no_limit);
  EXPECT_EQ(trigger.time_until_due({3, 0, 605}), infinity);
  EXPECT_EQ(seconds(30).describe(), "every 30 s of wall time");
  EXPECT_EQ(hours(2).describe(), "every 7200 s of wall time");
}

TEST(At, MeetsEachGivenStepOrTimeOnce) {
  for (const Index cycle : {1, 3, 1000}) {
    EXPECT_EQ(due_steps(at({20, 7, 7, 500}), 100, 0.1, cycle), (Steps{7, 20}));
    EXPECT_EQ(due_steps(at({0.0, 0.3, 0.55}), 100, 0.1, cycle), (Steps{0, 3, 6}));
  }
  EXPECT_EQ(at({20, 7}).steps_until_due({20, 0, 0}, 0.1), Trigger::no_limit);
  EXPECT_EQ(at({0.5}).steps_until_due({20, 2.0, 0}, 0.1), Trigger::no_limit);
}

TEST(Trigger, IsNeverDueByDefault) {
  Trigger trigger;
  EXPECT_FALSE(trigger.due({0, 0, 0}));
  EXPECT_FALSE(trigger.due({1000, 1e9, 1e9}));
  EXPECT_EQ(trigger.steps_until_due({5, 0.5, 1}, 0.1), Trigger::no_limit);
}

TEST(Trigger, CanSkipTheInitialState) {
  for (Trigger trigger : {every(3), every_time(0.3), at({0, 3}), at({0.0, 0.3})}) {
    trigger.skip({0, 0, 0});
    EXPECT_FALSE(trigger.due({0, 0, 0})) << trigger.describe();
    EXPECT_FALSE(trigger.due({2, 0.2, 0})) << trigger.describe();
    EXPECT_TRUE(trigger.due({3, 0.3, 0})) << trigger.describe();
  }
}

TEST(Trigger, ContinuesAfterARestartAsIfNothingHadHappened) {
  for (const Trigger& schedule : {every(3), every_time(0.25), at({3, 20, 21}), at({0.35, 2.0})}) {
    const Steps whole = due_steps(schedule, 40, 0.1, 4);
    for (Index cut = 0; cut <= 40; ++cut) {
      Trigger before = schedule;
      Steps parts;
      for (Index step = 0; step <= cut; ++step)
        if (before.due({step, static_cast<double>(step) * 0.1, 0})) parts.push_back(step);
      Trigger after = schedule;
      after.restore(before.state());
      for (const Index step : due_steps(after, 40, 0.1, 3, cut)) parts.push_back(step);
      EXPECT_EQ(parts, whole) << schedule.describe() << " cut at " << cut;
    }
  }
}

TEST(Trigger, MayChangeItsScheduleAtARestart) {
  Trigger before = every_time(1.0);
  EXPECT_TRUE(before.due({10, 3.0, 0}));
  Trigger after = every_time(0.4);
  after.restore(before.state());
  EXPECT_FALSE(after.due({10, 3.0, 0}));
  EXPECT_FALSE(after.due({11, 3.1, 0}));
  EXPECT_TRUE(after.due({12, 3.2, 0}));
}

TEST(Trigger, RefusesStatesItNeverWrote) {
  Trigger trigger = every(2);
  for (const char* text : {"", "step 3", "step x time 1", "step 3 time 1 ", "step 3 time nan"}) {
    EXPECT_EQ(test::code_of([&] { trigger.restore(text); }), ExitCode::no_checkpoint) << text;
  }
}

TEST(Trigger, DescribesItself) {
  EXPECT_EQ(every(100).describe(), "every 100 steps");
  EXPECT_EQ(every_time(0.5).describe(), "every 0.5 of simulated time");
  EXPECT_EQ(every_time(0.002).describe("s"), "every 2 ms of simulated time");
  EXPECT_EQ(at({0.5, 2.0}).describe("s"), "at t = 500 ms, 2 s");
  EXPECT_EQ(at({2, 1}).describe(), "at steps 1, 2");
  EXPECT_EQ(at({0.5}).describe(), "at t = 0.5");
  EXPECT_EQ(Trigger().describe(), "never");
}

TEST(Trigger, RefusesIntervalsThatNeverPass) {
  EXPECT_THROW(every(0), Error);
  EXPECT_THROW(every_time(0), Error);
  EXPECT_THROW(every_time(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(every_wall(-1), Error);
  EXPECT_THROW(at({-1}), Error);
  EXPECT_THROW(at({-0.5}), Error);
}

}  // namespace
}  // namespace goban::triggers_test
