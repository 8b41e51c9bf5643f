// Halos between ranks: which messages go together, and when ranks wait for each other.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_messages_test {
namespace {

using test::bindings_of;
using test::Copy;
using test::Lines;
using test::lists_of;
using test::Look;
using test::Paper;
using test::ranked;

struct LookAtBoth {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto next) const {
    next = u(0, 1, 0) - u(0, -2, 0) + v(0, 1, 0);
  }
};

/// The second of two ranks, each with half of a periodic axis; halos come by channels 0 and 1 and
/// go by 2 and 3.
struct Rank : Paper {
  Rank() : Paper({4, 12, 4}) {}

  Schedule schedule(const ScheduleOptions& options = {}, int steps = 1) const {
    return Paper::schedule(ranked(cut("", "6,6")), options, steps, 1);
  }
  Bindings bindings(const Schedule& schedule, Transport transport, bool is_device = true) const {
    Bindings all =
        bindings_of(schedule, slots(), is_device ? std::vector<int>{0} : std::vector<int>{});
    for (const Side side : both_sides) {
      const int number = index_of(side);
      all.channels[{MessageEnd::receives, {1, 1, side}}] = {transport, number};
      all.channels[{MessageEnd::sends, {0, 1, side}}] = {transport, 2 + number};
    }
    return all;
  }
  Lines lines(const CommandList& list) const { return test::lines_of(list, schedule(), slots()); }
};
const std::string sweep = "Look<1> 1 [0:4 x 0:6 x 0:4]";
struct RankOfOneField : Rank {
  RankOfOneField() { step.apply(Look<1>{}, in(u), out(next)); }
};

TEST(LowerMessages, TheHostMovesEachByItself) {
  const RankOfOneField rank;
  const Schedule schedule = rank.schedule();
  for (const bool is_device : {false, true}) {
    const CommandList list =
        lower(schedule, rank.slots(), rank.bindings(schedule, Transport::host, is_device));
    EXPECT_EQ(rank.lines(list),
              (Lines{"post 1 to rank 0 by 3 1>0 u", "post 1 to rank 0 by 2 1>0 u",
                     "arrive 1 from rank 0 by 0 0>1 u", "arrive 1 from rank 0 by 1 0>1 u", sweep}));
    EXPECT_EQ(list.commands[0].bytes, 4 * 16) << "one layer above";
    EXPECT_EQ(list.commands[1].bytes, 4 * 2 * 16);
    EXPECT_EQ(std::get<Post>(list.commands[0].what).transport, Transport::host);
    EXPECT_EQ(work_of(list, schedule, rank.slots()).halo_bytes, 4 * 3 * 16) << "what arrives";
  }
}

TEST(LowerMessages, GpusHandOverThoseOfAnAxisTogether) {
  const RankOfOneField rank;
  const Schedule schedule = rank.schedule();
  EXPECT_EQ(rank.lines(lower(schedule, rank.slots(), rank.bindings(schedule, Transport::peer))),
            (Lines{"post 1 to rank 0 by 3 1>0 u to rank 0 by 2 1>0 u",
                   "arrive 1 from rank 0 by 0 0>1 u from rank 0 by 1 0>1 u", sweep}));
}

TEST(LowerMessages, AGroupSendsAndReceivesAtOnceInTheOrderOfHalos) {
  const RankOfOneField rank;
  const Schedule schedule = rank.schedule();
  EXPECT_EQ(rank.lines(lower(schedule, rank.slots(), rank.bindings(schedule, Transport::nccl))),
            (Lines{"post 1 to rank 0 by 2 1>0 u to rank 0 by 3 1>0 u from rank 0 by 0 0>1 u "
                   "from rank 0 by 1 0>1 u",
                   "arrive 1 from rank 0 by 0 0>1 u from rank 0 by 1 0>1 u", sweep}));
}

