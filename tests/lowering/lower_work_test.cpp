// Bytes and floating-point operations of commands, and of a list in all.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_work_test {
namespace {

using test::Add;
using test::bindings_of;
using test::Copy;
using test::Look;
using test::Paper;
using test::Value;

struct OneOfThree {
  GOBAN_FUNCTION void operator()(auto w, auto u) const { u = w[1]() + w[1](1, 0, 0); }
};
struct Scale {
  GOBAN_FUNCTION void operator()(auto w) const { w[0] = 2 * w[0](); }
};

/// Returns bytes and operations of the first sweep over 8 x 4 x 4 cells, for a cell that it writes.
std::pair<double, double> of_sweep(const Paper& paper, const Patches& patches) {
  const Slots slots = paper.slots();
  const Schedule schedule = make_schedule(paper.cycle(), slots, patches, {});
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots));
  for (const Command& command : list.commands) {
    const auto* sweep = std::get_if<Sweep>(&command.what);
    if (!sweep) continue;
    const auto cells = static_cast<double>(sweep->box.volume());
    return {command.bytes / cells, command.flops / cells};
  }
  return {};
}
template <class Add>
std::pair<double, double> of_sweep(Add&& add) {
  Paper paper({8, 4, 4});
  add(paper);
  return of_sweep(paper, Patches(paper.cut(""), *paper.grid.state(), 0));
}
using Pair = std::pair<double, double>;

TEST(LowerWork, SweepsReadComponentsOnceAndWriteThemOnce) {
  EXPECT_EQ(of_sweep([](Paper& p) { p.step.apply(Copy{}, in(p.u), out(p.v)); }), (Pair{8, 0}));
  EXPECT_EQ(of_sweep([](Paper& p) { p.step.apply(Look<0>{}, in(p.u), out(p.v)); }), (Pair{8, 1}));
  EXPECT_EQ(of_sweep([](Paper& p) { p.step.apply(Add{}, in(p.u), inout(p.v)); }), (Pair{12, 1}));
  EXPECT_EQ(of_sweep([](Paper& p) {
              const Field<double, 3> w(p.grid, "w");
              p.step.apply(OneOfThree{}, in(w), out(p.v));
            }),
            (Pair{12, 1}))
      << "one component is read";
  EXPECT_EQ(of_sweep([](Paper& p) {
              const Field<double, 3> w(p.grid, "w");
              p.step.apply(Scale{}, inout(w));
            }),
            (Pair{48, 1}))
      << "of what is changed all are read and written";
}

TEST(LowerWork, MasksAreAByteAndReductionsWriteNothing) {
  EXPECT_EQ(of_sweep([](Paper& p) {
              const Field<std::uint8_t> mask(p.grid, "mask");
              p.step.apply(Copy{}, in(p.u), out(p.v)).where(mask);
            }),
            (Pair{9, 0}));
  EXPECT_EQ(of_sweep([](Paper& p) {
              Parameter<double> total("total");
              p.step.reduce(Value{}, in(p.u), sum, into(total));
            }),
            (Pair{4, 0}));
}

TEST(LowerWork, BetweenGridsAsManyCellsAreReadAsOneStandsFor) {
  for (const bool is_restriction : {true, false}) {
    Paper paper({8, 4, 4});
    Grid coarser = paper.grid.coarsened({2, 2, 1});
    const Field<float> c(coarser, "c");
    if (is_restriction) {
      paper.step.apply(Copy{}, in(paper.u), out(c));
    } else {
      paper.step.apply(Copy{}, in(c), out(paper.u));
    }
    Patches patches(paper.cut(""), *paper.grid.state(), 0);
    patches.add(cut_evenly(coarser.cells(), {1, 1, 1}), *coarser.state());
    EXPECT_EQ(of_sweep(paper, patches).first, is_restriction ? 4 * 4 + 4 : 1 + 4);
  }
}

TEST(LowerWork, HalosAreReadAndWritten) {
  Paper paper({8, 6, 4}, {mirror, periodic, periodic});
  const Field<double> d(paper.grid, "d");
  Field<double> e(paper.grid, "e");
  paper.step.apply(test::Cross{}, in(d), out(e));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut("", "4,2"));
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots));
  ASSERT_EQ(list.commands.size(), 4u);
  EXPECT_EQ(list.commands[0].bytes, 2 * 8 * 2 * 6 * 4) << "fills";
  EXPECT_EQ(list.commands[1].bytes, 2 * 8 * 4 * 8 * 4) << "copies";
  const Work work = work_of(list, schedule, slots);
  EXPECT_EQ(work.bytes, 2 * 8 * 2 * 6 * 4 + 2 * 8 * 4 * 8 * 4 + 16 * 8 * 6 * 4);
  EXPECT_EQ(work.flops, 3 * 8 * 6 * 4);
  EXPECT_EQ(work.halo_bytes, 8 * 4 * 8 * 4);
}

TEST(LowerWork, CellsBesideOwnOnesAreUpdatedToo) {
  Paper paper({8, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut("4,4"), {}, 2);
  const Work work = work_of(lower(schedule, slots, bindings_of(schedule, slots)), schedule, slots);
  EXPECT_EQ(work.cells, 2 * (7 + 4) * 16);
  EXPECT_EQ(work.owned, 2 * (4 + 4) * 16);
  EXPECT_EQ(work.halo_bytes, 4 * 2 * (4 + 2) * 16);
}

TEST(LowerWork, WhatSweepsSendCountsAsHalo) {
  Paper paper({8, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const auto halo_bytes = [&](ScheduleOptions::Edges edges, const std::vector<int>& executors) {
    const Schedule schedule = paper.schedule(paper.cut(""), {Overlap::none, edges, {}});
    const auto lists = test::lists_of(3, schedule, slots, bindings_of(schedule, slots, executors));
    return work_of(lists.back(), schedule, slots).halo_bytes;
  };
  EXPECT_EQ(halo_bytes(ScheduleOptions::Edges::sends, {0}), 4 * 3 * 16);
  EXPECT_EQ(halo_bytes(ScheduleOptions::Edges::rows, {}), 4 * 3 * 16);
}

TEST(LowerWork, ComponentsAreThoseThatMove) {
  Paper paper({8, 4, 4});
  const Field<double, 3> w(paper.grid, "w");
  paper.step.apply(OneOfThree{}, in(w), out(paper.v));
  paper.step.apply(Scale{}, inout(w));
  const Stage& reads = *paper.step.stages()[0];
  EXPECT_EQ(components_moved(reads, 0), 1);
  EXPECT_EQ(components_moved(reads, 1), 1);
  EXPECT_EQ(components_moved(*paper.step.stages()[1], 0), 6);
  Sweep sweep;
  EXPECT_EQ(components_moved(sweep, reads, 0), 1);
  sweep.at_hand = {1, 0};
  EXPECT_EQ(components_moved(sweep, reads, 0), 0);
}

}  // namespace
}  // namespace goban::lower_work_test
