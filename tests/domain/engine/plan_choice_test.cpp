#include "goban/domain/engine/plan_choice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/thread_ranks/slow_links.hpp"

namespace goban::plan_choice_test {
namespace {

const std::vector<StepPlan> ladder = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {6, 1}, {8, 1}};

/// Plays all turns; `microseconds(plan, turn)` of a step.
template <class Microseconds>
StepPlan play(PlanChoice choice, Microseconds&& microseconds, int* turns = nullptr) {
  int turn = 0;
  for (; choice.is_open(); ++turn) choice.add(1e-6 * microseconds(choice.current(), turn));
  if (turns) *turns = turn;
  return choice.best();
}

TEST(PlanChoice, ASingleWayIsNoChoice) {
  EXPECT_FALSE(PlanChoice().is_open());
  EXPECT_EQ(PlanChoice().best(), StepPlan{});
}

TEST(PlanChoice, TheFastestOfALadderIsFound) {
  // Expanded ghosts: an exchange's time is shared by R steps, work grows with R.
  for (const double exchange : {0.0, 1.0, 3.0, 10.0, 100.0}) {
    const auto cost = [&](const StepPlan& plan, int) {
      const double r = plan.steps_per_exchange;
      return 1 + exchange / r + 0.3 * r;
    };
    const StepPlan best = play(PlanChoice(ladder), cost);
    for (const StepPlan& plan : ladder) EXPECT_LE(cost(best, 0), cost(plan, 0)) << exchange;
  }
}

TEST(PlanChoice, OneLossDoesNotEndIt) {
  const double cost[] = {0, 1.0, 1.2, 0.8, 0.7, 0, 0.9, 0, 1.0};
  const StepPlan best = play(
      PlanChoice(ladder), [&](const StepPlan& plan, int) { return cost[plan.steps_per_exchange]; });
  EXPECT_EQ(best.steps_per_exchange, 4);
}

TEST(PlanChoice, ExchangesBeforeEveryStepMayGoAnotherWay) {
  // As measured: sweeps store into halos of others, longer cycles send messages.
  const double cost[] = {0, 5.5, 8.3, 7.0, 5.8, 0, 4.9, 0, 4.4};
  const StepPlan best = play(
      PlanChoice(ladder), [&](const StepPlan& plan, int) { return cost[plan.steps_per_exchange]; });
  EXPECT_EQ(best.steps_per_exchange, 8);
}

TEST(PlanChoice, TheFirstTurnOfEachDoesNotCount) {
  const PlanChoice two({{1, 1}, {2, 1}});
  int played = 0;
  const StepPlan best = play(
      two,
      [&](const StepPlan& plan, int turn) {
        const bool is_first = turn < 2;
        return plan.steps_per_exchange == 2 ? (is_first ? 100.0 : 1.0) : (is_first ? 0.1 : 2.0);
      },
      &played);
  EXPECT_EQ(best.steps_per_exchange, 2);
  EXPECT_EQ(played, 6);  // clear after two turns of each that count
}

RC_GTEST_PROP(PlanChoice, NoiseThatComesAndGoesDoesNotDecide, ()) {
  const auto disturbed = *rc::gen::inRange(2, 12);
  const StepPlan best = play(PlanChoice({{1, 1}, {2, 1}}), [&](const StepPlan& plan, int turn) {
    const double noise = turn == disturbed ? 5.0 : 1.0;
    return noise * (plan.steps_per_exchange == 2 ? 0.97 : 1.0);
  });
  RC_ASSERT(best.steps_per_exchange == 2);
}

RC_GTEST_PROP(PlanChoice, TrialsCostLittleOfALongRun, ()) {
  constexpr double best = 1e-4;  // seconds a step
  const double slower = *rc::gen::inRange(2, 100), first = *rc::gen::inRange(1, 10);
  const double end = *rc::gen::inRange(1, 60);
  PlanChoice choice(ladder);
  double seconds = 0, longest = 0;
  Index steps = 0;
  bool is_new = true;
  while (seconds < end && choice.is_open()) {
    const StepPlan plan = choice.current();
    const Index some = choice.cycles(16) * plan.steps_per_exchange;
    const bool is_best = plan == ladder[0];
    const double turn = best * static_cast<double>(some) *
                        (is_best ? 1 : slower * (std::exchange(is_new, false) ? first : 1));
    if (!is_best) longest = std::max(longest, turn);
    seconds += turn;
    steps += some;
    choice.add(turn, some);
  }
  const double alone = best * static_cast<double>(steps);
  RC_ASSERT(seconds - alone <= 0.2 + 0.05 * seconds + longest);
  RC_ASSERT(choice.best() == ladder[0]);
}

TEST(PlanChoice, AChallengerThatWaitsHasItsTurnsInTheEnd) {
  const double cost[] = {0, 1.0, 1.6, 1.5, 0.7};
  int turns = 0;
  PlanChoice choice({{1, 1}, {2, 1}, {3, 1}, {4, 1}});
  for (; choice.is_open() && turns < 10'000; ++turns) {
    choice.add(cost[choice.current().steps_per_exchange]);
  }
  EXPECT_EQ(choice.best().steps_per_exchange, 4);
  EXPECT_GT(turns, 40);  // of seconds that cost much
}

TEST(PlanChoice, SingleStepsDecideOnOverlap) {
  for (const double hidden : {0.2, -0.2}) {
    const auto cost = [&](const StepPlan& plan, int) {
      const double r = plan.steps_per_exchange;
      return 1 + 2 / r + 0.3 * r - (plan.overlap == Overlap::none ? 0 : hidden);
    };
    const Overlap faster = hidden > 0 ? Overlap::one_kernel : Overlap::none;
    EXPECT_EQ(play(PlanChoice(ladder, true), cost), (StepPlan{3, 1, faster}));
    EXPECT_EQ(play(PlanChoice({{2, 1}}, true), cost), (StepPlan{2, 1, faster}));
    EXPECT_EQ(play(PlanChoice(ladder), cost), (StepPlan{3, 1, Overlap::none}));
  }
  const auto passes = [](const StepPlan& plan, int) { return plan.steps_per_pass > 1 ? 1.0 : 2.0; };
  EXPECT_EQ(play(PlanChoice({{4, 4}, {1, 1}}, true), passes), (StepPlan{4, 4}));
}

TEST(PlanChoice, WhatCannotBeRunEndsIt) {
  PlanChoice choice(ladder);
  choice.add(1);
  ASSERT_TRUE(choice.is_new());
  choice.refuse();
  EXPECT_FALSE(choice.is_open());
  EXPECT_EQ(choice.current().steps_per_exchange, 1);

  PlanChoice overlapping(ladder, true);
  overlapping.add(1);
  overlapping.refuse();  // overlap: longer cycles may still be
  EXPECT_TRUE(overlapping.is_open());
  overlapping.close(8);
  EXPECT_FALSE(overlapping.is_open());
}

TEST(PlanChoice, WhatCannotBeRunTakesThoseAsLongWithIt) {
  PlanChoice choice({{4, 1}, {8, 1}, {2, 1}, {6, 1}, {1, 1}});
  choice.add(1);
  choice.refuse();  // 8
  EXPECT_EQ(choice.current().steps_per_exchange, 4);
  std::vector<int> tried;
  play(choice, [&](const StepPlan& plan, int) {
    tried.push_back(plan.steps_per_exchange);
    return 1.0 + 1.0 / plan.steps_per_exchange;
  });
  EXPECT_EQ(std::count(tried.begin(), tried.end(), 8), 0);
  EXPECT_GT(std::count(tried.begin(), tried.end(), 6), 0);
}

TEST(PlanChoice, WhoRunsFewStepsAtATimeHasNoUseForWideHalos) {
  PlanChoice choice({{8, 1}, {6, 1}});
  choice.close(2);
  EXPECT_EQ(choice.best(), (StepPlan{1, 1}));
  PlanChoice pass({{4, 4}, {1, 1}});
  pass.close(2);  // passes of two steps are passes
  EXPECT_EQ(pass.best(), (StepPlan{4, 4}));
}

TEST(PlanChoice, TellsWhatWasMeasured) {
  PlanChoice choice({{1, 1}, {2, 1}});
  while (choice.is_open()) choice.add(choice.current().steps_per_exchange == 2 ? 1e-3 : 2e-3);
  ASSERT_EQ(choice.compared().size(), 2u);
  EXPECT_EQ(choice.compared()[0].plan, (StepPlan{1, 1}));
  EXPECT_EQ(choice.compared()[0].seconds, 2e-3);
  EXPECT_EQ(choice.compared()[1].seconds, 1e-3);
}

TEST(NearPlans, ThoseNearTheFastestAreTriedAndItFirst) {
  const NearPlans near =
      near_plans({{{{1, 1}, 5.0}, {{2, 1}, 2.4}, {{3, 1}, 2.0}, {{4, 1}, 2.6}}, false}, 0.25);
  EXPECT_EQ(near.tried, (std::vector<StepPlan>{{3, 1}, {2, 1}}));
  EXPECT_FALSE(near.tries_overlap);
  ASSERT_EQ(near.expected.size(), 2u);
  EXPECT_EQ(near.expected[1].seconds, 2.4);
  ASSERT_EQ(near.dropped.size(), 2u);
  EXPECT_EQ(near.dropped[0].plan, (StepPlan{4, 1}));
  EXPECT_EQ(near.dropped[1].plan, (StepPlan{1, 1}));
}

TEST(NearPlans, AllAreTriedInTheirOrderWhereOneIsNotKnown) {
  for (const bool tries_overlap : {false, true}) {
    const NearPlans near =
        near_plans({{{{1, 1}, 5.0, 5.0}, {{2, 1}, 1.0, 0}, {{3, 1}, 0, 1.0}}, tries_overlap}, 0.25);
    EXPECT_EQ(near.tried, (std::vector<StepPlan>{{1, 1}, {2, 1}, {3, 1}}));
    EXPECT_EQ(near.tries_overlap, tries_overlap);
    EXPECT_TRUE(near.expected.empty());
    EXPECT_TRUE(near.dropped.empty());
  }
}

TEST(NearPlans, OverlapIsTriedWhereItIsNotPredictedToDecide) {
  const StepPlan sweeps{1, 1}, overlapping{1, 1, Overlap::one_kernel};
  const auto of = [&](double seconds, double hidden) {
    return near_plans({{{sweeps, seconds, hidden}}, true}, 0.25);
  };
  EXPECT_EQ(of(1.0, 1.1).tried, std::vector{sweeps});
  EXPECT_TRUE(of(1.0, 1.1).tries_overlap);
  EXPECT_EQ(of(1.1, 1.0).tried, std::vector{overlapping});
  EXPECT_TRUE(of(1.1, 1.0).tries_overlap);
  EXPECT_EQ(of(2.0, 1.0).tried, std::vector{overlapping});
  EXPECT_FALSE(of(2.0, 1.0).tries_overlap);
  EXPECT_FALSE(of(1.0, 2.0).tries_overlap);
  // Passes wait for their halos.
  const NearPlans passes = near_plans({{{{4, 4}, 1.0, 0.5}, {sweeps, 2.0, 2.0}}, true}, 0.25);
  EXPECT_EQ(passes.tried, (std::vector<StepPlan>{{4, 4}}));
  EXPECT_FALSE(passes.tries_overlap);
  EXPECT_EQ(passes.dropped.size(), 1u);
}

RC_GTEST_PROP(NearPlans, TheBestIsFoundIfThePredictionIsWithinItsMargin, ()) {
  constexpr double margin = 0.25;
  PlanOffer offer{{}, false};
  std::vector<double> real;
  for (const StepPlan& plan : ladder) {
    real.push_back(*rc::gen::inRange(100, 1000));
    const double error = *rc::gen::inRange(0, 110) / 1000.0;  // (1 + e) / (1 - e) <= 1 + margin
    offer.plans.push_back(
        {plan, real.back() * (*rc::gen::arbitrary<bool>() ? 1 + error : 1 - error)});
  }
  const auto best = std::min_element(real.begin(), real.end()) - real.begin();
  const NearPlans near = near_plans(offer, margin);
  const StepPlan& fastest = ladder[static_cast<std::size_t>(best)];
  RC_ASSERT(std::count(near.tried.begin(), near.tried.end(), fastest) == 1);
  RC_ASSERT(near.tried.size() + near.dropped.size() == ladder.size());
}

TEST(PlanChoice, TurnsAreLongEnoughToBeMeasuredAndReplayed) {
  PlanChoice choice({{1, 1}, {4, 1}});
  EXPECT_EQ(choice.cycles(16), 160);  // until cycles are replayed
  EXPECT_EQ(choice.cycles(0), 1);
  choice.add(0.001);
  EXPECT_EQ(choice.cycles(4), 40);
  choice.add(0.001);
  EXPECT_EQ(choice.cycles(0), 20);   // of the first plan again: 20 ms
  EXPECT_EQ(choice.cycles(16), 32);  // whole recordings
  choice.add(0.5);
  EXPECT_EQ(choice.cycles(0), 1);
}

/// A field diffuses on two patches.
struct Diffusing {
  explicit Diffusing(const Settings& settings)
      : runtime(settings), grid(runtime, {.cells = {24, 24, 48}, .boundary = periodic}) {
    u.fill([](Index3 p) { return static_cast<float>(test::pattern(p)); });
    step.apply(test::Diffusion<float>{}, in(u), out(next));
    step.swap(u, next);
  }
  Runtime runtime;
  Grid grid;
  Field<float> u{grid, "u"}, next{grid, "next"};
  Program step{"diffusion"};
};

Settings two_patches() {
  Settings settings;
  settings.threads = 1;
  settings.patches = {1, 1, 2};
  settings.temporal_blocking = 0;
  return settings;
}

TEST(Ways, ARunFindsOutHowManyStepsAnExchangeShouldServe) {
  test::run_ranks(2, [](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = two_patches();
    settings.communicator = communicator;
    Diffusing run(settings);
    Engine engine(run.step);
    StepClock clock;
    engine.prepare();
    EXPECT_FALSE(engine.is_settled());
    for (int n = 0; n < 50 && !engine.is_settled(); ++n) engine.run(120, clock);
    EXPECT_TRUE(engine.is_settled());
    const Index width = engine.steps_per_exchange();  // halos of plans that have lost are gone
    EXPECT_EQ(domain_of(*run.grid.state()).buffer(run.u.record()->id).halo,
              (Extents{{width, width, width}, {width, width, width}}));
    settings.steps_per_exchange = 1;
    settings.overlap = Overlap::none;
    Diffusing plain(settings);
    Engine reference(plain.step);
    StepClock its;
    reference.run(clock.step, its);
    EXPECT_TRUE(reference.is_settled());
    EXPECT_EQ(reference.steps_per_exchange(), 1);
    EXPECT_EQ(run.u.checksum(), plain.u.checksum());
    EXPECT_EQ(clock.step, its.step);
  });
}

TEST(Ways, ASlowLinkMakesGhostExpansionPay) {
  // 3 ms for any message: a cycle of eight steps waits once for what single steps wait for eight
  // times.
  const test::ScratchFolder folder;
  MachineRates machine = machine_named("xeon-core");
  machine.node.latency = 3e-3;
  std::ofstream(folder / "machine.toml") << machine_text(machine);
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = two_patches();
    settings.communicator = with_slow_links(communicator, {.latency = 3e-3});
    settings.machine = (folder / "machine.toml").string();
    Diffusing run(settings);
    Engine engine(run.step);
    StepClock clock;
    engine.prepare();
    for (int n = 0; n < 50 && !engine.is_settled(); ++n) engine.run(120, clock);
    EXPECT_TRUE(engine.is_settled());
    EXPECT_GE(engine.steps_per_exchange(), 4);
  });
}

TEST(Ways, WhoAsksForSingleStepsGetsSingleSteps) {
  test::run_ranks(2, [](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = two_patches();
    settings.communicator = communicator;
    Diffusing run(settings);
    Engine engine(run.step);
    StepClock clock;
    for (int n = 0; n < 20'000 && !engine.is_settled(); ++n) engine.run(1, clock);
    EXPECT_TRUE(engine.is_settled());
    EXPECT_EQ(engine.steps_per_exchange(), 1);
  });
}

TEST(Ways, NothingIsChosenWithinAProcess) {
  Diffusing alone(two_patches());
  Engine engine(alone.step);
  engine.prepare();
  EXPECT_TRUE(engine.is_settled());
}

}  // namespace
}  // namespace goban::plan_choice_test
