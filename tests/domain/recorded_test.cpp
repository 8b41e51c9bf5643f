// Cycles that are replayed as they were recorded, though numbers in them change with every step.

#include "goban/domain/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/gpu.hpp"

namespace goban {
namespace {

using test::Results;

/// Adds a number that the program computes, and noise that depends on the step.
struct Stir {
  GOBAN_FUNCTION void operator()(auto u, auto amplitude, auto site) const {
    u += amplitude() * (site.template random<float>() - 0.5f) +
         0.001f * convert<float>(site.step()) - 0.01f * convert<float>(site.time());
  }
};

/// Where it is matters to it, but not when.
struct Slope {
  GOBAN_FUNCTION void operator()(auto u, auto site) const {
    u += 1e-3f * site.template position<float>(Axis::x);
  }
};

struct Stirred {
  Results results;
  int computed = 0;
};

/// In several runs, long enough for sixteen steps to be recorded and replayed several times, and
/// for what is left over.
Stirred stir(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {37, 23, 29}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Parameter<float> amplitude("amplitude", 0.5f), shrinks("shrinks", 0.99f);
  Stirred stirred;
  Program step("stir");
  step.compute(
      [&stirred](float by, float& a) {
        a *= by;
        ++stirred.computed;
      },
      in(shrinks), inout(amplitude));
  step.apply(test::Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  step.apply(Stir{}, inout(u), param(amplitude), site);
  step.apply(Slope{}, inout(u), site).over({{0, 0, 3}, {37, 23, 9}});
  Engine engine(step);
  StepClock clock;
  clock.dt = 0.25;
  for (const Index steps : {100, 50, 3}) engine.run(steps, clock);
  shrinks.set(1.01f);  // no part of what was recorded
  engine.run(67, clock);
  EXPECT_EQ(clock.step, 220);
  EXPECT_EQ(clock.time, 55);
  stirred.results = {{"u", u.checksum()}};
  return stirred;
}

Settings emulated(int devices, int steps_per_exchange) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices.resize(static_cast<std::size_t>(devices));
  for (int n = 0; n < devices; ++n) settings.devices[static_cast<std::size_t>(n)] = n;
  settings.steps_per_exchange = steps_per_exchange;
  settings.delay_microseconds = 50;
  return settings;
}

TEST(Recorded, NumbersThatChangeWithTheStepAreThoseOfTheStep) {
  const Stirred expected = stir(test::plainest());
  EXPECT_EQ(expected.computed, 220);
  std::vector<Settings> all{emulated(1, 1), emulated(2, 1), emulated(3, 2), emulated(2, 2)};
  all.back().devices.push_back(cpu_device);
  all.back().balance = Balance::off;
  if (test::has_gpu()) {
    Settings settings;
    settings.backend = Backend::cuda;
    settings.devices = {0};
    all.push_back(settings);
    settings.devices = {every_device};
    settings.steps_per_exchange = 2;
    all.push_back(settings);
    settings.devices = {every_device, cpu_device};
    settings.balance = Balance::off;
    all.push_back(settings);
  }
  for (const Settings& settings : all) {
    const Stirred found = stir(settings);
    EXPECT_EQ(found.results, expected.results) << test::options_of(settings);
    EXPECT_EQ(found.computed, expected.computed) << test::options_of(settings);
  }
}

}  // namespace
}  // namespace goban
