// In which order patches copy, fill, send and sweep, and which cells.

#include <gtest/gtest.h>

#include "tests/on_paper.hpp"

namespace goban::schedule_order_test {
namespace {

using test::Copy;
using test::Cross;
using test::Diagonal;
using test::Lines;
using test::lines_of;
using test::Look;
using test::Paper;
using test::ranked;
using test::Value;

Lines lines(const Paper& paper, const Decomposition& decomposition, Overlap overlap = Overlap::none,
            int steps = 1) {
  const Schedule schedule = paper.schedule(decomposition, {overlap, {}, {}}, steps);
  return lines_of(schedule, paper.slots());
}

/// Pieces of the copies of a schedule: source, target.
Lines boxes(const Schedule& schedule) {
  Lines all;
  for (const Operation& op : schedule.operations) {
    if (op.kind == Operation::Kind::fill) all.push_back(to_string(op.box));
    for (const Piece& piece : op.pieces) {
      all.push_back(to_string(piece.source) + " " + to_string(piece.target));
    }
  }
  return all;
}

TEST(ScheduleOrder, HalosThatAreReadAreMadeThenCellsAreSwept) {
  Paper paper({8, 6, 4}, {mirror, periodic, mirror});
  paper.step.apply(Cross{}, in(paper.u), out(paper.next));
  EXPECT_EQ(lines(paper, paper.cut("")),
            (Lines{"exchange u", "fill 0 x- u", "fill 0 x+ u", "copy 0>0 y- u", "copy 0>0 y+ u",
                   "exchanged", "Cross 0 [0:8 x 0:6 x 0:4]"}));
}

TEST(ScheduleOrder, WhatIsMadeOnceIsNotMadeForTheNextReader) {
  Paper paper({8, 4, 4}, {mirror, periodic, periodic});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  const std::string all = " 0 [0:8 x 0:4 x 0:4]";
  EXPECT_EQ(lines(paper, paper.cut("")),
            (Lines{"exchange u", "fill 0 x- u", "fill 0 x+ u", "exchanged", "Copy" + all,
                   "Look<0>" + all, "Look<0>" + all, "exchange v", "fill 0 x- v", "fill 0 x+ v",
                   "exchanged", "Look<0>" + all}));
  const auto operations = paper.schedule(paper.cut("")).operations;
  EXPECT_EQ(operations[operations.size() - 3].instance, 3) << "whom the exchange is for";
}

TEST(ScheduleOrder, OneExchangeServesSweepsThatFollow) {
  Paper paper({8, 4, 4}, {mirror, periodic, periodic});
  const Field<float> w(paper.grid, "w"), x(paper.grid, "x");
  paper.step.apply(Copy{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  paper.step.apply(Look<0>{}, in(w), out(x));
  paper.step.apply(Look<0>{}, in(x), out(paper.u));
  const std::string all = " 0 [0:8 x 0:4 x 0:4]";
  EXPECT_EQ(lines(paper, paper.cut("")),
            (Lines{"Copy" + all, "exchange w v", "fill 0 x- w", "fill 0 x- v", "fill 0 x+ w",
                   "fill 0 x+ v", "exchanged", "Look<0>" + all, "Look<0>" + all, "exchange x",
                   "fill 0 x- x", "fill 0 x+ x", "exchanged", "Look<0>" + all}));
}

TEST(ScheduleOrder, NeighborsOfOneRankCopyFromEachOther) {
  Paper paper({8, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const Schedule schedule = paper.schedule(paper.cut("5,3"));
  EXPECT_EQ(lines_of(schedule, paper.slots()),
            (Lines{"exchange u", "copy 1>0 x- u", "copy 1>0 x+ u", "copy 0>1 x- u", "copy 0>1 x+ u",
                   "exchanged", "Look<0> 0 [0:5 x 0:4 x 0:4]", "Look<0> 1 [0:3 x 0:4 x 0:4]"}));
  EXPECT_EQ(boxes(schedule),
            (Lines{"[1:3 x 0:4 x 0:4] [-2:0 x 0:4 x 0:4]", "[0:1 x 0:4 x 0:4] [5:6 x 0:4 x 0:4]",
                   "[3:5 x 0:4 x 0:4] [-2:0 x 0:4 x 0:4]", "[0:1 x 0:4 x 0:4] [3:4 x 0:4 x 0:4]"}));
}

TEST(ScheduleOrder, CornersComeWithHalosOfAxesBefore) {
  Paper paper({8, 6, 4}, {mirror, periodic, periodic});
  paper.step.apply(Diagonal{}, in(paper.u), out(paper.next));
  EXPECT_EQ(boxes(paper.schedule(paper.cut(""))), (Lines{"[-1:0 x 0:6 x 0:4]", "[8:9 x 0:6 x 0:4]",
                                                         "[-1:9 x 5:6 x 0:4] [-1:9 x -1:0 x 0:4]",
                                                         "[-1:9 x 0:1 x 0:4] [-1:9 x 6:7 x 0:4]"}));
}

TEST(ScheduleOrder, RanksSendBeforeTheyReceive) {
  Paper paper({8, 6, 4});
  paper.step.apply(Cross{}, in(paper.u), out(paper.next));
  EXPECT_EQ(
      lines(paper, ranked(paper.cut("4,4"))),
      (Lines{"exchange u", "send 0>1 x+ u", "send 0>1 x- u", "copy 0>0 y- u", "copy 0>0 y+ u",
             "receive 1>0 x- u", "receive 1>0 x+ u", "exchanged", "Cross 0 [0:4 x 0:6 x 0:4]"}));
}

TEST(ScheduleOrder, WithCornersAnAxisIsReceivedBeforeTheNext) {
  Paper paper({8, 6, 4});
  paper.step.apply(Diagonal{}, in(paper.u), out(paper.next));
  EXPECT_EQ(
      lines(paper, ranked(paper.cut("4,4"))),
      (Lines{"exchange u", "send 0>1 x+ u", "send 0>1 x- u", "receive 1>0 x- u", "receive 1>0 x+ u",
             "copy 0>0 y- u", "copy 0>0 y+ u", "exchanged", "Diagonal 0 [0:4 x 0:6 x 0:4]"}));
}

TEST(ScheduleOrder, ReductionsAreCombinedWhenAllPatchesAreSwept) {
  Paper paper({8, 4, 4});
  Parameter<double> total("total");
  paper.step.reduce(Value{}, in(paper.u), sum, into(total));
  paper.step.compute([](auto& t) { t = 2 * t; }, inout(total));
  EXPECT_EQ(lines(paper, paper.cut("5,3")),
            (Lines{"Value 0 [0:5 x 0:4 x 0:4]", "Value 1 [0:3 x 0:4 x 0:4]", "combine Value",
                   "compute"}));
}

TEST(ScheduleOrder, SeveralStepsFetchOnceAndComputeBesideOwnCells) {
  Paper paper({10, 4, 4}, {mirror, periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  EXPECT_FALSE(paper.schedule(paper.cut("6,4")).exchanges.empty());
  const Schedule schedule = paper.schedule(paper.cut("6,4"), {}, 2);
  EXPECT_TRUE(schedule.computes_ahead);
  EXPECT_EQ(schedule.operations.front().instance, -1) << "for no reader";
  EXPECT_EQ(lines_of(schedule, paper.slots()),
            (Lines{"exchange u", "fill 0 x- u", "copy 1>0 x+ u", "copy 0>1 x- u", "fill 1 x+ u",
                   "exchanged", "Look<0> 0 [0:7 x 0:4 x 0:4]", "Look<0> 1 [-2:4 x 0:4 x 0:4]",
                   "fill 0 x- next", "fill 1 x+ next", "Look<0> 0 [0:6 x 0:4 x 0:4]",
                   "Look<0> 1 [0:4 x 0:4 x 0:4]"}));
}

TEST(ScheduleOrder, WhatIsExchangedInBetweenComputesNotAhead) {
  Paper paper({8, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  EXPECT_TRUE(paper.schedule(paper.cut("")).computes_ahead);
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  EXPECT_FALSE(paper.schedule(paper.cut("")).computes_ahead);
}

TEST(ScheduleOrder, StagesUpdateThePatchesOfTheirGrid) {
  Paper paper({8, 4, 4});
  Grid coarser = paper.grid.coarsened({2, 1, 1});
  const Field<float> c(coarser, "c");
  paper.step.apply(Copy{}, in(paper.u), out(c));
  paper.step.apply(Look<1>{}, in(c), out(paper.u));
  Patches patches(paper.cut("4,4"), *paper.grid.state(), 0);
  patches.add(cut_evenly({4, 4, 4}, {2, 1, 1}), *coarser.state());
  const Schedule schedule = make_schedule(
      paper.cycle({1, false, {}, {paper.cut("4,4").cuts, patches.decomposition(1).cuts}}),
      paper.slots(), patches, {});
  EXPECT_EQ(lines_of(schedule, paper.slots()),
            (Lines{"Copy 2 [0:2 x 0:4 x 0:4]", "Copy 3 [0:2 x 0:4 x 0:4]", "exchange c",
                   "copy 2>2 y- c", "copy 2>2 y+ c", "copy 3>3 y- c", "copy 3>3 y+ c", "exchanged",
                   "Look<1> 0 [0:4 x 0:4 x 0:4]", "Look<1> 1 [0:4 x 0:4 x 0:4]"}));
}

/// Every value goes from the patch that has it to the one that will have it.
TEST(ScheduleOrder, ValuesMoveToAGridThatIsCutAnew) {
  Paper paper({8, 4, 4}, mirror);
  Grid other(member_of(paper.grid.state(), paper.grid.state()->add_coarser({1, 1, 1}, {}).number));
  const Field<float> c(other, "c");
  const auto move = std::make_shared<Stage>();
  move->kind = Stage::Kind::move;
  move->arguments = {in(paper.u).argument(), out(c).argument()};
  paper.step.add(move);
  Patches patches(paper.cut("5,3"), *paper.grid.state(), 0);
  patches.add(paper.cut("3,5"), *other.state());
  const Schedule schedule = make_schedule(paper.cycle(), paper.slots(), patches, {});
  EXPECT_EQ(lines_of(schedule, paper.slots()),
            (Lines{"exchange c", "copy 0>2 x- c", "copy 0>3 x- c", "copy 1>3 x- c", "exchanged"}));
  EXPECT_EQ(boxes(schedule),
            (Lines{"[0:3 x 0:4 x 0:4] [0:3 x 0:4 x 0:4]", "[3:5 x 0:4 x 0:4] [0:2 x 0:4 x 0:4]",
                   "[0:3 x 0:4 x 0:4] [2:5 x 0:4 x 0:4]"}));
  EXPECT_TRUE(schedule.operations[2].moves && schedule.exchanges[0].moves);
  EXPECT_EQ(schedule.operations[2].pieces[0].source_slot, 0);
}

}  // namespace
}  // namespace goban::schedule_order_test
