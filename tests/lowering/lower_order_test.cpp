// What waits for what, on which queue, and what is left to be waited for.

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"
#include "tests/program/spread.hpp"

namespace goban::lower_order_test {
namespace {

using test::Add;
using test::bindings_of;
using test::Copy;
using test::Cross;
using test::Lines;
using test::lists_of;
using test::Look;
using test::Paper;
using test::Value;

struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = u() * by(); }
};
struct Scaled {
  GOBAN_FUNCTION auto operator()(auto u, auto by) const { return u() * by(); }
};

Lines lines(const Paper& paper, const Decomposition& cuts, const std::vector<int>& executors,
            Overlap overlap = Overlap::none, int steps = 1) {
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(cuts, {overlap, {}, {}}, steps);
  return test::lines_of(lower(schedule, slots, bindings_of(schedule, slots, executors)), schedule,
                        slots);
}

struct AlongY : Paper {
  AlongY() : Paper({4, 24, 4}) {
    step.apply(Look<1>{}, in(u), out(next));
    step.swap(u, next);
  }
  Decomposition halves() const { return cut("", "12,12"); }
};
const std::string whole = " [0:4 x 0:12 x 0:4]";

TEST(LowerOrder, WorkOfOneQueueWaitsForNothing) {
  const AlongY paper;
  const Lines expected{"copy 0 1>0 u 1>0 u", "copy 1 0>1 u 0>1 u", "Look<1> 0" + whole,
                       "Look<1> 1" + whole};
  EXPECT_EQ(lines(paper, paper.halves(), {0, 0}), expected);
}

TEST(LowerOrder, ExecutorsThatWorkInOrderWaitForNothing) {
  const AlongY paper;
  EXPECT_EQ(lines(paper, paper.halves(), {}),
            (Lines{"copy 0 1>0 u 1>0 u 0>1 u 0>1 u", "Look<1> 0" + whole, "Look<1> 1" + whole}));
}

/// The second cycle writes what neighbours have read, and reads what they have written, before it.
TEST(LowerOrder, DevicesWaitForEachOtherAtOnce) {
  const AlongY paper;
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves());
  const auto lists = lists_of(3, schedule, slots, bindings_of(schedule, slots, {0, 1}));
  const Lines first{"copy 0 1>0 u 1>0 u", "copy 1 0>1 u 0>1 u", "Look<1> 0" + whole,
                    "Look<1> 1" + whole};
  EXPECT_EQ(test::lines_of(lists[0], schedule, slots), first);
  EXPECT_EQ(lists[0].left, (std::vector<Wait>{0, 1, 2, 3}));
  const Lines later{"device barrier 0 after ~3 1 after ~2", "copy 0 1>0 u 1>0 u",
                    "copy 1 0>1 u 0>1 u", "Look<1> 0" + whole, "Look<1> 1" + whole};
  EXPECT_EQ(test::lines_of(lists[1], schedule, slots), later);
}

TEST(LowerOrder, CyclesThatComeAgainAreAlike) {
  const AlongY paper;
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves());
  const auto lists = lists_of(6, schedule, slots, bindings_of(schedule, slots, {0, 1}));
  EXPECT_EQ(lists[5].hazards, lists[3].hazards);
  EXPECT_EQ(lists[5].after, lists[3].after);
  EXPECT_EQ(lists[5].left, lists[3].left);
}

TEST(LowerOrder, HelpersWaitForThemselvesAndAreWaitedFor) {
  const AlongY paper;
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves());
  Bindings bindings = bindings_of(schedule, slots, {0, 1});
  bindings.computers[1].is_helper = true;
  EXPECT_EQ(test::lines_of(lists_of(2, schedule, slots, bindings)[1], schedule, slots),
            (Lines{"copy 0 1>0 u 1>0 u after ~3", "copy 1 0>1 u 0>1 u after ~2",
                   "Look<1> 0" + whole, "Look<1> 1" + whole}));
}

