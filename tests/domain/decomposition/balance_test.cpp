// Cuts between devices of different speed, and CPUs beside devices.

#include "goban/domain/decomposition/balance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::balance_test {
namespace {

using test::Diffusion;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;

TEST(WeightedCuts, ExtentsAreAsTheWeights) {
  EXPECT_THAT(weighted_cuts(140, {1, 3, 10}, 1), ElementsAre(0, 10, 40, 140));
  EXPECT_THAT(weighted_cuts(10, {1, 1}, 1), ElementsAre(0, 5, 10));
}

TEST(WeightedCuts, ThinPiecesGetTheLeastThereMayBe) {
  EXPECT_THAT(weighted_cuts(100, {1, 1000, 1}, 4), ElementsAre(0, 4, 96, 100));
  EXPECT_THAT(weighted_cuts(5, {1, 1000, 1}, 4), ElementsAre(0, 1, 4, 5));
}

RC_GTEST_PROP(WeightedCuts, CoverAllCellsWithPiecesOfTheLeastExtent, ()) {
  const auto pieces = *rc::gen::inRange<std::size_t>(1, 9);
  const auto weights = *rc::gen::container<std::vector<int>>(pieces, rc::gen::inRange(1, 1000));
  const auto least = *rc::gen::inRange<Index>(1, 5);
  const auto cells = *rc::gen::inRange<Index>(static_cast<Index>(pieces) * least, 2000);
  const auto cuts = weighted_cuts(cells, {weights.begin(), weights.end()}, least);
  RC_ASSERT(cuts.size() == pieces + 1);
  RC_ASSERT(cuts.front() == 0 && cuts.back() == cells);
  for (std::size_t n = 0; n < pieces; ++n) RC_ASSERT(cuts[n + 1] - cuts[n] >= least);
}

/// Devices that take a while to start and then a time for each plane, one or several patches each.
std::vector<double> times(const Decomposition& cuts, const std::vector<int>& device_of,
                          const std::vector<double>& start, const std::vector<double>& per_cell) {
  std::vector<double> busy(start.size());
  for (int p = 0; p < cuts.patches(); ++p) {
    const auto d = static_cast<std::size_t>(device_of[static_cast<std::size_t>(p)]);
    busy[d] += start[d] + per_cell[d] * static_cast<double>(cuts.owned(p).volume());
  }
  std::vector<double> of_patches;
  for (const int device : device_of) of_patches.push_back(busy[static_cast<std::size_t>(device)]);
  return of_patches;
}

RC_GTEST_PROP(Balanced, FiveAdjustmentsAreEnough, ()) {
  const auto fast = *rc::gen::inRange(2, 60);
  const auto faster = *rc::gen::inRange(2, 60);
  const std::vector<double> start = {5000, 2000, 20000};
  const std::vector<double> per_cell = {1.0, 1.0 / fast, 1.0 / (fast + faster)};
  Decomposition cuts = cut_evenly({64, 64, 2000}, {1, 1, 3});
  for (int n = 0; n < 5; ++n) cuts = balanced(cuts, times(cuts, {0, 1, 2}, start, per_cell), 1);
  RC_ASSERT(imbalance_of(times(cuts, {0, 1, 2}, start, per_cell)) < 0.05);
}

TEST(Balanced, ADeviceWithBothBoundariesSharesItsTimeBetweenThem) {
  // The CPU computes the low and high planes along y, a GPU the middle.
  const std::vector<int> device_of = {0, 1, 0};
  Decomposition cuts = cut_evenly({64, 2000, 64}, {1, 3, 1});
  for (int n = 0; n < 5; ++n) {
    cuts = balanced(cuts, times(cuts, device_of, {0, 0}, {1.0, 0.05}), 1);
  }
  EXPECT_THAT(imbalance_of(times(cuts, device_of, {0, 0}, {1.0, 0.05})), Lt(0.05));
  EXPECT_EQ(cuts.extent(1, 0), cuts.extent(1, 2));
}

TEST(Balanced, ADeviceInTheMiddleOfAFrameGrowsUntilTheFrameIsDoneWithIt) {
  // The CPU computes the y and z boundaries: eight patches around one of the GPU.
  const std::vector<int> device_of = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  Decomposition cuts = cut_evenly({64, 900, 900}, {1, 3, 3});
  for (int n = 0; n < 12; ++n) {
    cuts = balanced(cuts, times(cuts, device_of, {0, 0}, {1.0, 0.1}), 1);
  }
  EXPECT_THAT(imbalance_of(times(cuts, device_of, {0, 0}, {1.0, 0.1})), Lt(0.1));
}

TEST(Balanced, UnmeasuredPatchesMoveNothing) {
  const Decomposition cuts = cut_evenly({8, 8, 8}, {1, 1, 2});
  EXPECT_EQ(balanced(cuts, {0, 0}, 1).cuts, cuts.cuts);
}

struct Outcome {
  std::uint64_t checksum = 0;
  BalanceReport report;
  Decomposition decomposition;
  bool is_mixed = false;
};

Outcome diffuse(const Settings& settings, Index3 cells, Index steps) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill([&](Index3 p) { return static_cast<float>(test::pattern(p)); });
  Program step("diffusion");
  step.apply(Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  engine.run(steps, clock);
  Domain& domain = domain_of(*grid.state());
  return {u.checksum(), domain.balancing().report(), domain.decomposition(), domain.is_mixed()};
}

TEST(Balancing, EmulatedDevicesOfDifferentSpeedFinishTogether) {
  const Index3 cells{40, 40, 140};
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0, 1, 2};
  settings.speeds = {1, 3, 10};
  settings.delay_microseconds = 0;
  const Outcome run = diffuse(settings, cells, 60);
  ASSERT_FALSE(run.report.trials.empty());
  EXPECT_LE(run.report.trials.size(), 6u);
  EXPECT_GT(run.report.trials.front().imbalance, 0.5);
  const BalanceReport::Trial& kept = run.report.trials[run.report.kept];
  EXPECT_LT(kept.imbalance, 0.05);
  EXPECT_GE(run.report.kept + 2, run.report.trials.size()) << "went on after a step got longer";
  EXPECT_EQ(run.decomposition.cuts, kept.decomposition.cuts);
  EXPECT_GT(run.decomposition.extent(2, 2), 3 * run.decomposition.extent(2, 1) - 10);
  EXPECT_EQ(run.checksum, diffuse(test::plainest(), cells, 60).checksum);
}

