// Kernels are compiled together before anything is launched, on GPUs that are not there.

#include <gtest/gtest.h>

#include <cstdlib>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::kernels_ahead_test {
namespace {

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};
struct Shrink {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = by() * u(); }
};
/// Computed by no other test of the process, which might have left their kernels.
struct Square {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};
struct Cube {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u() * u(); }
};
struct Halve {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = 0.5f * u() + by(); }
};
struct Fade {
  GOBAN_FUNCTION void operator()(auto u, auto by) const { u = u() - by() * u(); }
};
struct Blur {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.25f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 0, 1) + u(0, 0, -1));
  }
};
struct Upward {
  GOBAN_FUNCTION void forward(auto u, auto x, auto s) const {
    s = u() + s.before();
    x = s();
  }
};

class KernelsAhead : public testing::Test {
 protected:
  void SetUp() override {
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    static const std::string refusal =
        cuda::is_rehearsal() ? "" : test::error_of([] { cuda::rehearse(90, 2); });
    if (!refusal.empty()) GTEST_SKIP() << refusal;
    if (!cuda::nvrtc_refusal().empty()) GTEST_SKIP() << cuda::nvrtc_refusal();
    static const test::ScratchFolder kernels;
    setenv("GOBAN_KERNEL_CACHE", kernels.path().c_str(), 1);
  }

  /// How many kernels this process has asked for.
  static int count() {
    const cuda::KernelStatistics all = cuda::kernel_statistics();
    return all.compiled + all.loaded;
  }

  static Settings gpus(const std::vector<int>& devices, const std::string& launches = "preset") {
    Settings settings;
    settings.backend = Backend::cuda;
    settings.devices = devices;
    settings.launches = launches;
    return settings;
  }
};

TEST_F(KernelsAhead, OfAllStagesAreCompiledBeforeTheFirstLaunchAndNoneLater) {
  for (const auto& launches : {"preset", "tuned"}) {
    for (const std::vector<int>& devices : {std::vector<int>{0}, {0, 1}}) {
      Runtime runtime(gpus(devices, launches));
      Grid grid(runtime, {.cells = {128, 64, 64}, .boundary = mirror});
      Field<float> u(grid, "u"), next(grid, "next");
      u.fill(1);
      Parameter<float> most("most");
      const int before = count();
      int first = 0;
      Program program("program");
      program.call([&] { first = first == 0 ? count() - before : first; }, std::tie(), std::tie());
      program.apply(test::Diffusion<float>{}, in(u), out(next));
      program.reduce(Value{}, in(next), maximum, into(most));
      program.swap(u, next);
      program.call([] {}, std::tie(), std::tie());
      program.apply(Shrink{}, inout(u), in(most));
      Engine engine(program);
      StepClock clock;
      engine.run(3, clock);
      engine.synchronize();
      const bool is_first = launches == std::string("preset") && devices.size() == 1;
      if (is_first) {
        EXPECT_GE(first, 3) << "three stages; ghosts may be those of another test";
      }
      EXPECT_EQ(count() - before, first) << launches << " on " << devices.size();
    }
  }
}

TEST_F(KernelsAhead, AreThoseOfPassesAndColumns) {
  Settings settings = gpus({0});
  settings.temporal_blocking = settings.steps_per_exchange = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {128, 64, 64}, .boundary = {periodic, periodic, constant(0)}});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1);
  Program steps("steps"), columns("columns");
  steps.apply(test::Diffusion<float>{}, in(u), out(next));
  steps.swap(u, next);
  columns.columns(Axis::z, Upward{}, in(u), out(next), scratch<float, 1>);
  int before = count(), first = 0;
  Program program("program");
  program.call([&] { first = first == 0 ? count() - before : first; }, std::tie(), std::tie());
  program.repeat(8, steps);
  program.repeat(1, columns);
  Engine engine(program);
  StepClock clock;
  engine.run(2, clock);
  engine.synchronize();
  EXPECT_GT(engine.steps_per_pass(), 1);
  EXPECT_GE(first, 2);
  EXPECT_EQ(count() - before, first);
}

/// Their sweeps read numbers from the device's memory, by the kernels that take them as arguments.
TEST_F(KernelsAhead, AreThoseOfLoopsOfTheDevice) {
  Runtime runtime(gpus({0}));
  Grid grid(runtime, {.cells = {64, 32, 32}, .boundary = mirror});
  Field<float> u(grid, "u");
  u.fill(1);
  Parameter<float> most("most"), by("by");
  Program body("body"), program("program");
  body.apply(Fade{}, inout(u), in(by));
  body.reduce(Square{}, in(u), maximum, into(most));
  body.compute([](auto highest, auto& factor) { factor = 0.5f * highest; }, in(most), out(by));
  int before = count(), first = 0, round = 0;
  program.call([&] { first = first == 0 ? count() - before : first; }, std::tie(), std::tie());
  program.repeat(10, body);
  program.call([&] { round = round == 0 ? count() - before : round; }, std::tie(), std::tie());
  Engine engine(program);
  StepClock clock;
  engine.run(1, clock);
  EXPECT_GE(first, 3) << "the sweep, what is reduced of its cells, and what is computed";
  engine.run(3, clock);
  EXPECT_EQ(round, first) << engine.describe();
  EXPECT_EQ(count() - before, first);
}

