// Commands of two queues wait for each other where one touches what the other writes.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_waits_test {
namespace {

using test::bindings_of;
using test::Copy;
using test::Cross;
using test::Lines;
using test::lists_of;
using test::Look;
using test::Paper;
using test::ranked;
using Edges = ScheduleOptions::Edges;

struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[0]();
    next[1] = f[1](0, -1, 0);
  }
};

/// The commands of the last of so many cycles.
Lines lines(std::size_t cycles, const Paper& paper, const Decomposition& cuts,
            const std::vector<int>& executors, const ScheduleOptions& options = {}, int steps = 1) {
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(cuts, options, steps);
  const auto lists = lists_of(cycles, schedule, slots, bindings_of(schedule, slots, executors));
  return test::lines_of(lists.back(), schedule, slots);
}
const ScheduleOptions one_kernel{Overlap::one_kernel, {}, {}};
const std::string half = " [0:4 x 0:12 x 0:4]";

struct AlongY : Paper {
  explicit AlongY(const BoundarySet& boundary = periodic) : Paper({4, 24, 4}, boundary) {}
  Decomposition halves() const { return cut("", "12,12"); }
};

TEST(LowerWaits, DevicesMeetBeforeTheyCopyWhatOthersHaveWritten) {
  AlongY paper;
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
  EXPECT_EQ(lines(1, paper, paper.halves(), {0, 1}),
            (Lines{"copy 0 1>0 u 1>0 u", "copy 1 0>1 u 0>1 u", "Look<1> 0" + half,
                   "Look<1> 1" + half, "device barrier 0 after 3 1 after 2", "copy 0 1>0 v 1>0 v",
                   "copy 1 0>1 v 0>1 v", "Look<1> 0" + half, "Look<1> 1" + half}));
}

TEST(LowerWaits, SweepsThatSendAreMetByThoseThatRead) {
  AlongY paper;
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves(), {Overlap::none, Edges::sends, {}});
  const auto lists = lists_of(4, schedule, slots, bindings_of(schedule, slots, {0, 1}));
  ASSERT_EQ(
      test::lines_of(lists[3], schedule, slots),
      (Lines{"device barrier 0 after ~3 1 after ~2", "Look<1> 0" + half, "Look<1> 1" + half}));
  EXPECT_EQ(lists[2].left[3], 2) << "the sweep of patch 1";
  EXPECT_EQ(lists[2].left[2], 1);
}

TEST(LowerWaits, EachQueueOfADeviceMeetsThoseOfOthers) {
  AlongY paper;
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Lines all = lines(2, paper, paper.halves(), {0, 1}, one_kernel);
  EXPECT_EQ(all[0], "device barrier ~0 after ~3,~7 ~1 after ~2,~5 0 after ~1 1 after ~0");
}

TEST(LowerWaits, OuterSweepsFollowGhostsOfTheirPatch) {
  for (const BoundaryCondition& end : {periodic, mirror}) {
    AlongY paper({end, periodic, periodic});
    paper.step.apply(Cross{}, in(paper.u), out(paper.next));
    const Lines all = lines(1, paper, paper.halves(), {0, 0}, one_kernel);
    EXPECT_EQ(all[0], end.kind == periodic_kind ? "copy 0 0>0 u 0>0 u" : "fill 0 u x- u x+");
    EXPECT_EQ(all[6], "~Cross 0 [0:4 x 0:1 x 0:4] after 0");
  }
}

TEST(LowerWaits, GhostsFollowTheCellsThatTheyMirror) {
  AlongY paper({mirror, periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.apply(Cross{}, in(paper.next), out(paper.v));
  const Lines all = lines(1, paper, paper.halves(), {0, 0}, one_kernel);
  const auto fill = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return line.starts_with("fill 0 next");
  });
  ASSERT_NE(fill, all.end());
  EXPECT_EQ(*fill, "fill 0 next x- next x+ after 9") << all[9];
}

TEST(LowerWaits, MaskedSweepsFollowWhatMakesTheirMask) {
  AlongY paper;
  Field<std::uint8_t> flags(paper.grid, "flags"), mask(paper.grid, "mask");
  paper.step.apply(Look<1>{}, in(flags), out(mask));
  paper.step.apply(Copy{}, in(paper.u), out(paper.v)).where(mask);
  const Lines all = lines(1, paper, paper.halves(), {0, 0}, one_kernel);
  EXPECT_EQ(all[8], "Copy 0" + half + " after 5");
}

