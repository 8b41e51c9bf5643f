// Ghosts that sweeps make beside the cells they update: ends of rows, and halos of other patches.

#include <gtest/gtest.h>

#include "tests/on_paper.hpp"

namespace goban::schedule_edges_test {
namespace {

using test::Copy;
using test::Cross;
using test::Diagonal;
using test::Lines;
using test::Look;
using test::Paper;
using test::ranked;
using Edges = ScheduleOptions::Edges;

/// Per sweep of a schedule, what it makes beside the cells it updates: halos and cells copied.
Lines edges(const Schedule& schedule) {
  Lines all;
  for (const Operation& op : schedule.operations) {
    for (const Operation& edge : op.edges) {
      const bool is_copy = edge.kind == Operation::Kind::copy;
      all.push_back(std::to_string(op.patch) + ": " + std::to_string(edge.patch) + " " +
                    test::text_of(edge.axis, edge.side) +
                    (is_copy ? " " + to_string(edge.pieces.front().source) : ""));
    }
  }
  return all;
}
Schedule made_by_sweeps(const Paper& paper, const Decomposition& cuts, Edges edges) {
  return paper.schedule(cuts, {Overlap::none, edges, {}});
}
struct Swapping : Paper {
  template <class F>
  Swapping(const BoundarySet& boundary, F functor) : Paper({8, 6, 4}, boundary) {
    step.apply(functor, in(u), out(next));
    step.swap(u, next);
  }
};

TEST(ScheduleEdges, AtTheEndsOfRowsAreMadeWithTheRows) {
  for (const BoundaryCondition& end : {periodic, mirror}) {
    const Swapping paper({end, periodic, periodic}, Cross{});
    const Schedule schedule = made_by_sweeps(paper, paper.cut("", "3,3"), Edges::rows);
    const std::string low = end.kind == periodic_kind ? " [7:8 x 0:3 x 0:4]" : "";
    const std::string high = end.kind == periodic_kind ? " [0:1 x 0:3 x 0:4]" : "";
    EXPECT_EQ(edges(schedule),
              (Lines{"0: 0 x-" + low, "0: 0 x+" + high, "1: 1 x-" + low, "1: 1 x+" + high}));
    const MadeHalo made{{1, 0}, 0, Side::low, 1, false, false};
    ASSERT_EQ(schedule.made.front().size(), 2u);
    EXPECT_EQ(schedule.made.front().front(), made);
  }
  const Swapping paper(periodic, Cross{});
  EXPECT_TRUE(edges(made_by_sweeps(paper, paper.cut("4,4"), Edges::rows)).empty());
  EXPECT_TRUE(edges(made_by_sweeps(paper, paper.cut(""), Edges::none)).empty());
}

TEST(ScheduleEdges, DevicesSendWhatNeighborsRead) {
  const Swapping paper({mirror, periodic, periodic}, Look<1>{});
  const Schedule schedule = made_by_sweeps(paper, paper.cut("", "4,2"), Edges::sends);
  EXPECT_EQ(edges(schedule), (Lines{"0: 1 y+ [0:8 x 0:1 x 0:4]", "0: 1 y- [0:8 x 2:4 x 0:4]",
                                    "1: 0 y+ [0:8 x 0:1 x 0:4]", "1: 0 y- [0:8 x 0:2 x 0:4]"}));
  EXPECT_EQ(schedule.made.front(),
            (std::vector<MadeHalo>{{{1, 0}, 1, Side::low, 2, true, false},
                                   {{1, 0}, 1, Side::high, 1, true, false}}));
}

TEST(ScheduleEdges, CornersAreSentWhereNoSideIsMirrored) {
  const auto corners = [](const BoundarySet& boundary) {
    const Swapping paper(boundary, Diagonal{});
    const Lines all = edges(made_by_sweeps(paper, paper.cut("", "3,3"), Edges::sends));
    return std::count_if(all.begin(), all.end(), [](const std::string& line) {
      return line.find("[7:8 x 2:3") != std::string::npos;  // low x, low y of a neighbour
    });
  };
  EXPECT_EQ(corners(periodic), 2) << "one of each patch";
  EXPECT_EQ(corners({periodic, periodic, mirror}), 0) << "ghosts along z lie between";
  EXPECT_EQ(corners({periodic, periodic, constant(0)}), 2);
}

TEST(ScheduleEdges, NothingIsSentOfPartsAndInOverlap) {
  Swapping paper(periodic, Look<1>{});
  const Schedule overlapped =
      paper.schedule(paper.cut("", "3,3"), {Overlap::one_kernel, Edges::sends, {}});
  EXPECT_TRUE(edges(overlapped).empty());
  paper.step = Program("step");
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next)).over({{0, 0, 0}, {8, 6, 4}});
  paper.step.swap(paper.u, paper.next);
  EXPECT_TRUE(edges(made_by_sweeps(paper, paper.cut("", "3,3"), Edges::sends)).empty());
}

