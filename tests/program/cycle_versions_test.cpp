// What a cycle's steps write and read: versions, names that swap, what outlives the cycle.

#include <gtest/gtest.h>

#include "tests/error_text.hpp"
#include "tests/on_paper.hpp"

namespace goban::cycle_versions_test {
namespace {

using test::Add;
using test::Copy;
using test::Paper;
using test::Value;
using Numbers = std::vector<int>;

/// Slots of Paper's fields.
constexpr int u = 0, next = 1, v = 2;

const Version& written(const Cycle& cycle, std::size_t instance, std::size_t argument = 1) {
  return cycle.versions[static_cast<std::size_t>(cycle.instances[instance].writes[argument])];
}

struct AddStep {
  GOBAN_FUNCTION void operator()(auto u, auto site) const { u += convert<float>(site.step()); }
};
struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = u() * by(); }
};

TEST(CycleVersions, EveryWriteMakesOne) {
  Paper paper({4, 4, 4});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  const Cycle cycle = paper.cycle();
  EXPECT_EQ(cycle.held, (Numbers{0, 1, 2}));
  ASSERT_EQ(cycle.versions.size(), 5u);
  EXPECT_EQ(cycle.left, (Numbers{0, 4, 2}));
  EXPECT_EQ(cycle.versions[u].producer, -1);
  EXPECT_EQ(cycle.versions[u].readers, (Numbers{0, 1}));
  EXPECT_EQ(written(cycle, 0).producer, 0);
  EXPECT_EQ(written(cycle, 1).producer, 1);
  EXPECT_EQ(written(cycle, 1).slot, next);
}

TEST(CycleVersions, NamesThatSwapStandForEachOthersSlots) {
  Paper paper({4, 4, 4});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Cycle one = paper.cycle(), two = paper.cycle(2);
  EXPECT_EQ(one.binding, (Numbers{next, u, v}));
  ASSERT_EQ(two.instances.size(), 2u) << "a swap does nothing";
  EXPECT_EQ(two.binding, (Numbers{u, next, v}));
  EXPECT_EQ(two.instances[1].reads[0], two.instances[0].writes[1]);
  EXPECT_EQ(two.instances[1].slot, (Numbers{next, u}));
  EXPECT_EQ(two.instances[1].step, 1);
  EXPECT_EQ(two.versions[static_cast<std::size_t>(two.left[u])].producer, 1);
}

TEST(CycleVersions, TheFirstOfNamesThatRotateStandsForTheSecond) {
  Paper paper({4, 4, 4});
  paper.step.rotate(paper.u, paper.next, paper.v);
  EXPECT_EQ(paper.cycle().binding, (Numbers{next, v, u}));
  EXPECT_EQ(paper.cycle(2).binding, (Numbers{v, u, next}));
  EXPECT_EQ(paper.cycle(3).binding, (Numbers{u, next, v}));
}

TEST(CycleVersions, KeepWhatTheirProducerDoesNotWrite) {
  Paper paper({4, 4, 4});
  const Field<std::uint8_t> mask(paper.grid, "mask");
  const Box part{{0, 0, 0}, {2, 4, 4}};
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.apply(Add{}, in(paper.u), inout(paper.next));
  paper.step.apply(Copy{}, in(paper.u), out(paper.next)).over(part);
  paper.step.apply(Copy{}, in(paper.u), out(paper.next)).where(mask);
  const Cycle cycle = paper.cycle();
  EXPECT_EQ(written(cycle, 0).previous, -1);
  for (const std::size_t later : {1, 2, 3}) {
    EXPECT_EQ(written(cycle, later).previous, cycle.instances[later - 1].writes[1]) << later;
  }
  EXPECT_EQ(cycle.instances[1].reads[1], cycle.instances[0].writes[1]) << "inout reads it";
  EXPECT_EQ(cycle.instances[2].reads[1], -1);
  EXPECT_EQ(cycle.instances[3].mask_slot, 3);
  EXPECT_EQ(cycle.instances[3].mask_read, cycle.held[3]);
  EXPECT_EQ(cycle.versions[static_cast<std::size_t>(cycle.held[3])].readers, (Numbers{3}));
}