TEST(LowerWaits, BetweenGridsThePatchInTheSamePlaceIsRead) {
  AlongY paper;
  Grid coarser = paper.grid.coarsened({1, 2, 1});
  const Field<float> c(coarser, "c");
  paper.step.apply(Copy{}, in(paper.v), out(paper.u));
  paper.step.apply(Copy{}, in(paper.u), out(c));
  Patches patches(paper.halves(), *paper.grid.state(), 0);
  patches.add(cut_evenly({4, 12, 4}, {1, 2, 1}), *coarser.state());
  const Slots slots = paper.slots();
  const Cycle cycle =
      paper.cycle({1, false, {}, {paper.halves().cuts, patches.decomposition(1).cuts}});
  const Schedule schedule = make_schedule(cycle, slots, patches, {});
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots, {0, 1, 2, 3}));
  EXPECT_EQ(test::lines_of(list, schedule, slots),
            (Lines{"Copy 0" + half, "Copy 1" + half, "device barrier 2 after 0 3 after 1",
                   "Copy 2 [0:4 x 0:6 x 0:4]", "Copy 3 [0:4 x 0:6 x 0:4]"}));
}

TEST(LowerWaits, SweepsFollowCopiesThatOthersMakeForThem) {
  AlongY paper;
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves());
  Bindings bindings = bindings_of(schedule, slots, {0, 1});
  bindings.computers[0].has_device_memory = true;
  bindings.computers[1].is_helper = true;
  EXPECT_EQ(test::lines_of(lower(schedule, slots, bindings), schedule, slots),
            (Lines{"copy 0 1>0 u 1>0 u", "copy 0 0>1 u 0>1 u", "Look<1> 0" + half,
                   "Look<1> 1" + half + " after 1"}));
  bindings.computers[1].has_device_memory = true;
  EXPECT_EQ(lower(schedule, slots, bindings).commands[1].patch, 1) << "it reaches the other's";
}

/// In the second cycle of a rank messages are packed when what they hold has been computed.
TEST(LowerWaits, MessagesFollowTheSweepsThatMakeThem) {
  AlongY paper;
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(ranked(paper.halves()), one_kernel);
  for (const Transport transport : {Transport::host, Transport::peer, Transport::nccl}) {
    Bindings bindings = bindings_of(schedule, slots, {0});
    for (const Side side : both_sides) {
      bindings.channels[{MessageEnd::receives, {0, 1, side}}] = {transport, index_of(side)};
      bindings.channels[{MessageEnd::sends, {1, 1, side}}] = {transport, 2 + index_of(side)};
    }
    const auto lists = lists_of(2, schedule, slots, bindings);
    // Two layers are sent upwards, which outer sweeps have made one of.
    const Command& post = lists[1].commands[transport == Transport::host ? 1 : 0];
    ASSERT_TRUE(std::holds_alternative<Post>(post.what));
    ASSERT_EQ(post.waits.size(), 1u);
    const Wait before = lists[0].left[static_cast<std::size_t>(~post.waits[0])];
    EXPECT_EQ(
        test::CommandText(schedule, slots)(lists[0].commands[static_cast<std::size_t>(before)])
            .substr(0, 21),
        "Look<1> 0 [0:4 x 2:11");
  }
}

/// Both names of a field in place are one memory.
TEST(LowerWaits, OfWhatIsStoredInPlaceCopiesFollowTheSweepThatWroteThere) {
  AlongY paper;
  const Field<InPlace<float>, 2> f(paper.grid, "f"), after(f, "after");
  for (int n = 0; n < 2; ++n) {
    paper.step.apply(Pull{}, in(f), out(after));
    paper.step.swap(f, after);
  }
  const Lines all = lines(1, paper, paper.halves(), {0, 1});
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const std::string& line) {
                            return line == "device barrier 0 after 4 1 after 3";
                          }),
            1)
      << testing::PrintToString(all);
}

}  // namespace
}  // namespace goban::lower_waits_test
