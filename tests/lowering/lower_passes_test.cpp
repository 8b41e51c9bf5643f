// Several steps in one pass through memory: what the pass does, and what it takes with it.

#include <gtest/gtest.h>

#include "tests/lowering/passes.hpp"

namespace goban::lower_passes_test {
namespace {

using test::Copy;
using test::Lines;
using test::Look;
using test::Passes;
using test::passes_of;
using test::Shifting;
using test::Value;
using Numbers = std::vector<int>;

struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = u() * by(); }
};

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
  Passes passes({mirror, periodic, periodic});
  const Field<std::uint8_t> mask(passes.grid, "mask");
  passes.step.apply(Copy{}, in(passes.v), out(passes.u)).over({{0, 0, 0}, {2, 4, 4}}).where(mask);
  passes.step.apply(Look<0>{}, in(passes.u), out(passes.v));
  passes.alive = {true, false, true, true};
  const CommandList list = passes.list(passes.schedule(2), 2, false);
  const BlockedSweeps::Step& step = passes_of(list)[0]->steps[0];
  EXPECT_EQ(step.parts, (std::vector<Box>{{{0, 0, 0}, {2, 4, 4}}}));
  EXPECT_EQ(step.keeps, (Numbers{-1, 0}));
  EXPECT_EQ(step.mask, 2);
  EXPECT_EQ(step.sweep.box, (Box{{0, 0, 0}, {8, 4, 4}}));
  EXPECT_EQ(list.commands.back().step, 1) << "the last of its steps";
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
  EXPECT_EQ(passes.lines(passes.schedule(4), 2), passes.lines(passes.schedule(2), 2))
      << "the first pass has nothing to do";
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
