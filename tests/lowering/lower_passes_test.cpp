// Several steps in one pass through memory: what lives only within it, and where the rest goes.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::lower_passes_test {
namespace {

using test::Add;
using test::bindings_of;
using test::Copy;
using test::Lines;
using test::Look;
using test::Paper;
using test::Value;
using Numbers = std::vector<int>;

struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = u() * by(); }
};

/// A program whose steps go in passes, with u alone alive unless more is said to be.
struct Passes : Paper {
  explicit Passes(const BoundarySet& boundary = periodic, Index cells = 8)
      : Paper({cells, 4, 4}, boundary) {}

  Schedule schedule(int steps, const std::string& cuts = "",
                    ScheduleOptions::Edges edges = ScheduleOptions::Edges::none) const {
    const Decomposition decomposition = cut(cuts);
    return make_schedule(cycle({steps, false, alive, {decomposition.cuts}}), slots(),
                         Patches(decomposition, *grid.state(), 0), {Overlap::none, edges, {}});
  }
  /// All buffers have halos of one width.
  Bindings bindings(const Schedule& schedule, bool is_device) const {
    Bindings all = bindings_of(schedule, slots(), is_device ? Numbers{0} : Numbers{});
    for (auto& entry : all.state.entries) entry.halo = {{9, 9, 9}, {9, 9, 9}};
    return all;
  }
  CommandList list(const Schedule& schedule, int steps_per_pass, bool is_device) const {
    return lower(schedule, slots(), bindings(schedule, is_device), steps_per_pass);
  }
  Lines lines(const Schedule& schedule, int steps_per_pass) const {
    return test::lines_of(list(schedule, steps_per_pass, false), schedule, slots());
  }
  std::vector<bool> alive{true, false, false};
};
/// u as it was shifted, again and again.
struct Shifting : Passes {
  explicit Shifting(const BoundarySet& boundary = periodic, Index cells = 8)
      : Passes(boundary, cells) {
    step.apply(Look<0>{}, in(u), out(next));
    step.swap(u, next);
  }
};

std::vector<const BlockedSweeps*> passes_of(const CommandList& list) {
  std::vector<const BlockedSweeps*> all;
  for (const Command& command : list.commands) {
    if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) all.push_back(pass);
  }
  return all;
}
/// Of the versions of a pass: slot, memory, and whether it is held before and kept afterwards.
Lines versions_of(const BlockedSweeps& pass) {
  Lines all;
  for (const auto& one : pass.versions) {
    all.push_back(std::to_string(one.slot) + " in " + std::to_string(one.memory) +
                  (one.held ? " held" : "") + (one.kept ? " kept" : ""));
  }
  return all;
}

TEST(LowerPasses, TheExchangeComesFirstAndNumbersAreTakenForEachSweep) {
  const Shifting shifting;
  EXPECT_EQ(shifting.lines(shifting.schedule(2, "4,4"), 2),
            (Lines{"copy 0 1>0 u 1>0 u 0>1 u 0>1 u", "numbers 0.0", "numbers 1.0", "numbers 0.1",
                   "numbers 1.1", "pass 0 of 2", "pass 1 of 2"}));
}

TEST(LowerPasses, OneAfterTheOtherTakeTheStepsOfACycle) {
  const Shifting shifting;
  EXPECT_EQ(shifting.lines(shifting.schedule(3), 2),
            (Lines{"copy 0 0>0 u 0>0 u", "numbers 0.0", "numbers 0.1", "pass 0 of 2", "numbers 1.0",
                   "pass 0 of 1"}));
}