/// Adds what lies far up.
struct LookUp {
  GOBAN_FUNCTION void operator()(auto v, auto u) const { u += 0.01f * v(0, 0, -5); }
};

/// A few planes read far into what becomes the patch of the slow device.
Outcome look_up(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {24, 20, 60}, .boundary = mirror});
  Field<float> u(grid, "u"), next(grid, "next"), v(grid, "v");
  for (Field<float>* field : {&u, &v}) {
    field->fill([&](Index3 p) { return static_cast<float>(test::pattern(p)); });
  }
  Program step("look up");
  step.apply(Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  step.apply(LookUp{}, in(v), inout(u)).over({{0, 0, 5}, {24, 20, 7}});
  Engine engine(step);
  StepClock clock;
  engine.run(30, clock);
  Domain& domain = domain_of(*grid.state());
  return {u.checksum(), domain.balancing().report(), domain.decomposition(), domain.is_mixed()};
}

TEST(Balancing, PatchesStayAsWideAsHalosMayBecome) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0, 1};
  settings.speeds = {1, 40};
  settings.delay_microseconds = 0;
  const Outcome run = look_up(settings);
  ASSERT_GE(run.report.trials.size(), 2u);
  EXPECT_GE(run.decomposition.cuts[2][1], 6);
  EXPECT_LT(run.decomposition.cuts[2][1], 30);
  EXPECT_EQ(run.checksum, look_up(test::plainest()).checksum);
}

TEST(Balancing, CutsOfTheUsersOwnAndEqualDevicesStay) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0, 1};
  settings.delay_microseconds = 0;
  EXPECT_TRUE(diffuse(settings, {16, 8, 20}, 10).report.trials.empty());
  settings.speeds = {1, 5};
  settings.balance = Balance::off;
  EXPECT_TRUE(diffuse(settings, {16, 8, 20}, 10).report.trials.empty());
  settings.balance = Balance::choose;
  settings.cuts = {"", "", "5,15"};
  EXPECT_TRUE(diffuse(settings, {16, 8, 20}, 10).report.trials.empty());
}

/// A device a hundred times slower than the least of CPUs.
Settings slow_device_and_cpu() {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0, cpu_device};
  settings.speeds = {0.05};
  settings.delay_microseconds = 0;
  return settings;
}

TEST(Balancing, ACpuThatPaysIsKept) {
  const Index3 cells{24, 20, 40};
  const Outcome run = diffuse(slow_device_and_cpu(), cells, 200);
  EXPECT_TRUE(run.is_mixed);
  EXPECT_GT(run.report.without_cpu, run.report.with_cpu);
  EXPECT_THAT(run.report.outcome, HasSubstr("the CPU pays"));
  EXPECT_GT(run.decomposition.extent(2, 1), run.decomposition.extent(2, 0));
  EXPECT_EQ(run.checksum, diffuse(test::plainest(), cells, 200).checksum);
}