TEST(CycleVersions, OfNamesThatAreAliveOutliveTheCycle) {
  Paper paper({4, 4, 4});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Cycle cycle = paper.cycle({1, false, {true, false, false}});
  EXPECT_TRUE(written(cycle, 0).outlives) << "u stands for what was next";
  EXPECT_EQ(std::count_if(cycle.versions.begin(), cycle.versions.end(),
                          [](const Version& version) { return version.outlives; }),
            1);
}

TEST(CycleVersions, OneStepFetchesThemAllMoreThoseHeldAlone) {
  Paper paper({4, 4, 4});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  for (const bool recomputes : {false, true}) {
    for (const int steps : {1, 2}) {
      const Cycle cycle = paper.cycle(steps, recomputes);
      for (const Version& version : cycle.versions) {
        EXPECT_EQ(version.exchanged, version.producer < 0 || (steps == 1 && !recomputes));
      }
    }
  }
}

TEST(CycleVersions, ReductionsAndScalarStagesMakeNone) {
  Paper paper({4, 4, 4});
  Parameter<double> total("total");
  paper.step.reduce(Value{}, in(paper.u), sum, into(total));
  paper.step.compute([](auto& t) { t = 2 * t; }, inout(total));
  const Cycle cycle = paper.cycle();
  EXPECT_EQ(cycle.versions.size(), 3u);
  ASSERT_EQ(cycle.instances.size(), 2u);
  EXPECT_EQ(cycle.instances[0].slot, (Numbers{-1, u})) << "the first is the result";
  EXPECT_EQ(cycle.instances[0].writes, (Numbers{-1, -1}));
  EXPECT_TRUE(cycle.instances[1].slot.empty());
}

TEST(CycleVersions, AStageMustNotReadWhatItWrites) {
  const auto refusal = [](const auto& add) {
    Paper paper({4, 4, 4});
    add(paper);
    return test::refusal(ExitCode::usage, [&] { paper.cycle(); });
  };
  EXPECT_EQ(refusal([](Paper& paper) { paper.step.apply(Copy{}, in(paper.u), out(paper.u)); }),
            "stage 'Copy' uses field 'u' twice (it is both written and passed again); "
            "use inout once, or a second field and swap");
  EXPECT_EQ(refusal([](Paper& paper) {
              const Field<std::uint8_t> mask(paper.grid, "mask");
              paper.step.apply(Copy{}, in(paper.u), out(mask)).where(mask);
            }),
            "stage 'Copy' writes its own mask; use another field");
}

TEST(CycleVersions, WhatChangesWithTheStepIsKnown) {
  Paper paper({4, 4, 4});
  Parameter<float> fixed("fixed"), largest("largest"), looped("looped"), other("other");
  Program body("body");
  body.reduce(Value{}, in(paper.v), maximum, into(looped));
  paper.step.reduce(Value{}, in(paper.v), maximum, into(largest));
  paper.step.apply(AddStep{}, inout(paper.u), site);
  for (const auto& by : {fixed, largest, looped, other}) {
    paper.step.apply(Scale{}, inout(paper.u), param(by));
  }
  const auto changes = [&](const std::set<const ParameterRecord*>& computed) {
    std::vector<bool> all;
    const Cycle cycle = paper.cycle({1, false, {}, {}, computed});
    for (const Instance& instance : cycle.instances) all.push_back(instance.changes);
    return all;
  };
  EXPECT_EQ(changes({}), (std::vector<bool>{false, true, false, true, false, false}));
  Program round("round");
  round.repeat(2, body);
  const auto computed = computed_parameters(round.stages());
  EXPECT_EQ(computed, std::set<const ParameterRecord*>{looped.record().get()});
  EXPECT_EQ(changes(computed), (std::vector<bool>{false, true, false, true, true, false}));
}

TEST(CycleVersions, SlotsAreThoseOfFieldsEachOnce) {
  const Paper paper({4, 4, 4});
  Slots slots;
  EXPECT_EQ(slots.add(paper.v.record(), paper.grid.state()), 0);
  EXPECT_EQ(slots.add(paper.u.record(), paper.grid.state()), 1);
  EXPECT_EQ(slots.add(paper.v.record(), paper.grid.state()), 0);
  EXPECT_EQ(slots.size(), 2);
  EXPECT_EQ(slots.of(paper.u.record().get()), 1);
  EXPECT_EQ(slots.field(1).name, "u");
}

}  // namespace
}  // namespace goban::cycle_versions_test
