// Where what a pass keeps goes, and what it takes the place of.

#include <gtest/gtest.h>

#include "tests/lowering/passes.hpp"

namespace goban::lower_pass_memory_test {
namespace {

using test::Lines;
using test::Look;
using test::Passes;
using test::passes_of;
using test::Shifting;
using Numbers = std::vector<int>;

struct LookAtBoth {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto next) const { next = u(1, 0, 0) + v(); }
};

/// Lists the versions of a pass: slot, memory, and whether it is held before and kept afterwards.
Lines versions_of(const BlockedSweeps& pass) {
  Lines all;
  for (const auto& one : pass.versions) {
    all.push_back(std::to_string(one.slot) + " in " + std::to_string(one.memory) +
                  (one.held ? " held" : "") + (one.kept ? " kept" : ""));
  }
  return all;
}

TEST(LowerPassMemory, OnCpusVersionsLieWhereSweepsWouldLeaveThem) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(2), 2, false);
  EXPECT_EQ(versions_of(*passes_of(list)[0]), (Lines{"0 in 0 held", "1 in 1", "0 in 0 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{0, 1, 2, 3, 4, 5}));
}

/// Tiles read u while others write what becomes of it: into the memory of next, which nobody needs.
TEST(LowerPassMemory, OnDevicesWhatIsKeptGoesBesideWhatIsRead) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(2), 2, true);
  EXPECT_EQ(versions_of(*passes_of(list)[0]), (Lines{"0 in 0 held", "1 in 1", "0 in 1 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{1, 0, 2, 3, 4, 5}));
  EXPECT_EQ(list.after.entries[0].serial, 1);
  const CommandList three = shifting.list(shifting.schedule(3), 3, true);
  EXPECT_EQ(versions_of(*passes_of(three)[0]),
            (Lines{"0 in 0 held", "1 in 1", "0 in 0", "1 in 1 kept"}));
  EXPECT_EQ(three.from, (std::vector<MemoryNumber>{1, 0, 2, 3, 4, 5})) << "names have swapped";
}

TEST(LowerPassMemory, BetweenPassesWhatTheNextOneReadsIsKept) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(4), 2, true);
  const auto passes = passes_of(list);
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(versions_of(*passes[0]), (Lines{"0 in 0 held", "1 in 1", "0 in 1 kept"}));
  EXPECT_EQ(versions_of(*passes[1]), (Lines{"0 in 1 held", "1 in 0", "0 in 0 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{0, 1, 2, 3, 4, 5}));
}

TEST(LowerPassMemory, SparesTakeWhatHasNoOtherPlace) {
  Shifting shifting;
  shifting.alive = {true, true, true};
  const Schedule schedule = shifting.schedule(2);
  const CommandList list = shifting.list(schedule, 2, true);
  EXPECT_EQ(versions_of(*passes_of(list)[0]), (Lines{"0 in 0 held", "1 in 1 kept", "0 in 3 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{3, 1, 2, 0, 4, 5}));
  Bindings bindings = shifting.bindings(schedule, true);
  bindings.state.entries[3].serial = -1;
  EXPECT_EQ(lower(schedule, shifting.slots(), bindings, 2).spares_missing, Numbers{0});
  bindings.state.entries[3].serial = 3;
  bindings.state.entries[3].halo = {};
  EXPECT_EQ(lower(schedule, shifting.slots(), bindings, 2).spares_missing, Numbers{0})
      << "its halo is another";
}

/// The first in the order of slots is taken that nobody needs and that is alike.
TEST(LowerPassMemory, WhatIsKeptTakesMemoryThatIsFreeAndAlike) {
  const auto place_of_u = [](const std::vector<bool>& alive, bool reads_v, const Extents& halo) {
    Passes passes;
    const Field<double> other(passes.grid, "other");
    if (reads_v) {
      passes.step.apply(LookAtBoth{}, in(passes.u), in(passes.v), out(passes.next));
    } else {
      passes.step.apply(Look<0>{}, in(passes.u), out(passes.next));
    }
    passes.step.swap(passes.u, passes.next);
    passes.alive = alive;
    const Schedule schedule = passes.schedule(2);
    Bindings bindings = passes.bindings(schedule, true);
    bindings.state.entries[2].halo = halo;
    return lower(schedule, passes.slots(), bindings, 2).from[0];
  };
  const Extents same{{9, 9, 9}, {9, 9, 9}};
  EXPECT_EQ(place_of_u({true, false, false, false}, false, same), 1);
  EXPECT_EQ(place_of_u({true, true, false, false}, false, same), 2) << "next is alive";
  EXPECT_EQ(place_of_u({true, true, true, false}, false, same), 4) << "a spare, as types differ";
  EXPECT_EQ(place_of_u({true, true, false, false}, true, same), 4) << "v is read";
  EXPECT_EQ(place_of_u({true, true, false, false}, false, {}), 4) << "its halo is another";
}

TEST(LowerPassMemory, NoMemoryTakesTwo) {
  Shifting shifting;
  const Field<float> w(shifting.grid, "w");
  shifting.step.apply(Look<0>{}, in(shifting.v), out(w));
  shifting.step.swap(shifting.v, w);
  shifting.alive = {true, false, true, false};
  EXPECT_EQ(shifting.list(shifting.schedule(2), 2, true).from,
            (std::vector<MemoryNumber>{1, 0, 3, 2, 4, 5, 6, 7}));
}

TEST(LowerPassMemory, DevicesMeetBetweenThem) {
  const Shifting shifting(periodic, 16);
  const Schedule schedule = shifting.schedule(2, "8,8");
  Bindings bindings = shifting.bindings(schedule, true);
  bindings.computers[1].executor = 1;
  const auto lists = test::lists_of(2, schedule, shifting.slots(), bindings, 2);
  EXPECT_EQ(test::lines_of(lists[1], schedule, shifting.slots()).front(),
            "device barrier 0 after ~3 1 after ~2");
}

}  // namespace
}  // namespace goban::lower_pass_memory_test