TEST(Balancing, OneLineSaysWhatCameOfIt) {
  Settings settings = slow_device_and_cpu();
  settings.balance = Balance::keep;
  const Outcome run = diffuse(settings, {24, 20, 40}, 60);
  EXPECT_TRUE(run.is_mixed);
  EXPECT_EQ(run.report.without_cpu, 0) << "it was not tried";
  EXPECT_THAT(run.report.outcome, HasSubstr("balanced as z "));
}

TEST(Balancing, TheCpuTakesPartInEveryWayToRunAStep) {
  const Index3 cells{24, 10, 40};
  const std::uint64_t expected = diffuse(test::plainest(), cells, 50).checksum;
  Settings settings = slow_device_and_cpu();
  settings.balance = Balance::keep;
  settings.delay_microseconds = 10;
  for (const auto& devices : {std::vector{0, cpu_device}, {cpu_device, 0, cpu_device, 1}}) {
    settings.devices = devices;
    for (const Overlap overlap :
         {Overlap::automatic, Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      for (const int steps : {0, 2}) {
        settings.overlap = overlap;
        settings.steps_per_exchange = steps;
        settings.speeds = steps == 0 ? std::vector{3.0, 6.0} : std::vector<double>{};
        const Outcome run = diffuse(settings, cells, 50);
        EXPECT_EQ(run.checksum, expected) << test::options_of(settings);
        EXPECT_TRUE(run.is_mixed);
      }
    }
  }
}

TEST(Balancing, HalosTravelBesideSweepsWhereTheCpuTakesPart) {
  Runtime runtime(slow_device_and_cpu());
  Grid grid(runtime, {.cells = {16, 8, 20}});
  EXPECT_EQ(domain_of(*grid.state()).overlap(), Overlap::one_kernel);
  Runtime alone(Settings{});
  Grid other(alone, {.cells = {16, 8, 20}});
  EXPECT_EQ(domain_of(*other.state()).overlap(), Overlap::none);
}

TEST(Balancing, DevicesWithoutPatchesAreRefused) {
  Settings settings = slow_device_and_cpu();
  settings.patches = {1, 1, 1};
  Runtime runtime(settings);
  EXPECT_EQ(test::error_of([&] {
              Grid grid(runtime, {.cells = {16, 8, 20}});
              Field<float>(grid, "u").fill([](Index3) { return 0.0f; });
            }),
            "1 patch is not enough for 2 devices (each computes patches of its own); name fewer "
            "devices or more patches");
}

TEST(Balancing, WithoutTheCpuTheDevicesHaveEverything) {
  Settings settings = slow_device_and_cpu();
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {16, 8, 20}, .boundary = periodic});
  Field<float> u(grid, "u");
  u.fill([&](Index3 p) { return static_cast<float>(test::pattern(p)); });
  const std::uint64_t before = u.checksum();
  Domain& domain = domain_of(*grid.state());
  EXPECT_EQ(domain.decomposition().patches(), 2);
  domain.redistribute(decomposition_without_cpu(domain.grid(), {0}), Helpers::left_out);
  EXPECT_EQ(domain.decomposition().patches(), 1);
  EXPECT_FALSE(domain.is_mixed());
  EXPECT_EQ(domain.executors().front()->is_helper(), false);
  EXPECT_EQ(u.checksum(), before);
}

TEST(Balancing, RanksMoveTheirCutsAlike) {
  const Index3 cells{24, 20, 80};
  const std::uint64_t expected = diffuse(test::plainest(), cells, 200).checksum;
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = slow_device_and_cpu();
    settings.communicator = communicator;
    const Outcome run = diffuse(settings, cells, 200);
    EXPECT_EQ(run.checksum, expected);
    EXPECT_EQ(run.decomposition.patches(), 4);
    EXPECT_FALSE(run.report.outcome.empty());
  });
}

/// Each rank has another device.
TEST(Balancing, RanksWithUnequalDevicesFinishTogether) {
  const Index3 cells{32, 32, 120};
  const std::uint64_t expected = diffuse(test::plainest(), cells, 100).checksum;
  for (const bool has_cpu : {false, true}) {
    test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
      Settings settings = slow_device_and_cpu();
      settings.communicator = communicator;
      settings.devices = {communicator->rank()};
      if (has_cpu) settings.devices.push_back(cpu_device);
      settings.balance = Balance::keep;
      settings.speeds = {1, 4};
      const Outcome run = diffuse(settings, cells, 100);
      EXPECT_EQ(run.checksum, expected);
      EXPECT_FALSE(run.report.outcome.empty()) << run.report.trials.size() << " trials";
      if (has_cpu) return;  // which may be faster than all devices
      EXPECT_GT(run.decomposition.extent(2, 1), 3 * run.decomposition.extent(2, 0));
      EXPECT_LT(run.report.trials[run.report.kept].imbalance, 0.05);
    });
  }
}

}  // namespace
}  // namespace goban::balance_test
