// How boxes are split so that cells are swept while halos travel.

#include <gtest/gtest.h>

#include "tests/on_paper.hpp"

namespace goban::schedule_overlap_test {
namespace {

using test::Diagonal;
using test::Lines;
using test::lines_of;
using test::Look;
using test::Paper;
using test::ranked;

struct Press {
  GOBAN_FUNCTION void operator()(auto u, auto face) const { face += u() - u(0, 0, -1); }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto face, auto u) const { u = face(0, 0, 1) - face(); }
};
template <int up>
struct Column {
  GOBAN_FUNCTION void forward(auto u, auto next, auto s) const {
    s[0] = u(0, 1, up) - u(0, -1, 0) + u(0, 0, 1) + s[0].before();
    next = s[0]();
  }
};

Lines lines(const Paper& paper, const Decomposition& decomposition, Overlap overlap) {
  return lines_of(paper.schedule(decomposition, {overlap, {}, {}}), paper.slots());
}
/// Those before the first that begins so.
Lines before(const Lines& lines, const std::string& begin) {
  return {lines.begin(), std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.starts_with(begin);
          })};
}

/// Reads two cells down and one up along y, which is cut.
struct AlongY : Paper {
  explicit AlongY(const BoundarySet& boundary = periodic) : Paper({4, 24, 4}, boundary) {
    step.apply(Look<1>{}, in(u), out(next));
    step.swap(u, next);
  }
  Decomposition halves() const { return cut("", "12,12"); }
};

TEST(ScheduleOverlap, InnerCellsWaitForNoHaloOfAnotherPatch) {
  const AlongY paper;
  EXPECT_EQ(
      lines(paper, paper.halves(), Overlap::one_kernel),
      (Lines{"exchange u", "~copy 1>0 y- u", "~copy 1>0 y+ u", "~copy 0>1 y- u", "~copy 0>1 y+ u",
             "exchanged", "Look<1> 0 [0:4 x 2:11 x 0:4]", "Look<1> 1 [0:4 x 2:11 x 0:4]",
             "~Look<1> 0 [0:4 x 0:2 x 0:4]", "~Look<1> 0 [0:4 x 11:12 x 0:4]",
             "~Look<1> 1 [0:4 x 0:2 x 0:4]", "~Look<1> 1 [0:4 x 11:12 x 0:4]"}));
}

TEST(ScheduleOverlap, PatchesAloneAreSweptWhole) {
  const AlongY paper;
  EXPECT_EQ(lines(paper, paper.cut(""), Overlap::one_kernel),
            (Lines{"exchange u", "copy 0>0 y- u", "copy 0>0 y+ u", "exchanged",
                   "Look<1> 0 [0:4 x 0:24 x 0:4]"}));
}

TEST(ScheduleOverlap, AtWallsAndOfThinPatchesNothingIsLeftOut) {
  const AlongY paper(mirror);
  EXPECT_EQ(lines(paper, paper.cut("", "21,3"), Overlap::one_kernel),
            (Lines{"exchange u", "fill 0 y- u", "~copy 1>0 y+ u", "~copy 0>1 y- u", "fill 1 y+ u",
                   "exchanged", "Look<1> 0 [0:4 x 0:20 x 0:4]", "Look<1> 1 [0:4 x 2:3 x 0:4]",
                   "~Look<1> 0 [0:4 x 20:21 x 0:4]", "~Look<1> 1 [0:4 x 0:2 x 0:4]"}));
  const auto thin = lines(paper, paper.cut("", "22,2"), Overlap::one_kernel);
  EXPECT_EQ(thin.back(), "~Look<1> 1 [0:4 x 0:2 x 0:4]");
}