TEST(ScheduleEdges, HalosOfOtherRanksAreSentWhereTheyAreReached) {
  const Swapping paper(periodic, Look<1>{});
  const Decomposition ranks = ranked(paper.cut("", "3,3"));
  const auto sent = [&](std::array<bool, 3> reached) {
    return edges(paper.schedule(ranks, {Overlap::none, Edges::sends, reached}));
  };
  EXPECT_TRUE(sent({}).empty());
  EXPECT_EQ(sent({false, true, false}),
            (Lines{"0: 1 y+ [0:8 x 0:1 x 0:4]", "0: 1 y- [0:8 x 1:3 x 0:4]"}));
}

TEST(ScheduleEdges, AtWallsNothingIsSent) {
  const Swapping paper({periodic, mirror, periodic}, Look<1>{});
  EXPECT_EQ(edges(made_by_sweeps(paper, paper.cut("", "3,3"), Edges::sends)),
            (Lines{"0: 1 y- [0:8 x 1:3 x 0:4]", "1: 0 y+ [0:8 x 0:1 x 0:4]"}));
}

TEST(ScheduleEdges, OfWhatIsNotReadNoneAreMade) {
  const Swapping paper(periodic, Look<1>{});
  const Decomposition cuts = paper.cut("", "3,3");
  for (const bool is_alive : {false, true}) {
    const Cycle cycle = paper.cycle({1, false, {is_alive, true, true}, {cuts.cuts}});
    const Schedule schedule =
        make_schedule(cycle, paper.slots(), Patches(cuts, *paper.grid.state(), 0),
                      {Overlap::none, Edges::sends, {}});
    EXPECT_EQ(edges(schedule).empty(), !is_alive);
    EXPECT_EQ(schedule.made.front().empty(), !is_alive);
  }
}

TEST(ScheduleEdges, OfSeveralStepsTheLastSends) {
  const Swapping paper(periodic, Look<1>{});
  const Schedule schedule = paper.schedule(paper.cut(""), {Overlap::none, Edges::sends, {}}, 2);
  EXPECT_TRUE(schedule.made[0].empty());
  EXPECT_EQ(schedule.made[1], (std::vector<MadeHalo>{{{0, 0}, 1, Side::low, 4, true, true},
                                                     {{0, 0}, 1, Side::high, 2, true, true}}));
  EXPECT_EQ(edges(schedule), (Lines{"0: 0 y+ [0:8 x 0:2 x 0:4]", "0: 0 y- [0:8 x 2:6 x 0:4]"}));
}

/// Neighbours compute it themselves; the next cycle fetches it anew.
TEST(ScheduleEdges, OfWhatIsComputedAheadNoneAreSent) {
  for (const bool recomputes : {false, true}) {
    Paper paper({8, 6, 4});
    paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
    paper.step.apply(Copy{}, in(paper.u), out(paper.v));
    paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
    const Decomposition cuts = paper.cut("");
    const Schedule schedule =
        make_schedule(paper.cycle({1, recomputes, {}, {cuts.cuts}}), paper.slots(),
                      Patches(cuts, *paper.grid.state(), 0), {Overlap::none, Edges::sends, {}});
    EXPECT_EQ(schedule.made[1].empty(), recomputes);
    EXPECT_EQ(edges(schedule).empty(), recomputes);
  }
}

/// Lines of memory that hold cells, too, are written as a whole.
TEST(ScheduleEdges, ConstantsAreMadeWithRowsThatEndWithinALine) {
  for (const Index cells : {8, 16}) {
    Paper paper({cells, 4, 4}, {constant(0), periodic, periodic});
    paper.step.apply(Cross{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
    EXPECT_EQ(edges(made_by_sweeps(paper, paper.cut(""), Edges::rows)).size(),
              cells == 8 ? 2u : 0u);
  }
}

/// They come from patches that share no side, which have no way to each other.
TEST(ScheduleEdges, CornersOfOtherRanksAreNotSentWhereTwoAxesAreCut) {
  const Swapping paper(periodic, Diagonal{});
  const auto sent = [&](const std::string& x) {
    return edges(paper.schedule(ranked(paper.cut(x, "3,3")),
                                {Overlap::none, Edges::sends, {true, true, true}}));
  };
  EXPECT_FALSE(sent("").empty());
  EXPECT_TRUE(sent("4,4").empty());
}

}  // namespace
}  // namespace goban::schedule_edges_test
