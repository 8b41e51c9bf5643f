// Copies of more cells than GPUs count with 32 bits.

#include "goban/backend/cuda/transfer/split_copies.hpp"

#include <gtest/gtest.h>

namespace goban::cuda::split_copies_test {
namespace {

CopyTask whole_patch(Index3 extents, ElementType type) {
  CopyTask task;
  task.type = type;
  task.source_box = {{0, 0, 0}, extents};
  task.target_box = shifted(task.source_box, {1, 2, 3});
  return task;
}

/// Checks that the parts cover the task, each cell once and from where it was, in order.
void expect_whole(const std::vector<CopyTask>& parts, const CopyTask& task, Index most_bytes) {
  Index cells = 0;
  for (const CopyTask& part : parts) {
    cells += part.target_box.volume();
    EXPECT_LE(part.target_box.volume() * static_cast<Index>(size_of(task.type)), most_bytes);
    EXPECT_EQ(intersection(part.target_box, task.target_box), part.target_box);
    EXPECT_EQ(shifted(part.source_box, task.target_box.lower - task.source_box.lower),
              part.target_box);
    for (const CopyTask& other : parts) {
      if (&other == &part) continue;
      EXPECT_TRUE(intersection(other.target_box, part.target_box).empty());
    }
  }
  EXPECT_EQ(cells, task.target_box.volume());
}

TEST(SplitCopies, OfMoreBytesThanCountersHoldAreCutBetweenPlanes) {
  constexpr Index most = Index{1} << 31;
  const CopyTask large = whole_patch({1627, 1627, 1627}, ElementType::float32);
  const auto parts = split_copies({large});
  expect_whole(parts, large, most);
  EXPECT_EQ(parts.size(), 9u) << "as few as there can be";
  EXPECT_EQ(parts.front().target_box.extents(), (Index3{1627, 1627, 202}));
}

TEST(SplitCopies, PlanesThatAreTooLargeAreCutBetweenRows) {
  CopyTask large = whole_patch({3, 100'000, 100'000}, ElementType::uint8);
  large.order = {1, 2, 0};
  expect_whole(split_copies({large}), large, Index{1} << 31);
  const CopyTask small = whole_patch({5, 7, 3}, ElementType::float64);
  for (const Index most : {40, 80, 120, 279, 280, 281, 600}) {
    expect_whole(split_copies({small}, most), small, most);
  }
  EXPECT_EQ(split_copies({small}, 1).size(), 21u) << "rows stay whole";
}

TEST(SplitCopies, WhatIsSmallStaysAsItIs) {
  const CopyTask small = whole_patch({5, 7, 3}, ElementType::float64);
  const CopyTask none = whole_patch({5, 0, 3}, ElementType::float64);
  const auto parts = split_copies({small, none, small});
  ASSERT_EQ(parts.size(), 2u);
  for (const CopyTask& part : parts) EXPECT_EQ(part.target_box, small.target_box);
}

}  // namespace
}  // namespace goban::cuda::split_copies_test