/// What a device repeats has the sweeps that the host had submitted, and computes numbers beside.
TEST_F(KernelsAhead, OfSweepsAreTheSameWhereverTheirNumbersLie) {
  Runtime runtime(gpus({0}));
  Grid grid(runtime, {.cells = {64, 32, 32}, .boundary = mirror});
  Field<float> u(grid, "u");
  u.fill(1);
  Parameter<float> most("most"), by("by");
  const auto run = [&](bool has_call) {
    Program body("body"), program("program");
    body.apply(Halve{}, inout(u), in(by));
    body.reduce(Cube{}, in(u), maximum, into(most));
    body.compute([](auto highest, auto& factor) { factor = 0.25f * highest; }, in(most), out(by));
    if (has_call) body.call([] {}, std::tie(), std::tie());
    program.repeat(10, body);
    const int before = count();
    Engine engine(program);
    StepClock clock;
    engine.run(3, clock);
    engine.synchronize();
    return count() - before;
  };
  EXPECT_EQ(run(true), 1) << "the sweep with what is reduced of its cells";
  EXPECT_LE(run(false), 2) << "what is computed, and how loops end";
}

TEST_F(KernelsAhead, AreThoseOfLaterCyclesToo) {
  Runtime runtime(gpus({0}));
  Grid grid(runtime, {.cells = {64, 32, 32}, .boundary = constant(1)});
  Field<float> u(grid, "u"), next(grid, "next"), v(grid, "v"), after(grid, "after");
  u.fill(1);
  v.fill(2);
  Program program("program");
  program.apply(Blur{}, in(u), out(next));
  program.apply(Blur{}, in(v), out(after));
  program.swap(u, next);
  program.swap(v, after);
  Engine engine(program);
  StepClock clock;
  const int before = count();
  engine.prepare_run(clock);
  const int ahead = count();
  EXPECT_GE(ahead - before, 1) << "those of ghosts may be known from other tests";
  engine.run(20, clock);
  engine.synchronize();
  EXPECT_EQ(count(), ahead);
}

/// Computed by no other test of the process, and by each plan anew.
template <int Number>
struct Around {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.01f * Number *
                     (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - 6.0f * u());
  }
};

/// Compares two devices. A shorter cycle at the end takes the steps that no whole cycle does.
template <int Number>
void compare(Settings settings, const BoundarySet& boundary, const std::string& what) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {96, 96, 128}, .boundary = boundary});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1);
  Program program("program");
  program.apply(Around<Number>{}, in(u), out(next));
  program.swap(u, next);
  Engine engine(program);
  StepClock clock;
  const auto count = [] {
    const cuda::KernelStatistics all = cuda::kernel_statistics();
    return all.compiled + all.loaded;
  };
  constexpr Index steps = 71;
  engine.prepare_run(clock, {steps});
  const int ahead = count();
  engine.run(steps, clock);
  engine.synchronize();
  EXPECT_EQ(count(), ahead) << what;
  const Index prepared = engine.preparations();
  const Index whole = settings.steps_per_exchange * 64;
  engine.run(whole - steps % settings.steps_per_exchange, clock);
  engine.run(whole, clock);
  const Index before = engine.preparations();
  EXPECT_GT(before, prepared) << what << ": more together are recorded anew";
  engine.run(whole, clock);
  EXPECT_EQ(engine.preparations(), before) << what;
}

TEST_F(KernelsAhead, AreThoseOfShorterCyclesAtTheEndAndOfSends) {
  Settings settings = gpus({0, 1}, "tuned");
  const BoundarySet all_periodic{periodic}, constant_ends{periodic, periodic, constant(0)};
  settings.temporal_blocking = settings.steps_per_exchange = 4;
  compare<1>(settings, all_periodic, "passes, periodic");
  compare<2>(settings, constant_ends, "passes, constant at the ends");
  settings.temporal_blocking = 1;
  for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
    settings.overlap = overlap;
    settings.steps_per_exchange = 3;
    compare<3>(settings, all_periodic, std::string("R = 3, periodic, ") + name_of(overlap));
    settings.steps_per_exchange = 2;
    compare<4>(settings, constant_ends, std::string("R = 2, constant, ") + name_of(overlap));
  }
}

}  // namespace
}  // namespace goban::kernels_ahead_test