TEST(ScheduleOverlap, RowsAreCutAtWholeSectors) {
  Paper paper({400, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  const Lines all = lines(paper, paper.cut("200,200"), Overlap::one_kernel);
  EXPECT_EQ(all[6], "Look<0> 0 [64:192 x 0:4 x 0:4]");
}

TEST(ScheduleOverlap, BetweenRanksInnerCellsAreSweptBeforeMessagesArrive) {
  const AlongY paper;
  EXPECT_EQ(lines(paper, ranked(paper.halves()), Overlap::one_kernel),
            (Lines{"exchange u", "~send 0>1 y+ u", "~send 0>1 y- u", "Look<1> 0 [0:4 x 2:11 x 0:4]",
                   "~receive 1>0 y- u", "~receive 1>0 y+ u", "exchanged",
                   "~Look<1> 0 [0:4 x 0:2 x 0:4]", "~Look<1> 0 [0:4 x 11:12 x 0:4]"}));
}

TEST(ScheduleOverlap, WhereMessagesMakeCornersInnerCellsReadNoHaloAtAll) {
  Paper paper({4, 12, 256}, {constant(0), mirror, periodic});
  Field<float, 1, kij> a(paper.grid, "a"), b(paper.grid, "b");
  paper.step.apply(Diagonal{}, in(a), out(b));
  const Lines all = lines(paper, ranked(paper.cut("", "6,6")), Overlap::one_kernel);
  EXPECT_EQ(all[3], "Diagonal 0 [1:3 x 1:5 x 0:256]");
}

/// Walls are set along z; messages come along y.
TEST(ScheduleOverlap, WallsThatAnExchangeSetsAreNotSweptBefore) {
  const BoundarySet walls{mirror, mirror, wall_value(0)};
  Paper paper({8, 6, 8}, mirror);
  Field<float> face(paper.grid, "face", {.location = Location::face_z, .boundary = &walls});
  const auto first = [&](auto functor, const auto& from, const auto& to) {
    paper.step = Program("step");
    paper.step.apply(functor, from, to);
    return before(lines(paper, ranked(paper.cut("", "3,3")), Overlap::one_kernel), "fill").back();
  };
  EXPECT_EQ(first(Divergence{}, in(face), out(paper.u)), "Divergence 0 [0:8 x 0:3 x 1:7]");
  EXPECT_EQ(first(Press{}, in(paper.u), inout(face)), "exchange u face") << "it is written";
}

/// What neighbours get is made first, sent while the rest is swept, and is there when the next
/// cycle begins.
TEST(ScheduleOverlap, TwoKernelsSendWhatIsComputedFirst) {
  const AlongY paper({constant(0), periodic, constant(0)});
  const Lines all = lines(paper, paper.halves(), Overlap::two_kernel);
  EXPECT_EQ(all, (Lines{"exchange u",
                        "~copy 1>0 y- u",
                        "~copy 1>0 y+ u",
                        "~copy 0>1 y- u",
                        "~copy 0>1 y+ u",
                        "exchanged",
                        "~Look<1> 0 [0:4 x 2:3 x 0:4]",
                        "~Look<1> 0 [0:4 x 9:11 x 0:4]",
                        "~Look<1> 1 [0:4 x 2:3 x 0:4]",
                        "~Look<1> 1 [0:4 x 9:11 x 0:4]",
                        "~Look<1> 0 [0:4 x 0:2 x 0:4]",
                        "~Look<1> 0 [0:4 x 11:12 x 0:4]",
                        "~Look<1> 1 [0:4 x 0:2 x 0:4]",
                        "~Look<1> 1 [0:4 x 11:12 x 0:4]",
                        "exchange next",
                        "~copy 1>0 y- next",
                        "~copy 1>0 y+ next",
                        "~copy 0>1 y- next",
                        "~copy 0>1 y+ next",
                        "Look<1> 0 [0:4 x 3:9 x 0:4]",
                        "Look<1> 1 [0:4 x 3:9 x 0:4]",
                        "exchanged"}));
}

TEST(ScheduleOverlap, TwoKernelsSendNothingEarlyThatTheNextCycleDoesNotRead) {
  const auto exchanges = [](bool swaps, bool is_alive) {
    Paper paper({4, 24, 4}, {constant(0), periodic, constant(0)});
    paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
    if (swaps) paper.step.swap(paper.u, paper.next);
    const Decomposition cuts = paper.cut("", "12,12");
    const Cycle cycle = paper.cycle({1, false, {is_alive, true, true}, {cuts.cuts}});
    return make_schedule(cycle, paper.slots(), Patches(cuts, *paper.grid.state(), 0),
                         {Overlap::two_kernel, {}, {}})
        .exchanges.size();
  };
  EXPECT_EQ(exchanges(true, true), 2u);
  EXPECT_EQ(exchanges(false, true), 1u);
  EXPECT_EQ(exchanges(true, false), 1u) << "u is overwritten before it is read";
}

TEST(ScheduleOverlap, TwoKernelsSendWhatReadersOfTheCycleNeed) {
  Paper paper({4, 24, 4}, {constant(0), periodic, constant(0)});
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.apply(Diagonal{}, in(paper.next), out(paper.v));
  paper.step.swap(paper.u, paper.next);
  const Schedule schedule = paper.schedule(paper.cut("", "12,12"), {Overlap::two_kernel, {}, {}});
  ASSERT_EQ(schedule.exchanges.size(), 2u);
  EXPECT_EQ(schedule.exchanges[1].items[0].need, (Extents{{1, 1, 0}, {1, 1, 0}}));
  EXPECT_TRUE(schedule.exchanges[1].corners);
}

TEST(ScheduleOverlap, TwoKernelsSendCornersThatTheNextCycleReads) {
  Paper paper({4, 24, 4}, {constant(0), periodic, constant(0)});
  paper.step.apply(Diagonal{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Schedule schedule = paper.schedule(paper.cut("", "12,12"), {Overlap::two_kernel, {}, {}});
  EXPECT_TRUE(schedule.exchanges[1].corners);
}

TEST(ScheduleOverlap, GhostsThatFollowTheClockAreNotMadeEarly) {
  const auto last = [](const BoundaryNumber& value) {
    Paper paper({4, 24, 4}, {constant(value), periodic, constant(0)});
    paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
    paper.step.apply(Look<1>{}, in(paper.next), out(paper.v));
    paper.step.swap(paper.u, paper.next);
    const Schedule schedule = paper.schedule(paper.cut("", "12,12"), {Overlap::two_kernel, {}, {}});
    const auto& all = schedule.operations;
    return std::find_if(
               all.rbegin(), all.rend(),
               [](const Operation& op) { return op.kind == Operation::Kind::begin_exchange; })
        ->instance;
  };
  EXPECT_EQ(last(0.5), 0) << "with the sweep that makes them";
  EXPECT_EQ(last([](double time) { return time; }), 1) << "for the sweep that reads them";
  const AlongY paper({constant([](double time) { return time; }), periodic, constant(0)});
  EXPECT_EQ(paper.schedule(paper.halves(), {Overlap::two_kernel, {}, {}}).exchanges.size(), 1u);
}

TEST(ScheduleOverlap, WhatLiesOnTwoGridsIsSweptWhole) {
  Paper paper({4, 24, 4});
  Grid coarser = paper.grid.coarsened({1, 2, 1});
  const Field<float> c(coarser, "c");
  paper.step.apply(Look<1>{}, in(paper.u), out(c));
  Patches patches(paper.cut("", "12,12"), *paper.grid.state(), 0);
  patches.add(cut_evenly({4, 12, 4}, {1, 2, 1}), *coarser.state());
  const Schedule schedule = make_schedule(
      paper.cycle({1, false, {}, {paper.cut("", "12,12").cuts, patches.decomposition(1).cuts}}),
      paper.slots(), patches, {Overlap::one_kernel, {}, {}});
  EXPECT_EQ(lines_of(schedule, paper.slots()).back(), "~Look<1> 3 [0:4 x 0:6 x 0:4]");
}

TEST(ScheduleOverlap, ColumnsStayWhole) {
  Paper paper({4, 12, 8}, {periodic, periodic, mirror});
  paper.step.columns(Axis::z, Column<0>{}, in(paper.u), out(paper.next), scratch<float, 1>);
  const Lines all = lines(paper, paper.cut("", "6,6"), Overlap::one_kernel);
  EXPECT_EQ(before(all, "~Column").back(), "Column<0> 1 [0:4 x 1:5 x 0:8]");
  paper.step = Program("step");
  paper.step.columns(Axis::z, Column<1>{}, in(paper.u), out(paper.next), scratch<float, 1>);
  const Lines corners = lines(paper, ranked(paper.cut("", "6,6")), Overlap::one_kernel);
  EXPECT_EQ(corners.back(), "~Column<1> 0 [0:4 x 0:6 x 0:8]") << "its ends read ghosts to come";
}

}  // namespace
}  // namespace goban::schedule_overlap_test
