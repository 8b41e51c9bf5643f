// Arrays of which every rank has a box: any rank gets and gives any box.

#include "goban/domain/data/shared_boxes.hpp"

#include <gtest/gtest.h>

#include "goban/grid/decomposition.hpp"
#include "tests/ranks.hpp"

namespace goban::shared_boxes_test {
namespace {

constexpr int components = 2;
const Index3 cells{13, 7, 5};

double value_at(Index3 i, int c) {
  return static_cast<double>(i[0] + 100 * i[1] + 10000 * i[2]) + 0.5 * c;
}

std::vector<double> values_of(const Box& box) {
  std::vector<double> values;
  for (int c = 0; c < components; ++c)
    for (Index z = box.lower[2]; z < box.upper[2]; ++z)
      for (Index y = box.lower[1]; y < box.upper[1]; ++y)
        for (Index x = box.lower[0]; x < box.upper[0]; ++x)
          values.push_back(value_at({x, y, z}, c));
  return values;
}

/// A rank's own part in memory, and the way to all of it.
class Part {
 public:
  Part(Communicator& ranks, const Decomposition& cut)
      : own(cut.owned_by(ranks.rank())),
        values(static_cast<std::size_t>(own.volume() * components)),
        shared(
            ranks, [cut](int rank) { return cut.owned_by(rank); }, components, sizeof(double)),
        source([this](const Box& box, void* to) {
          copy_common(own, values.data(), box, to, components, sizeof(double));
        }),
        sink([this](const Box& box, const void* from) {
          copy_common(box, from, own, values.data(), components, sizeof(double));
        }) {}

  Box own;
  std::vector<double> values;
  SharedBoxes shared;
  BoxSource source;
  BoxSink sink;
};

Decomposition cut(Index3 ranks) {
  Decomposition decomposition = cut_evenly(cells, ranks);
  decomposition.ranks = ranks;
  return decomposition;
}

const Box everything{{0, 0, 0}, cells};

TEST(SharedBoxes, EveryRankGetsTheBoxItNames) {
  test::run_ranks(6, [](const std::shared_ptr<Communicator>& ranks) {
    Part part(*ranks, cut({3, 1, 2}));
    part.values = values_of(part.own);
    const Box boxes[] = {everything, {{3, 2, 1}, {11, 3, 5}}, {},
                         part.own,   {{12, 6, 4}, cells},     {}};
    const Box box = boxes[ranks->rank()];
    std::vector<double> values(static_cast<std::size_t>(box.volume() * components));
    part.shared.copy_out(box, values.data(), part.source);
    EXPECT_EQ(values, values_of(box));
  });
}

TEST(SharedBoxes, WhatOneRankGivesAllHave) {
  test::run_ranks(4, [](const std::shared_ptr<Communicator>& ranks) {
    Part part(*ranks, cut({2, 2, 1}));
    const auto given = ranks->rank() == 2 ? values_of(everything) : std::vector<double>();
    part.shared.copy_in(ranks->rank() == 2 ? everything : Box{}, given.data(), part.sink);
    EXPECT_EQ(part.values, values_of(part.own));
  });
}

TEST(SharedBoxes, EveryRankMayGiveAnotherBox) {
  test::run_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    Part part(*ranks, cut({1, 1, 3}));
    const Box rows{{0, ranks->rank() * 7 / 3, 0}, {13, (ranks->rank() + 1) * 7 / 3, 5}};
    const auto given = values_of(rows);
    part.shared.copy_in(rows, given.data(), part.sink);
    EXPECT_EQ(part.values, values_of(part.own));
  });
}

TEST(SharedBoxes, ValuesMoveToThoseWhoHaveThemNow) {
  test::run_ranks(4, [](const std::shared_ptr<Communicator>& ranks) {
    Part before(*ranks, cut({4, 1, 1})), after(*ranks, cut({1, 2, 2}));
    before.values = values_of(before.own);
    copy_common(before.own, before.values.data(), after.own, after.values.data(), components,
                sizeof(double));
    after.shared.move(before.shared, before.source, after.sink);
    EXPECT_EQ(after.values, values_of(after.own));
  });
}

TEST(SharedBoxes, ARankAloneHasAll) {
  Part part(*self_communicator(), cut({1, 1, 1}));
  const auto all = values_of(everything);
  part.shared.copy_in(everything, all.data(), part.sink);
  EXPECT_EQ(part.values, all);
  std::vector<double> back(all.size());
  part.shared.copy_out(everything, back.data(), part.source);
  EXPECT_EQ(back, all);
}

}  // namespace
}  // namespace goban::shared_boxes_test
