// Fields stored in place: cells move in name, and what was known of their halos with them.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_in_place_test {
namespace {

using test::bindings_of;
using test::Lines;
using test::lists_of;
using test::Paper;

struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[0]();
    next[1] = f[1](0, -1, 0);
  }
};

/// Slots and memories 3 and 4.
struct Pulling : Paper {
  explicit Pulling(const BoundarySet& boundary = periodic)
      : Paper({8, 6, 4}, boundary), f(grid, "f"), after(f, "after") {
    step.apply(Pull{}, in(f), out(after));
    step.swap(f, after);
  }
  std::vector<CommandList> lists(std::size_t count, const std::vector<int>& executors) const {
    const Schedule its = schedule(cut("", "3,3"));
    return lists_of(count, its, slots(), bindings_of(its, slots(), executors));
  }
  Lines lines(const CommandList& list) const {
    return test::lines_of(list, schedule(cut("", "3,3")), slots());
  }
  Field<InPlace<float>, 2> f, after;
};
const std::string box = " [0:8 x 0:3 x 0:4]";

TEST(LowerInPlace, CellsMoveBeforeTheSweep) {
  const Pulling pulling;
  const auto lists = pulling.lists(2, {});
  const Lines expected{"copy 0 1>0 f 0>1 f", "move 3>4", "Pull 0" + box, "Pull 1" + box};
  EXPECT_EQ(pulling.lines(lists[0]), expected);
  EXPECT_EQ(pulling.lines(lists[1]), expected);
  EXPECT_EQ(lists[0].from[3], 4);
  EXPECT_EQ(lists[0].from[4], 3);
}

/// What was written lies where it was read: a neighbour's copy waits for it though no box of the
/// new field meets one of the old.
TEST(LowerInPlace, AfterCellsHaveMovedAllThatWasTouchedIsWaitedFor) {
  const Pulling pulling;
  const auto lists = pulling.lists(4, {0, 1});
  const Lines first{"copy 0 1>0 f", "copy 1 0>1 f", "move 3>4", "Pull 0" + box, "Pull 1" + box};
  EXPECT_EQ(pulling.lines(lists[0]).back(), first.back());
  EXPECT_EQ(pulling.lines(lists[3]), pulling.lines(lists[2])) << "numbers of moves begin anew";
  EXPECT_EQ(lists[3].hazards, lists[2].hazards);
  EXPECT_EQ(pulling.lines(lists[1]).front(), "device barrier 0 after ~3 1 after ~2");
}

TEST(LowerInPlace, WhatDoesNotMoveKeepsItsHalo) {
  const Pulling pulling({constant(0.5), periodic, periodic});
  const Slots slots = pulling.slots();
  const Schedule schedule = pulling.schedule(pulling.cut(""));
  Bindings bindings = bindings_of(schedule, slots);
  const Extents wide{{1, 1, 1}, {1, 1, 1}};
  const ComponentHalo::Constants ends = std::array{0.5, 0.5};
  for (auto& halo : bindings.state.entries[3].halos) halo = {wide, false, {ends, {}, {}}, wide};
  const CommandList list = lower(schedule, slots, bindings);
  const auto& halos = list.after.entries[3].halos;
  EXPECT_EQ(halos[0].valid, (Extents{{1, 0, 0}, {1, 0, 0}})) << "constants along x stay";
  EXPECT_TRUE(halos[1].valid.none()) << "rows that come from halos have other ends";
}

TEST(LowerInPlace, SweepsWriteWhereTheyRead) {
  const Pulling pulling;
  const CommandList list = pulling.lists(1, {0, 1})[0];
  const auto* sweep = std::get_if<Sweep>(&list.commands.back().what);
  ASSERT_NE(sweep, nullptr);
  EXPECT_EQ(sweep->memory, (std::vector<MemoryNumber>{3, 4}));
  EXPECT_EQ(list.commands.back().bytes, 8 * 3 * 4 * (2 + 2) * 4);
}

}  // namespace
}  // namespace goban::lower_in_place_test
