#include "goban/backend/timeline.hpp"

#include <gtest/gtest.h>

namespace goban::timeline_test {
namespace {

TEST(Timeline, KeepsTheFirstBarsAndCountsTheOthers) {
  Timeline timeline(2);
  for (int i = 0; i < 5; ++i) {
    if (timeline.admit()) timeline.add({.step = i});
  }
  ASSERT_EQ(timeline.bars().size(), 2u);
  EXPECT_EQ(timeline.bars().back().step, 1);
  EXPECT_EQ(timeline.left_out(), 3u);
}

TEST(Timeline, NumbersProcessesBehindTheHost) {
  Timeline timeline;
  EXPECT_EQ(timeline.add_process("first"), 1);
  EXPECT_EQ(timeline.add_process("first"), 2);
  EXPECT_EQ(timeline.processes(), (std::vector<std::string>{"host", "first", "first"}));
}

TEST(Timeline, OnlyWorkOfExecutorsIsNews) {
  Timeline timeline;
  timeline.add({.row = Timeline::Row::host});
  EXPECT_FALSE(timeline.has_news());
  timeline.add({.row = Timeline::Row::halo});
  EXPECT_TRUE(timeline.has_news());
  timeline.set_written();
  EXPECT_FALSE(timeline.has_news());
}

TEST(HostSpan, IsABarFromItsMakingToItsEnd) {
  Timeline timeline;
  const auto before = std::chrono::steady_clock::now();
  {
    const HostSpan outer(&timeline, Timeline::Kind::output, "series");
    const HostSpan inner(&timeline, Timeline::Kind::wait, "device");
  }
  ASSERT_EQ(timeline.bars().size(), 2u);
  const auto& inner = timeline.bars()[0];
  const auto& outer = timeline.bars()[1];
  EXPECT_EQ(outer.name, "series");
  EXPECT_EQ(outer.kind, Timeline::Kind::output);
  EXPECT_EQ(outer.row, Timeline::Row::host);
  EXPECT_LE(before, outer.begin);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.begin, inner.end);
  EXPECT_LE(inner.end, outer.end);
}

}  // namespace
}  // namespace goban::timeline_test
