// What waits for what, on two queues.

#include "goban/lowering/hazards.hpp"

#include <gtest/gtest.h>

namespace goban::hazards_test {
namespace {

struct Queues {
  const Queue first{0, Stream::compute}, second{0, Stream::halo};
  Hazards hazards;
  int commands = 0;

  static Touch touch(const Box& box, bool writes, Index moves = 0, int memory = 0) {
    return {memory, 0, 0, box, writes, moves};
  }
  void record(const Queue& queue, const Box& box, bool writes, Index moves = 0) {
    hazards.record({touch(box, writes, moves)}, queue, commands++);
  }
  /// Commands that work on a queue that has not waited for anything yet waits for.
  std::size_t waits(const Box& box, bool writes, Index moves = 0) const {
    Hazards copy = hazards;
    return copy.waits({touch(box, writes, moves)}, second).size();
  }
  /// Commands of other executors.
  std::size_t waits_for_others(const std::vector<Touch>& touches, const Queue& queue) {
    const auto is_other = [&](const Queue& other) { return other.executor != queue.executor; };
    return hazards.waits_for(is_other, touches, queue).size();
  }
};

const Box left{{0, 0, 0}, {4, 4, 4}}, right{{4, 0, 0}, {8, 4, 4}};

TEST(Hazards, BoxesThatOverlap_WaitIfOneIsWritten) {
  Queues q;
  q.record(q.first, left, true);
  EXPECT_EQ(q.waits(left, false), 1u);
  EXPECT_EQ(q.waits(right, true), 0u);
  q.record(q.first, right, false);
  EXPECT_EQ(q.waits(right, false), 0u);
  EXPECT_EQ(q.waits(right, true), 1u);
}

TEST(Hazards, CellsThatHaveMoved_WaitForAllBefore) {
  Queues q;
  q.record(q.first, left, true, 3);
  EXPECT_EQ(q.waits(right, true, 3), 0u);
  EXPECT_EQ(q.waits(right, false, 4), 1u);
  q.record(q.first, right, true, 4);
  EXPECT_EQ(q.waits(right, true, 4), 1u);
  EXPECT_EQ(q.waits(right, false, 5), 1u) << "the latest of a queue is enough";
}

TEST(Hazards, NothingIsWaitedForTwice) {
  Queues q;
  const std::vector<Touch> reads{Queues::touch(left, false)};
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 1u);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 0u);
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 1u) << "that is new";
}

TEST(Hazards, WhatOthersHaveWaitedForIsKnown) {
  Queues q;
  const Queue third{1, Stream::compute};
  const int other = 1;  // memory
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, false)}, q.second).size(), 1u);
  q.hazards.record({Queues::touch(right, true, 0, other)}, q.second, q.commands++);
  // The third queue waits for the second, which waited for the first.
  EXPECT_EQ(q.waits_for_others({Queues::touch(right, false, 0, other)}, third), 1u);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, false)}, third).size(), 0u);
  // What the second waits for after that the third does not know.
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, false)}, q.second).size(), 1u);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, false)}, third).size(), 1u);
}

TEST(Hazards, WorkOfTheSameExecutorIsNotThatOfOthers) {
  Queues q;
  q.record(q.first, left, true);
  EXPECT_EQ(q.waits_for_others({Queues::touch(left, true)}, q.second), 0u);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, true)}, q.second).size(), 1u);
}

TEST(Hazards, WhatIsLeftIsFoundWhereMemoryIsThen) {
  Queues q;
  q.record(q.first, left, true, 5);
  const std::vector<Wait> commands = q.hazards.settle({{0, {7, 5}}});
  EXPECT_EQ(commands, (std::vector<Wait>{0}));
  EXPECT_EQ(q.waits(left, true), 0u);
  EXPECT_EQ(q.hazards.waits({Queues::touch(left, true, 0, 7)}, q.second), (std::vector<Wait>{~0}));
}

TEST(Hazards, TheSameCommandsLeaveTheSame) {
  const auto cycle = [](Queues& q) {
    q.record(q.first, left, true);
    q.hazards.waits({Queues::touch(left, false)}, q.second);
    q.record(q.second, left, false);
    q.record(q.first, right, true);
    q.hazards.settle({});
    q.commands = 0;
  };
  Queues once, often;
  cycle(once);
  cycle(once);
  for (int n = 0; n < 5; ++n) cycle(often);
  EXPECT_EQ(once.hazards, often.hazards);
}

}  // namespace
}  // namespace goban::hazards_test