TEST(LowerPasses, OnCpusVersionsLieWhereSweepsWouldLeaveThem) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(2), 2, false);
  EXPECT_EQ(versions_of(*passes_of(list)[0]), (Lines{"0 in 0 held", "1 in 1", "0 in 0 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{0, 1, 2, 3, 4, 5}));
}

/// Tiles read u while others write what becomes of it: into the memory of next, which nobody needs.
TEST(LowerPasses, OnDevicesWhatIsKeptGoesBesideWhatIsRead) {
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

TEST(LowerPasses, BetweenPassesWhatTheNextOneReadsIsKept) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(4), 2, true);
  const auto passes = passes_of(list);
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(versions_of(*passes[0]), (Lines{"0 in 0 held", "1 in 1", "0 in 1 kept"}));
  EXPECT_EQ(versions_of(*passes[1]), (Lines{"0 in 1 held", "1 in 0", "0 in 0 kept"}));
  EXPECT_EQ(list.from, (std::vector<MemoryNumber>{0, 1, 2, 3, 4, 5}));
}

TEST(LowerPasses, SparesTakeWhatHasNoOtherPlace) {
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

TEST(LowerPasses, StepsReadAndWriteVersionsOfThePass) {
  const Shifting shifting;
  const CommandList list = shifting.list(shifting.schedule(2, "4,4"), 2, false);
  const BlockedSweeps& pass = *passes_of(list)[1];
  EXPECT_EQ(pass.steps[0].reads, (Numbers{0, -1}));
  EXPECT_EQ(pass.steps[0].writes, (Numbers{-1, 1}));
  EXPECT_EQ(pass.steps[1].reads, (Numbers{1, -1}));
  EXPECT_EQ(pass.steps[1].writes, (Numbers{-1, 2}));
  EXPECT_EQ(pass.steps[0].parts, (std::vector<Box>{{{-2, 0, 0}, {5, 4, 4}}}));
  EXPECT_EQ(pass.steps[1].parts, (std::vector<Box>{{{0, 0, 0}, {4, 4, 4}}}));
  EXPECT_EQ(pass.versions[0].cells, (Box{{-4, 0, 0}, {6, 4, 4}}));
  EXPECT_EQ(pass.versions[1].cells, (Box{{-2, 0, 0}, {5, 4, 4}}));
  EXPECT_EQ(list.commands.back().bytes, 4 * (64 + 64)) << "what is held and what is kept";
  EXPECT_EQ(list.commands.back().flops, 64 + 7 * 16);
}

TEST(LowerPasses, GhostsAreMadeAfterTheStepThatWrites) {
  const Shifting shifting({mirror, periodic, periodic});
  const CommandList list = shifting.list(shifting.schedule(2), 2, false);
  const BlockedSweeps& pass = *passes_of(list)[0];
  ASSERT_EQ(pass.steps[0].fills.size(), 2u);
  EXPECT_EQ(pass.steps[0].fills[0].memory, 1);
  EXPECT_EQ(pass.steps[0].fills[0].box, (Box{{-2, 0, 0}, {0, 4, 4}}));
  EXPECT_EQ(pass.steps[0].fill_versions, (Numbers{1, 1}));
  EXPECT_TRUE(pass.steps[1].fills.empty()) << "nobody reads them";
}

TEST(LowerPasses, WhatIsNotUpdatedIsKeptInTheWindow) {
  Passes passes;
  passes.step.apply(Copy{}, in(passes.v), out(passes.u)).over({{0, 0, 0}, {2, 4, 4}});
  passes.step.apply(Look<0>{}, in(passes.u), out(passes.v));
  passes.alive = {true, false, true};
  const CommandList list = passes.list(passes.schedule(2), 2, false);
  const BlockedSweeps::Step& step = passes_of(list)[0]->steps[0];
  EXPECT_EQ(step.keeps, (Numbers{-1, 0}));
  EXPECT_TRUE(step.sweep.box.contains(step.parts.front()));
  EXPECT_TRUE(step.sweep.box.contains(Box{{0, 0, 0}, {8, 4, 4}})) << to_string(step.sweep.box);
}

TEST(LowerPasses, ReductionsThatAreReducedAgainAreLeftOut) {
  Shifting shifting(periodic, 16);
  Parameter<float> total("total");
  shifting.step.reduce(Value{}, in(shifting.u), sum, into(total));
  const Schedule schedule = shifting.schedule(3, "8,8");
  EXPECT_EQ(
      shifting.lines(schedule, 2),
      (Lines{"copy 0 1>0 u 1>0 u 0>1 u 0>1 u", "numbers 0.0", "numbers 1.0", "numbers 0.1",
             "numbers 1.1", "pass 0 of 2", "pass 1 of 2", "numbers 2.0", "numbers 3.0",
             "numbers 2.1", "numbers 3.1", "pass 0 of 2", "pass 1 of 2", "reduce 11.1 12.1"}));
}

TEST(LowerPasses, OfReductionsAloneOneIsLeft) {
  Passes passes;
  Parameter<float> total("total");
  passes.step.reduce(Value{}, in(passes.u), sum, into(total));
  EXPECT_EQ(passes.lines(passes.schedule(2), 2),
            (Lines{"numbers 0.0", "pass 0 of 1", "reduce 1.0"}));
}

TEST(LowerPasses, ScalarStagesComeBeforeTheNumbersOfTheirStep) {
  Passes passes;
  Parameter<float> by("by");
  passes.step.compute([](auto& b) { b = 2 * b; }, inout(by));
  passes.step.apply(Scale{}, inout(passes.u), param(by));
  EXPECT_EQ(passes.lines(passes.schedule(2), 2),
            (Lines{"compute", "numbers 0.0", "compute", "numbers 0.1", "pass 0 of 2"}));
}

TEST(LowerPasses, SamplesAreStepsOfThem) {
  Shifting shifting;
  const auto samples = std::make_shared<Samples>(shifting.grid.state());
  samples->add(shifting.u.record(), {{1, 0, 0}, {3, 4, 1}});
  shifting.step.sample(samples);
  const CommandList list = shifting.list(shifting.schedule(1), 2, false);
  EXPECT_EQ(
      test::lines_of(list, shifting.schedule(1), shifting.slots()),
      (Lines{"copy 0 0>0 u 0>0 u", "numbers 0.0", "begin sample", "numbers 0.1", "pass 0 of 2"}));
  EXPECT_EQ(passes_of(list)[0]->steps[1].parts, (std::vector<Box>{{{1, 0, 0}, {3, 4, 1}}}));
}

TEST(LowerPasses, HalosOfWhatTheyWriteAreStaleUnlessTheySendThem) {
  const Shifting shifting;
  using Edges = ScheduleOptions::Edges;
  for (const Edges edges : {Edges::none, Edges::sends}) {
    const Schedule schedule = shifting.schedule(2, "", edges);
    const auto lists =
        test::lists_of(4, schedule, shifting.slots(), shifting.bindings(schedule, true), 2);
    std::vector<std::size_t> copies;
    for (const CommandList& list : lists) {
      copies.push_back(static_cast<std::size_t>(
          std::count_if(list.commands.begin(), list.commands.end(), [](const Command& command) {
            return std::holds_alternative<goban::Copy>(command.what);
          })));
    }
    const bool sends = edges == Edges::sends;
    EXPECT_EQ(copies, (std::vector<std::size_t>{1, 1, sends ? 0u : 1u, sends ? 0u : 1u}));
    EXPECT_EQ(passes_of(lists[3])[0]->steps[1].sweep.sends.size(), sends ? 2u : 0u);
  }
}

}  // namespace
}  // namespace goban::lower_passes_test
