// Which halos are still valid and omitted, and what memory names stand for afterwards.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_halos_test {
namespace {

using test::Add;
using test::bindings_of;
using test::Copy;
using test::Cross;
using test::Diagonal;
using test::Lines;
using test::lists_of;
using test::Look;
using test::Paper;

/// Commands of cycles that follow each other on executors that work in order.
std::vector<Lines> cycles(std::size_t count, const Paper& paper, const Decomposition& cuts) {
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(cuts);
  std::vector<Lines> all;
  for (const CommandList& list : lists_of(count, schedule, slots, bindings_of(schedule, slots))) {
    all.push_back(test::lines_of(list, schedule, slots));
  }
  return all;
}
std::vector<Lines> cycles(std::size_t count, const Paper& paper) {
  return cycles(count, paper, paper.cut(""));
}

TEST(LowerHalos, CopiesAndFillsOfAnAxisAreACommandEach) {
  Paper paper({8, 6, 4}, {mirror, periodic, mirror});
  paper.step.apply(Cross{}, in(paper.u), out(paper.next));
  EXPECT_EQ(cycles(1, paper, paper.cut("4,4"))[0],
            (Lines{"copy 0 1>0 u 0>1 u", "fill 0 u x- u x+", "copy 0 0>0 u 0>0 u 1>1 u 1>1 u",
                   "Cross 0 [0:4 x 0:6 x 0:4]", "Cross 1 [0:4 x 0:6 x 0:4]"}));
}

TEST(LowerHalos, WhatNobodyWritesIsFetchedOnce) {
  Paper paper({8, 4, 4}, {mirror, periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const std::string all = " 0 [0:8 x 0:4 x 0:4]";
  const auto lists = cycles(2, paper);
  EXPECT_EQ(lists[0], (Lines{"fill 0 u x- u x+", "Look<0>" + all}));
  EXPECT_EQ(lists[1], Lines{"Look<0>" + all});
  paper.step.apply(Add{}, in(paper.next), inout(paper.u));
  EXPECT_EQ(cycles(2, paper)[1], (Lines{"fill 0 u x- u x+", "Look<0>" + all, "Add" + all}));
}

TEST(LowerHalos, ConstantsBeyondTheGridAreMadeOnceInEachMemory) {
  Paper paper({8, 4, 4}, {constant(0.5), periodic, periodic});
  paper.step.apply(Cross{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const std::string sweep = "Cross 0 [0:8 x 0:4 x 0:4]";
  const std::string copies = "copy 0 0>0 u 0>0 u";
  EXPECT_EQ(cycles(3, paper), (std::vector<Lines>{{"fill 0 u x- u x+", copies, sweep},
                                                  {"fill 0 u x- u x+", copies, sweep},
                                                  {copies, sweep}}));
}

TEST(LowerHalos, ConstantsOfAnotherValueAreMadeAnew) {
  Paper paper({8, 4, 4}, {constant(0.5), periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  Bindings bindings = bindings_of(schedule, slots);
  bindings.state = lower(schedule, slots, bindings).after;
  EXPECT_EQ(lower(schedule, slots, bindings).commands.size(), 1u);
  paper.u.boundary(Axis::x, Side::low, constant(0.25));
  EXPECT_EQ(lower(schedule, slots, bindings).commands.size(), 2u);
}

TEST(LowerHalos, GhostsThatFollowTheClockAreMadeInEveryCycle) {
  Paper paper({8, 4, 4}, {wall_value([](double time) { return time; }), periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const auto lists = cycles(2, paper);
  EXPECT_EQ(lists[0].size(), 2u);
  EXPECT_EQ(lists[1], lists[0]);
}

TEST(LowerHalos, WideOnesServeNarrowReadersAndNotTheOtherWay) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  const auto commands = [&](const Extents& valid, bool corners) {
    Bindings bindings = bindings_of(schedule, slots);
    bindings.state.entries[0].halos[0] = {valid, corners, {}, valid};
    return lower(schedule, slots, bindings).commands.size();
  };
  EXPECT_EQ(commands({{2, 0, 0}, {1, 0, 0}}, false), 1u);
  EXPECT_EQ(commands({{3, 3, 3}, {3, 3, 3}}, true), 1u);
  EXPECT_EQ(commands({{1, 2, 2}, {2, 2, 2}}, true), 2u);
  EXPECT_EQ(commands({{2, 2, 2}, {0, 2, 2}}, true), 2u);
}

TEST(LowerHalos, CornersAreMadeWhereTheyWereNot) {
  Paper paper({8, 8, 8});
  paper.step.apply(Diagonal{}, in(paper.u), out(paper.next));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  const auto commands = [&](const Extents& valid, bool corners) {
    Bindings bindings = bindings_of(schedule, slots);
    bindings.state.entries[0].halos[0] = {valid, corners, {}, valid};
    return test::lines_of(lower(schedule, slots, bindings), schedule, slots);
  };
  const Extents wide{{1, 1, 0}, {1, 1, 0}};
  const std::string sweep = "Diagonal 0 [0:8 x 0:8 x 0:8]", axis = "copy 0 0>0 u 0>0 u";
  EXPECT_EQ(commands(wide, true), Lines{sweep});
  EXPECT_EQ(commands(wide, false), (Lines{axis, sweep})) << "along y, over the ghosts along x";
  EXPECT_EQ(commands({{0, 1, 0}, {0, 1, 0}}, true), (Lines{axis, axis, sweep}))
      << "corners hold what lies in halos of earlier axes";
}

TEST(LowerHalos, OfWhichOnlyAPartWasFetchedNoneIsValid) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next)).over({{0, 0, 0}, {8, 4, 4}});
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  const auto list = lower(schedule, slots, bindings_of(schedule, slots));
  EXPECT_EQ(std::get<goban::Copy>(list.commands[0].what).cells[0].target,
            (Box{{-2, 0, 0}, {0, 4, 4}}));
  EXPECT_EQ(list.after.entries[1].serial, 0);
  EXPECT_TRUE(list.after.entries[1].halos[0].valid.none());
}

TEST(LowerHalos, ConstantsAreThereAsFarOutAsAnExchangeHasMadeThem) {
  Paper paper({8, 8, 8}, {constant(0.5), periodic, periodic});
  const Extents wide{{1, 1, 0}, {1, 1, 0}};
  const ComponentHalo::Constants ends = std::array{0.5, 0.5};
  const auto has_fill = [&](auto functor, const ComponentHalo& halo) {
    paper.step = Program("step");
    paper.step.apply(functor, in(paper.u), out(paper.next));
    const Slots slots = paper.slots();
    const Schedule schedule = paper.schedule(paper.cut(""));
    Bindings bindings = bindings_of(schedule, slots);
    bindings.state.entries[0].halos[0] = halo;
    const CommandList list = lower(schedule, slots, bindings);
    return std::holds_alternative<Fill>(list.commands.front().what);
  };
  EXPECT_FALSE(has_fill(Cross{}, {{}, false, {ends, {}, {}}, wide}));
  EXPECT_TRUE(has_fill(Cross{}, {{}, false, {ends, {}, {}}, {{1, 1, 0}, {0, 1, 0}}}));
  EXPECT_TRUE(has_fill(Cross{}, {{}, false, {}, wide}));
  EXPECT_FALSE(has_fill(Diagonal{}, {{}, true, {ends, {}, {}}, wide}));
  EXPECT_TRUE(has_fill(Diagonal{}, {{}, false, {ends, {}, {}}, wide})) << "without corners";
}

/// The wall along x is set in every cycle, over halos along y that are valid: these follow.
TEST(LowerHalos, WallsTakeHalosOfLaterAxesAlong) {
  const BoundarySet walls{wall_value(0), periodic, periodic};
  for (const Location location : {Location::cell, Location::face_x}) {
    Paper paper({8, 8, 8}, {mirror, periodic, periodic});
    Field<float> face(paper.grid, "face", {.location = location, .boundary = &walls});
    paper.step.apply(Look<1>{}, in(face), out(paper.u));
    const std::size_t halos = location == Location::cell ? 0 : 2;
    EXPECT_EQ(cycles(2, paper)[1].size(), halos + 1);
  }
}

TEST(LowerHalos, SweepsWorkOnTheMemoryThatNamesStandFor) {
  Paper paper({8, 4, 4});
  for (int n = 0; n < 2; ++n) {
    paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
  }
  paper.step.rotate(paper.u, paper.next, paper.v);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots));
  std::vector<std::vector<MemoryNumber>> memory;
  for (const Command& command : list.commands) {
    if (const auto* sweep = std::get_if<Sweep>(&command.what)) memory.push_back(sweep->memory);
  }
  EXPECT_EQ(memory, (std::vector<std::vector<MemoryNumber>>{{0, 1}, {1, 0}}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{1, 2, 0, 3, 4, 5})) << "spares stay";
}

TEST(LowerHalos, WhatTheyHoldGoesWithTheMemory) {
  Paper paper({8, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""));
  Bindings bindings = bindings_of(schedule, slots);
  bindings.state.channels = 5;
  const CommandList list = lower(schedule, slots, bindings);
  EXPECT_EQ(list.after.channels, 5);
  EXPECT_EQ(list.after.entries[0].serial, 1);
  EXPECT_EQ(list.after.entries[1].serial, 0);
  EXPECT_TRUE(list.after.entries[0].halos[0].valid.none()) << "u is what was written";
  EXPECT_EQ(list.after.entries[1].halos[0].valid, (Extents{{2, 0, 0}, {1, 0, 0}}));
}

/// Ghosts at the ends of rows are made by the sweep.
TEST(LowerHalos, ThatSweepsMakeAreValidAfterwards) {
  Paper paper({8, 4, 4}, {mirror, periodic, periodic});
  paper.step.apply(Cross{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule =
      paper.schedule(paper.cut(""), {Overlap::none, ScheduleOptions::Edges::rows, {}});
  const auto lists = lists_of(2, schedule, slots, bindings_of(schedule, slots));
  EXPECT_EQ(std::get<Sweep>(lists[0].commands.back().what).row_fills.size(), 2u);
  EXPECT_EQ(test::lines_of(lists[1], schedule, slots),
            (Lines{"copy 0 0>0 u 0>0 u", "Cross 0 [0:8 x 0:4 x 0:4]"}));
}

/// An exchange makes those of each memory once, with what lies around them.
TEST(LowerHalos, ThatDevicesSendAreValidOnceAnExchangeHasMadeThem) {
  const auto sizes = [](const BoundarySet& boundary) {
    Paper paper({8, 6, 4}, boundary);
    paper.step.apply(Cross{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
    const Slots slots = paper.slots();
    const Schedule schedule =
        paper.schedule(paper.cut("", "3,3"), {Overlap::none, ScheduleOptions::Edges::sends, {}});
    std::vector<std::size_t> halos;
    for (const CommandList& list :
         lists_of(3, schedule, slots, bindings_of(schedule, slots, {0, 0}))) {
      halos.push_back(list.commands.size() - 2);
    }
    return halos;
  };
  EXPECT_EQ(sizes(periodic), (std::vector<std::size_t>{4, 4, 0}));
  EXPECT_EQ(sizes({constant(0), periodic, periodic}), (std::vector<std::size_t>{4, 4, 0}));
  EXPECT_EQ(sizes({periodic, mirror, periodic}), (std::vector<std::size_t>{6, 6, 4}))
      << "patches at the ends mirror along y";
  EXPECT_EQ(sizes({mirror, periodic, periodic}), (std::vector<std::size_t>{4, 4, 2}))
      << "ghosts beyond x";
}

}  // namespace
}  // namespace goban::lower_halos_test