TEST(LowerOrder, DevicesCopyFromAndToMemoryOfTheHost) {
  const AlongY paper;
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.halves());
  Bindings bindings = bindings_of(schedule, slots, {0, 1});
  bindings.computers[0].has_device_memory = true;
  const CommandList list = lower(schedule, slots, bindings);
  EXPECT_EQ(list.commands[0].patch, 0);
  EXPECT_EQ(test::CommandText(schedule, slots)(list.commands[1]), "copy 0 0>1 u 0>1 u");
}

TEST(LowerOrder, OuterCellsWaitForHalosInnerCellsDoNot) {
  const AlongY paper;
  EXPECT_EQ(lines(paper, paper.halves(), {0, 0}, Overlap::one_kernel),
            (Lines{"~copy 0 1>0 u 1>0 u", "~copy 1 0>1 u 0>1 u", "Look<1> 0 [0:4 x 2:11 x 0:4]",
                   "Look<1> 1 [0:4 x 2:11 x 0:4]", "~Look<1> 0 [0:4 x 0:2 x 0:4]",
                   "~Look<1> 0 [0:4 x 11:12 x 0:4]", "~Look<1> 1 [0:4 x 0:2 x 0:4]",
                   "~Look<1> 1 [0:4 x 11:12 x 0:4]"}));
  EXPECT_EQ(lines(paper, paper.halves(), {0, 1}, Overlap::one_kernel)[0], "~copy 0 1>0 u 1>0 u");
}

TEST(LowerOrder, QueuesOfADeviceWaitForEachOther) {
  Paper paper({4, 24, 4});
  paper.step.apply(Look<1>{}, in(paper.u), out(paper.next));
  paper.step.apply(Copy{}, in(paper.next), out(paper.v));
  const Lines all = lines(paper, paper.cut("", "12,12"), {0, 0}, Overlap::one_kernel);
  EXPECT_EQ(all[8], "Copy 0" + whole + " after 5");
  EXPECT_EQ(all[9], "Copy 1" + whole + " after 7");
}

TEST(LowerOrder, WithCornersAnAxisWaitsForTheOneBefore) {
  Paper paper({8, 8, 4});
  paper.step.apply(test::Diagonal{}, in(paper.u), out(paper.next));
  const std::string box = " [0:4 x 0:8 x 0:4]";
  EXPECT_EQ(lines(paper, paper.cut("4,4"), {0, 1}),
            (Lines{"copy 0 1>0 u 1>0 u", "copy 1 0>1 u 0>1 u", "copy 0 0>0 u 0>0 u",
                   "copy 1 1>1 u 1>1 u", "Diagonal 0" + box, "Diagonal 1" + box}));
}

TEST(LowerOrder, WithoutCornersAPatchMakesItsHalosAtOnce) {
  Paper paper({8, 8, 4});
  const auto first = [&](auto functor) {
    paper.step = Program("step");
    paper.step.apply(functor, in(paper.u), out(paper.next));
    return lines(paper, paper.cut(""), {0}).front();
  };
  EXPECT_EQ(first(Cross{}), "copy 0 0>0 u 0>0 u 0>0 u 0>0 u");
  EXPECT_EQ(first(test::Diagonal{}), "copy 0 0>0 u 0>0 u");
}

TEST(LowerOrder, ConstantsFollowNoCopies) {
  Paper ends({8, 8, 4}, constant(0));
  ends.step.apply(test::Diagonal{}, in(ends.u), out(ends.next));
  EXPECT_EQ(lines(ends, ends.cut(""), {0}).front(), "fill 0 u x- u x+ u y- u y+");
  Paper paper({8, 8, 4}, {constant(0), periodic, constant(0)});
  paper.step.apply(test::Spread{}, in(paper.u), out(paper.next));
  EXPECT_EQ(lines(paper, paper.cut(""), {0}),
            (Lines{"fill 0 u x- u x+", "copy 0 0>0 u 0>0 u", "fill 0 u z- u z+",
                   "Spread 0 [0:8 x 0:8 x 0:4]"}));
}

