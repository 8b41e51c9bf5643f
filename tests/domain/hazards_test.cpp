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
  char first{}, second{};
  Hazards hazards;

  void record(const Box& box, bool writes, Index moves = 0) {
    hazards.record({{&memory, box, writes, moves}}, &first, std::make_shared<Done>());
  }
  /// Events that the same on the other queue waits for.
  std::size_t waits(const Box& box, bool writes, Index moves = 0) const {
    return hazards.waits({{&memory, box, writes, moves}}, &second).size();
  }
};

const Box left{{0, 0, 0}, {4, 4, 4}}, right{{4, 0, 0}, {8, 4, 4}};

TEST(Hazards, BoxesThatOverlap_WaitIfOneIsWritten) {
  Queues q;
  q.record(left, true);
  EXPECT_EQ(q.waits(left, false), 1u);
  EXPECT_EQ(q.waits(right, true), 0u);
  q.record(right, false);
  EXPECT_EQ(q.waits(right, false), 0u);
  EXPECT_EQ(q.waits(right, true), 1u);
}

TEST(Hazards, CellsThatHaveMoved_WaitForAllBefore) {
  Queues q;
  q.record(left, true, 3);
  EXPECT_EQ(q.waits(right, true, 3), 0u);
  EXPECT_EQ(q.waits(right, false, 4), 1u);
  q.record(right, true, 4);
  EXPECT_EQ(q.waits(right, false, 4), 2u);
  q.record(right, true, 5);
  EXPECT_EQ(q.waits(right, false, 5), 2u) << "those of the last move but one are forgotten";
}

}  // namespace
}  // namespace goban
