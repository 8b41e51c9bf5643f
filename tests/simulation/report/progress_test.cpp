#include "goban/simulation/report/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace goban::progress_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FormatProgress, TellsEverythingThatIsKnown) {
  ProgressState state;
  state.step = 1200;
  state.steps = 5000;
  state.time = 0.012;
  state.updates_per_second = 5.432e9;
  state.effective_bandwidth = 43.45e9;
  state.copy_bandwidth = 53e9;
  state.fraction = 0.2499;
  state.seconds_left = 61.2;
  EXPECT_EQ(format(state),
            "24 %  1:02 left  step 1200/5000  t = 0.012  5.43 GLUP/s  43.5 GB/s (82 % of copy)");
  state.time_unit = "s";
  EXPECT_THAT(format(state), HasSubstr("  t = 12 ms  "));
}

TEST(FormatProgress, WhatMattersSurvivesANarrowTerminal) {
  ProgressState state;
  state.step = 123456;
  state.steps = 250000;
  state.time = 0.0123456;
  state.time_unit = "s";
  state.updates_per_second = 5.432e9;
  state.effective_bandwidth = 43.45e9;
  state.copy_bandwidth = 53e9;
  state.fraction = 0.5;
  state.seconds_left = 3661;
  EXPECT_EQ(format(state, 79), "50 %  1:01:01 left  step 123456/250000  t = 12.35 ms  5.43 GLUP/s");
  EXPECT_EQ(format(state, 20), "50 %  1:01:01 left");
}

TEST(FormatProgress, ATimeThatCountsStepsIsNotToldTwice) {
  ProgressState state;
  state.step = 12;
  state.time = 12;
  EXPECT_EQ(format(state), "step 12");
}

TEST(FormatProgress, LeavesOutWhatIsUnknown) {
  ProgressState state;
  EXPECT_EQ(format(state), "step 0");
  state.step = 7;
  state.updates_per_second = 1.5e6;
  state.effective_bandwidth = 12e6;
  EXPECT_EQ(format(state), "step 7  t = 0  1.5 MLUP/s  0.012 GB/s");
}

TEST(FormatProgress, SaysHundredPercentOnlyAtTheEnd) {
  ProgressState state;
  state.fraction = 0.99999;
  EXPECT_THAT(format(state), HasSubstr("99 %"));
  state.fraction = 1;
  EXPECT_THAT(format(state), HasSubstr("100 %"));
}

TEST(FormatDuration, UsesTheUnitsOneReads) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(58.3), "59 s");
  EXPECT_EQ(format_duration(62), "1:02");
  EXPECT_EQ(format_duration(59 * 60 + 59.5), "1:00:00");
  EXPECT_EQ(format_duration(3 * 3600 + 4 * 60 + 5), "3:04:05");
  EXPECT_EQ(format_duration(2 * 86400 + 3 * 3600 + 4 * 60 + 5), "2 d 03:04");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "for ever");
}

class ProgressOf : public testing::Test {
 protected:
  ProgressOf() { unsetenv("NO_COLOR"); }
  ~ProgressOf() override { std::fclose(file_); }

  std::string written() {
    std::string text(static_cast<std::size_t>(std::ftell(file_)), ' ');
    std::rewind(file_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file_), text.size());
    return text;
  }
  static long count(const std::string& text, char c) {
    return std::count(text.begin(), text.end(), c);
  }

  Progress::Plan plan_{.cells = 1e6, .bytes_per_update = 8, .copy_bandwidth = 1e10, .steps = 1000};
  std::FILE* file_ = std::tmpfile();
};

TEST_F(ProgressOf, AFileIsPlainAndGetsALineEveryHalfMinute) {
  Progress progress(file_, plan_);
  for (int step = 1; step <= 1000; ++step) progress.update(step, 0.1 * step, 0.1 * step);
  progress.finish(1000, 100, 100, true);
  const std::string text = written();
  EXPECT_EQ(count(text, '\n'), 4);  // at 30, 60 and 90 s, and the last
  EXPECT_EQ(count(text, '\r'), 0);
  EXPECT_EQ(count(text, '\x1b'), 0);
  EXPECT_THAT(text, HasSubstr("30 %  1:10 left  step 300/1000  t = 30  0.01 GLUP/s  0.08 GB/s "
                              "(1 % of copy)\n"));
  EXPECT_THAT(text, HasSubstr("100 %  step 1000/1000  t = 100  0.01 GLUP/s  0.08 GB/s "
                              "(1 % of copy)\n"));
}