/// Four ranks; each axis waits for what the one before has brought.
TEST(LowerMessages, WithCornersAGroupMeetsForEachAxis) {
  Paper paper({4, 12, 4});
  paper.step.apply(test::Diagonal{}, in(paper.u), out(paper.next));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(ranked(paper.cut("2,2", "6,6")));
  Bindings bindings = bindings_of(schedule, slots, {0});
  for (const Side side : both_sides) {
    for (const int axis : {0, 1}) {
      const int number = 4 * axis + index_of(side), other = axis == 0 ? 1 : 2;
      bindings.channels[{MessageEnd::receives, {0, axis, side}}] = {Transport::nccl, number};
      bindings.channels[{MessageEnd::sends, {other, axis, side}}] = {Transport::nccl, number + 2};
    }
  }
  EXPECT_EQ(test::lines_of(lower(schedule, slots, bindings), schedule, slots),
            (Lines{"post 0 from rank 1 by 0 1>0 u from rank 1 by 1 1>0 u to rank 1 by 2 0>1 u "
                   "to rank 1 by 3 0>1 u",
                   "arrive 0 from rank 1 by 0 1>0 u from rank 1 by 1 1>0 u",
                   "post 0 from rank 2 by 4 2>0 u from rank 2 by 5 2>0 u to rank 2 by 6 0>2 u "
                   "to rank 2 by 7 0>2 u",
                   "arrive 0 from rank 2 by 4 2>0 u from rank 2 by 5 2>0 u",
                   "Diagonal 0 [0:2 x 0:6 x 0:4]"}));
}

TEST(LowerMessages, OnlyWhatIsStaleIsSent) {
  Rank rank;
  rank.step.apply(LookAtBoth{}, in(rank.u), in(rank.v), out(rank.next));
  rank.step.swap(rank.u, rank.next);
  const Schedule schedule = rank.schedule();
  for (const Transport transport : {Transport::host, Transport::peer, Transport::nccl}) {
    const auto lists = lists_of(2, schedule, rank.slots(), rank.bindings(schedule, transport));
    const auto has_v = [&](const CommandList& list) {
      const Lines all = rank.lines(list);
      return std::any_of(all.begin(), all.end(), [](const std::string& line) {
        return line.find("1>0 u 1>0 v") != std::string::npos;
      });
    };
    EXPECT_TRUE(has_v(lists[0]));
    EXPECT_FALSE(has_v(lists[1])) << "nobody has written v";
    EXPECT_EQ(lists[1].commands.size(), lists[0].commands.size());
  }
}

TEST(LowerMessages, WhereAllIsValidNoneIsSent) {
  const RankOfOneField rank;
  const Schedule schedule = rank.schedule();
  for (const Transport transport : {Transport::host, Transport::peer, Transport::nccl}) {
    const auto lists = lists_of(2, schedule, rank.slots(), rank.bindings(schedule, transport));
    EXPECT_EQ(rank.lines(lists[1]), Lines{sweep});
  }
}

/// Sweeps that store into halos of the other rank.
struct Storing : Rank {
  Storing() {
    step.apply(Look<1>{}, in(u), out(next));
    step.swap(u, next);
  }
  std::vector<CommandList> lists(bool are_halos_reached = true, int steps = 1) const {
    const Schedule its = schedule(steps);
    Bindings all = bindings(its, Transport::peer);
    all.patches_with_peers = {1};
    all.are_halos_reached.assign(all.are_halos_reached.size(), are_halos_reached);
    return lists_of(4, its, slots(), all, steps);
  }
  Schedule schedule(int steps = 1) const {
    return Rank::schedule({Overlap::none, ScheduleOptions::Edges::sends, {false, true, false}},
                          steps);
  }
};

