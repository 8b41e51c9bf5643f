#include "goban/base/process/start_times.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace goban::start_times_test {
namespace {

TEST(StartTimes, WhatIsPreparedWithinAnotherPreparationIsPartOfThatOne) {
  StartTimes::take();
  {
    const Preparing outer(Preparation::calibration);
    const Preparing inner(Preparation::memory);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  { const Preparing alone(Preparation::fields); }
  const StartTimes times = StartTimes::take();
  const auto of = [&](Preparation what) { return times.of[static_cast<std::size_t>(what)]; };
  EXPECT_GE(of(Preparation::calibration), 2e-3);
  EXPECT_EQ(of(Preparation::memory), 0);
  EXPECT_GT(of(Preparation::fields), 0);
  EXPECT_GE(times.total, of(Preparation::calibration));
  EXPECT_EQ(StartTimes::take().of, (decltype(times.of){}));
}

TEST(StartTimes, EachPreparationHasAName) {
  for (const Preparation what : preparations) EXPECT_STRNE(name_of(what), "");
}

}  // namespace
}  // namespace goban::start_times_test