TEST_F(ProgressOf, ATerminalKeepsOneLine) {
  Progress progress(file_, plan_, Progress::Style::terminal);
  for (int step = 1; step <= 1000; ++step) progress.update(step, 0, 0.01 * step);
  progress.finish(1000, 0, 10, true);
  const std::string text = written();
  EXPECT_EQ(count(text, '\n'), 1);
  EXPECT_GE(count(text, '\r'), 90);
  EXPECT_LE(count(text, '\r'), 102);
  EXPECT_THAT(text, HasSubstr("\x1b[36m"));
}

TEST_F(ProgressOf, NoColourIsRespected) {
  setenv("NO_COLOR", "1", 1);
  Progress progress(file_, plan_, Progress::Style::terminal);
  progress.update(10, 0, 1);
  progress.finish(20, 0, 2, true);
  EXPECT_THAT(written(), Not(HasSubstr("\x1b[36m")));
  unsetenv("NO_COLOR");
}

TEST_F(ProgressOf, ALiveLineFitsTheTerminal) {
  plan_.steps = std::numeric_limits<Index>::max();
  Progress progress(file_, plan_, Progress::Style::terminal);
  progress.update(Index{1} << 61, 1.23456e-100, 1);
  const std::string text = written();
  const auto start = text.find("\x1b[36m") + 5, end = text.find("\x1b[0m");
  ASSERT_NE(end, std::string::npos);
  EXPECT_LE(end - start, 79u);
  EXPECT_GE(end - start, 40u);
}

TEST_F(ProgressOf, MessagesGoAboveTheLiveLine) {
  Progress progress(file_, plan_, Progress::Style::terminal);
  progress.update(10, 0, 1);
  progress.say("checkpoint written");
  EXPECT_THAT(written(), HasSubstr("\r\x1b[Kcheckpoint written\n"));
}

TEST_F(ProgressOf, TheEndIsWhatComesFirst) {
  plan_.end_time = 2;
  Progress progress(file_, plan_);
  progress.update(100, 1, 30);  // 10 % of the steps, half of the time
  EXPECT_THAT(written(), HasSubstr("50 %  30 s left  step"));
}

TEST_F(ProgressOf, ARestartCountsFromWhereItBegan) {
  plan_.first_step = 600;
  Progress progress(file_, plan_);
  progress.update(700, 0, 50);
  EXPECT_THAT(written(),
              HasSubstr("25 %  2:30 left  step 700/1000  t = 0  2 MLUP/s  0.016 GB/s (0 % of "
                        "copy)\n"));
}

TEST_F(ProgressOf, ARunThatIsOverHasReachedEverything) {
  plan_.steps = 0;
  plan_.end_time = 1;
  Progress progress(file_, plan_);
  progress.update(500, 0.5, 31);
  progress.finish(999, 0.9999999, 60, true);
  EXPECT_THAT(written(), AllOf(HasSubstr("50 %  31 s left"), HasSubstr("\n100 %  step 999  ")));
}

TEST_F(ProgressOf, ARunThatIsStoppedHasNot) {
  Progress progress(file_, plan_);
  progress.finish(999, 999, 60, false);
  EXPECT_THAT(written(), HasSubstr("99 %  step 999/1000"));
}

TEST_F(ProgressOf, ASteadyRunTellsItsResidualAgainstTheTolerance) {
  plan_.steps = 10000;
  Parameter<double> residual("residual", 1.0);
  plan_.goals = {residual < 1e-6};
  Progress progress(file_, plan_);
  progress.update(1, 1, 31);
  residual.set(1e-3);
  progress.update(100, 100, 62);
  residual.set(1e-7);
  progress.finish(210, 210, 130, true);
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("50 %  "));
  EXPECT_THAT(text, HasSubstr(" left  residual 0.001 (until < 1e-06)  step 100/10000  "));
  EXPECT_THAT(text, HasSubstr("100 %  residual 1e-07 (until < 1e-06)  step 210/10000  "));
}

}  // namespace
}  // namespace goban::progress_test