TEST(LowerMessages, RanksThatStoreIntoHalosWaitForEachOtherOnceACycle) {
  const Storing rank;
  const auto lists = rank.lists();
  const Lines posted{"post 1 to rank 0 by 3 1>0 u to rank 0 by 2 1>0 u",
                     "arrive 1 from rank 0 by 0 0>1 u from rank 0 by 1 0>1 u", "rank barrier 1",
                     sweep};
  EXPECT_EQ(rank.lines(lists[0]), posted) << "the other's halo may still be read";
  Lines both = posted;
  both.erase(both.begin() + 2);
  both.insert(both.begin(), "rank barrier 1");
  EXPECT_EQ(rank.lines(lists[1]), both);
  EXPECT_EQ(rank.lines(lists[2]), (Lines{"rank barrier 1", sweep})) << "it was stored there";
  EXPECT_EQ(rank.lines(lists[3]), rank.lines(lists[2]));
  EXPECT_EQ(std::get<Sweep>(lists[2].commands[1].what).sends.size(), 2u);
}

TEST(LowerMessages, RanksMeetOnceForAPassOfSeveralSteps) {
  const auto lists = Storing().lists(true, 2);
  EXPECT_EQ(std::count_if(lists[3].commands.begin(), lists[3].commands.end(),
                          [](const Command& command) {
                            return std::holds_alternative<RankBarrier>(command.what);
                          }),
            1);
  EXPECT_TRUE(std::holds_alternative<RankBarrier>(lists[3].commands.front().what));
}

TEST(LowerMessages, HalosThatAreNotReachedAreAskedFor) {
  const Storing rank;
  EXPECT_TRUE(rank.lists()[0].to_be_reached.empty());
  EXPECT_EQ(rank.lists(false)[0].to_be_reached, std::vector<MemoryNumber>{1}) << "that of next";
}

TEST(LowerMessages, RanksThatStoreIntoTheirOwnHalosDoNotWait) {
  Storing rank;
  rank.step = Program("step");
  rank.step.apply(Look<0>{}, in(rank.u), out(rank.next));
  rank.step.swap(rank.u, rank.next);
  const auto lists = rank.lists(false);
  EXPECT_EQ(rank.lines(lists[2]), Lines{"Look<0> 1 [0:4 x 0:6 x 0:4]"});
  EXPECT_EQ(std::get<Sweep>(lists[2].commands[0].what).sends.size(), 2u);
  EXPECT_TRUE(lists[0].to_be_reached.empty());
}

TEST(LowerMessages, WhatWasStoredIsThereAfterTheBarrier) {
  const Storing rank;
  const auto lists = rank.lists();
  EXPECT_TRUE(lists[0].after.entries[0].is_sent);
  EXPECT_FALSE(lists[0].after.entries[1].is_sent);
  EXPECT_TRUE(lists[0].after.entries[0].is_used);
}

TEST(LowerMessages, ValuesMoveToOtherRanks) {
  Paper paper({8, 4, 4});
  Grid other(member_of(paper.grid.state(), paper.grid.state()->add_coarser({1, 1, 1}, {}).number));
  const Field<float> c(other, "c");
  const auto move = std::make_shared<Stage>();
  move->kind = Stage::Kind::move;
  move->arguments = {in(paper.u).argument(), out(c).argument()};
  paper.step.add(move);
  Patches patches(ranked(paper.cut("5,3")), *paper.grid.state(), 0);
  patches.add(ranked(paper.cut("3,5")), *other.state());
  const Slots slots = paper.slots();
  const Schedule schedule = make_schedule(paper.cycle(), slots, patches, {});
  Bindings bindings = bindings_of(schedule, slots);
  bindings.channels[{MessageEnd::sends, {3, 0, Side::low, 0}}] = {Transport::host, 7};
  const auto lists = lists_of(2, schedule, slots, bindings);
  for (const CommandList& list : lists) {
    EXPECT_EQ(test::lines_of(list, schedule, slots),
              (Lines{"post 0 to rank 1 by 7 0>3 c", "copy 2 0>2 c"}));
  }
  EXPECT_EQ(std::get<Post>(lists[0].commands[0].what).messages[0].pieces[0].source_memory, 0);
}

}  // namespace
}  // namespace goban::lower_messages_test