TEST(LowerOrder, PartialResultsAreCombinedWhenSomethingElseNeedsThem) {
  Paper paper({8, 4, 4});
  Parameter<float> total("total"), largest("largest"), again("again");
  paper.step.reduce(Value{}, in(paper.u), sum, into(total));
  paper.step.reduce(Value{}, in(paper.v), maximum, into(largest));
  paper.step.reduce(Scaled{}, in(paper.u), param(total), maximum, into(again));
  paper.step.apply(Scale{}, inout(paper.u), param(again));
  for (const std::vector<int>& executors : {std::vector<int>{}, {0, 1}}) {
    EXPECT_EQ(lines(paper, paper.cut("4,4"), executors),
              (Lines{"Value 0 [0:4 x 0:4 x 0:4]", "Value 1 [0:4 x 0:4 x 0:4]",
                     "Value 0 [0:4 x 0:4 x 0:4]", "Value 1 [0:4 x 0:4 x 0:4]", "reduce 0 1",
                     "reduce 2 3", "Scaled 0 [0:4 x 0:4 x 0:4]", "Scaled 1 [0:4 x 0:4 x 0:4]",
                     "reduce 6 7", "Scale 0 [0:4 x 0:4 x 0:4]", "Scale 1 [0:4 x 0:4 x 0:4]"}));
  }
}

TEST(LowerOrder, ReductionsOfTwoStepsStandNotBesideEachOther) {
  Paper paper({8, 4, 4});
  Parameter<float> total("total");
  paper.step.reduce(Value{}, in(paper.u), sum, into(total));
  const std::string sweep = "Value 0 [0:8 x 0:4 x 0:4]";
  EXPECT_EQ(lines(paper, paper.cut(""), {0}, Overlap::none, 2),
            (Lines{sweep, "reduce 0", sweep, "reduce 2"}));
}

TEST(LowerOrder, ScalarStagesFollowWhatWasSubmitted) {
  Paper paper({8, 4, 4});
  Parameter<float> by("by");
  paper.step.apply(Scale{}, inout(paper.u), param(by));
  paper.step.compute([](auto& b) { b = 2 * b; }, inout(by));
  paper.step.apply(Scale{}, inout(paper.u), param(by));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(""), {}, 2);
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots, {0}));
  const std::string sweep = "Scale 0 [0:8 x 0:4 x 0:4]";
  EXPECT_EQ(test::lines_of(list, schedule, slots),
            (Lines{sweep, "compute", sweep, sweep, "compute", sweep}));
  EXPECT_EQ(list.commands[1].patch, -1) << "the host's";
  EXPECT_EQ(list.commands[2].step, 0);
  EXPECT_EQ(list.commands[3].step, 1);
  EXPECT_EQ(list.steps, 2);
}

TEST(LowerOrder, SamplesAreTakenOnPatchesThatHaveSome) {
  Paper paper({8, 4, 4});
  const auto samples = std::make_shared<Samples>(paper.grid.state());
  samples->add(paper.u.record(), {{1, 0, 0}, {3, 4, 1}});
  paper.step.sample(samples);
  paper.step.apply(Add{}, in(paper.v), inout(paper.u));
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut("4,4"));
  const CommandList list = lower(schedule, slots, bindings_of(schedule, slots, {0, 1}));
  EXPECT_EQ(
      test::lines_of(list, schedule, slots),
      (Lines{"begin sample", "sample 0", "Add 0 [0:4 x 0:4 x 0:4]", "Add 1 [0:4 x 0:4 x 0:4]"}));
  EXPECT_EQ(list.commands[1].bytes, 2 * 8 * sizeof(float));
}

}  // namespace
}  // namespace goban::lower_order_test
