#include "goban/program/step_clock.hpp"

#include <gtest/gtest.h>

namespace goban::step_clock_test {
namespace {

TEST(StepClock, AddsUpNothingWhileTheTimeStepStays) {
  StepClock clock{.time = 0.5, .dt = 0.1};
  for (int n = 1; n <= 10000; ++n) {
    EXPECT_EQ(clock.end_of_step(), 0.5 + n * 0.1);
    clock.advance();
    ASSERT_EQ(clock.time, 0.5 + n * 0.1);
    ASSERT_EQ(clock.step, n);
  }
}

TEST(StepClock, CountsStepsOfAnotherLengthFromWhereTheyBegin) {
  StepClock clock{.dt = 0.1};
  for (int n = 0; n < 10; ++n) clock.advance();
  clock.dt = 0.3;
  for (int n = 0; n < 7; ++n) clock.advance();
  EXPECT_EQ(clock.time, 1.0 + 7 * 0.3);
  const auto parameter = std::make_shared<ParameterRecord>(ParameterRecord{"dt", 0.25});
  clock.dt_parameter = parameter;
  clock.advance();
  parameter->value = 0.5;
  clock.advance();
  EXPECT_EQ(clock.time, 1.0 + 7 * 0.3 + 0.25 + 0.5);
}

TEST(StepClock, GoesOnFromWhereItIsPut) {
  StepClock clock{.dt = 0.1};
  for (int n = 0; n < 3; ++n) clock.advance();
  clock.time = 2;
  clock.advance();
  EXPECT_EQ(clock.time, 2 + 0.1);
}

}  // namespace
}  // namespace goban::step_clock_test
