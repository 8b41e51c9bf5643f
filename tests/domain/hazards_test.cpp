// What waits for what, on two queues.

#include "goban/domain/hazards.hpp"

#include <gtest/gtest.h>

namespace goban {
namespace {

class Done : public Event {
 public:
  void wait() override {}
};

struct Queues {
  std::byte memory{};
  const Queue first{nullptr, Stream::compute}, second{nullptr, Stream::halo};
  Hazards hazards;

  void record(const Queue& queue, const Box& box, bool writes, Index moves = 0) {
    hazards.record({{&memory, box, writes, moves}}, queue, std::make_shared<Done>());
  }
  /// Events that work on a queue that has not waited for anything yet waits for.
  std::size_t waits(const Box& box, bool writes, Index moves = 0) const {
    Hazards copy = hazards;
    return copy.waits({{&memory, box, writes, moves}}, second).size();
  }
  /// Events of other executors.
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
  const std::vector<Touch> reads{{&q.memory, left, false}};
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 1u);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 0u);
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits(reads, q.second).size(), 1u) << "that is new";
}

TEST(Hazards, WhatOthersHaveWaitedForIsKnown) {
  Queues q;
  std::byte other{};
  const auto* executor = reinterpret_cast<const Executor*>(&other);
  const Queue third{executor, Stream::compute};
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits({{&q.memory, left, false}}, q.second).size(), 1u);
  q.hazards.record({{&other, right, true}}, q.second, std::make_shared<Done>());
  // The third queue waits for the second, which waited for the first.
  EXPECT_EQ(q.waits_for_others({{&other, right, false}}, third), 1u);
  EXPECT_EQ(q.hazards.waits({{&q.memory, left, false}}, third).size(), 0u);
  // What the second waits for after that the third does not know.
  q.record(q.first, left, true);
  EXPECT_EQ(q.hazards.waits({{&q.memory, left, false}}, q.second).size(), 1u);
  EXPECT_EQ(q.hazards.waits({{&q.memory, left, false}}, third).size(), 1u);
}

TEST(Hazards, WorkOfTheSameExecutorIsNotThatOfOthers) {
  Queues q;
  q.record(q.first, left, true);
  EXPECT_EQ(q.waits_for_others({{&q.memory, left, true}}, q.second), 0u);
  EXPECT_EQ(q.hazards.waits({{&q.memory, left, true}}, q.second).size(), 1u);
}

}  // namespace
}  // namespace goban
