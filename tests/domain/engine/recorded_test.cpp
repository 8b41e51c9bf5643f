// Cycles that are replayed as they were recorded, though numbers in them change with every step.

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/gpu.hpp"

namespace goban::recorded_test {
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
  settings.delay_microseconds = 10;
  return settings;
}

/// Returns settings of devices that record.
std::vector<Settings> recording() {
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
  return all;
}

TEST(Recorded, NumbersThatChangeWithTheStepAreThoseOfTheStep) {
  const Stirred expected = stir(test::plainest());
  EXPECT_EQ(expected.computed, 220);
  for (const Settings& settings : recording()) {
    const Stirred found = stir(settings);
    EXPECT_EQ(found.results, expected.results) << test::options_of(settings);
    EXPECT_EQ(found.computed, expected.computed) << test::options_of(settings);
  }
}

struct Shake {
  GOBAN_FUNCTION void operator()(auto u, auto by, auto site, auto next) const {
    next = u(1, 0, 0) + convert<float>(by() * site.time());
  }
};

/// Sweeps that read the step or the time find all of their numbers in the device's memory.
TEST(Recorded, NumbersThatOthersSetNowAndThenAreNoReasonToRecordAgain) {
  const auto shake = [](const Settings& settings, Index& replayed) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {17, 8, 8}, .boundary = periodic});
    Field<float> u(grid, "u"), next(grid, "next");
    u.fill(test::pattern);
    Parameter<double> by("by");
    Program step("shake");
    step.apply(Shake{}, in(u), param(by), site, out(next));
    step.swap(u, next);
    Engine engine(step);
    StepClock clock;
    clock.dt = 1e-3;
    for (int n = 0; n < 20; ++n) {
      engine.run(16, clock);
      by.set(by.value() + 0.1);
    }
    replayed = engine.cycles_replayed();
    return u.checksum();
  };
  Index replayed = 0;
  const auto expected = shake(test::plainest(), replayed);
  EXPECT_EQ(shake(emulated(1, 1), replayed), expected);
  EXPECT_GT(replayed, 16 * 17);
}

/// On one rank and on two, whose devices reach each other or not.
void expect_bits(const test::Experiment& experiment, const std::vector<Settings>& all) {
  const Results expected = experiment(test::plainest());
  for (Settings settings : all) {
    for (const int ranks : {1, 2}) {
      const bool is_cut_again = ranks > 1 && settings.backend == Backend::cuda;
      for (const Transport transport : {Transport::automatic, Transport::nccl}) {
        if (transport == Transport::nccl && (ranks == 1 || settings.devices.size() > 1)) continue;
        if (is_cut_again) continue;
        settings.transport = transport;
        for (const Results& found : test::results_of_ranks(ranks, experiment, settings)) {
          EXPECT_EQ(found, expected) << test::options_of(settings) << " on " << ranks << " ranks";
        }
      }
    }
  }
}

struct Invert {
  GOBAN_FUNCTION void operator()(auto number, auto u) const { u = 1.0f / number(); }
};

/// Zeros of both signs are equal and yet other numbers.
Results invert(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {17, 8, 8}, .boundary = constant(-0.0)});
  Field<float> u(grid, "u");
  u.fill(1);
  Parameter<float> number("number", 0.0f);
  Program step("invert");
  step.apply(Invert{}, param(number), out(u));
  Engine engine(step);
  StepClock clock;
  engine.run(70, clock);
  number.set(-0.0f);
  engine.run(70, clock);
  return {{"u", test::bits(u.get({3, 4, 5}))}};
}

TEST(Recorded, ZerosOfBothSignsAreDifferentNumbers) {
  EXPECT_EQ(invert(test::plainest()).at("u"), test::bits(-std::numeric_limits<float>::infinity()));
  expect_bits(invert, recording());
  EXPECT_FALSE(constant(0.0) == constant(-0.0));
}

/// So many runs of sixteen steps that what was recorded is replayed.
constexpr std::array runs{70, 1, 1, 1, 34};

/// CPUs beside devices exchange halos with other ranks by the host.
void expect_replays(const Engine& engine, const Settings& settings) {
  if (settings.backend == Backend::reference) return;
  const bool is_alone = !settings.communicator || settings.communicator->size() == 1;
  if (is_alone || !is_mixed(settings)) {
    EXPECT_EQ(engine.recording_refusal(), "") << test::options_of(settings);
    EXPECT_GT(engine.cycles_replayed(), 0) << test::options_of(settings);
  }
}

double wave(double time) { return 3 + std::sin(2 * time); }

/// Ghosts that look at the clock, at a parameter that the program changes, and deep inside.
Results wavering(const Settings& settings) {
  Runtime runtime(settings);
  const Parameter<double> level("level", 1);
  const auto rule = [](const GhostCell& g) { return 0.5 * g.inside(g.depth + 1) + wave(g.time); };
  BoundarySet sides(constant(wave), gradient(wave), periodic);
  sides.at(Axis::x, Side::high) = wall_value(level);
  sides.at(Axis::y, Side::high) = custom(rule);
  Grid grid(runtime, {.cells = {20, 13, 32}, .boundary = sides});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Program step("waver");
  step.compute([](double& l) { l = 0.9 * l + 0.3; }, inout(level));
  step.apply(test::Diffusion<double>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  clock.dt = 0.25;
  for (const Index steps : runs) engine.run(steps, clock);
  expect_replays(engine, settings);
  return {{"u", u.checksum()}};
}

TEST(Recorded, BoundaryConditionsThatVaryAreThoseOfTheStep) { expect_bits(wavering, recording()); }

TEST(Recorded, ErrorsOfRulesEndTheRunThatReplaysThem) {
  for (const int devices : {1, 2}) {
    Runtime runtime(emulated(devices, 1));
    std::atomic<int> calls{0};
    const auto rule = [&calls](const GhostCell& g) {
      if (++calls > 20000) throw std::runtime_error("the rule has failed");
      return g.inside(1);
    };
    Grid grid(runtime, {.cells = {8, 8, 8}, .boundary = {custom(rule), mirror, mirror}});
    Field<double> u(grid, "u"), next(grid, "next");
    Program step("fails");
    step.apply(test::Diffusion<double>{}, in(u), out(next));
    step.swap(u, next);
    Engine engine(step);
    StepClock clock;
    EXPECT_THROW(
        {
          engine.run(400, clock);
          engine.synchronize();
        },
        std::runtime_error);
  }
}

/// Pulls in seven directions and mixes.
struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    const auto a = f[0](), b = f[1](-1, 0, 0), c = f[2](1, 1, 0), d = f[3](0, -1, 1),
               e = f[4](0, 0, -1), mean = 0.2f * (a + b + c + d + e);
    next[0] = a + 0.25f * (mean - a);
    next[1] = b + 0.25f * (mean - b);
    next[2] = c + 0.25f * (mean - c);
    next[3] = d + 0.25f * (mean - d);
    next[4] = e + 0.25f * (mean - e);
  }
};

/// With samples and a sum of what has moved.
template <class T>
Results pulled(const Settings& settings, const BoundarySet& boundary) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {20, 13, 32}, .boundary = boundary});
  Field<T, 5> f(grid, "f"), next(f, "next");
  f.fill([](Index3 at, int q) {
    return static_cast<float>(test::pattern({at[0] + q, at[1], at[2]}));
  });
  const auto samples = std::make_shared<Samples>(grid.state());
  samples->add(f.record(), {{9, 5, 14}, {12, 8, 18}});
  Program step("pull");
  step.apply(Pull{}, in(f), out(next));
  step.swap(f, next);
  step.sample(samples);
  Engine engine(step);
  StepClock clock;
  Results results;
  for (const Index steps : runs) {
    engine.run(steps, clock);
    results["f at " + std::to_string(clock.step)] = f.checksum();
  }
  expect_replays(engine, settings);
  engine.synchronize();
  std::uint64_t hash = 0;
  for (const auto& record : samples->records()) {
    for (const std::byte byte : record.values) hash = mix(hash ^ static_cast<std::uint64_t>(byte));
  }
  results["samples"] = hash;
  return results;
}

TEST(Recorded, FieldsStoredInPlaceMoveWithEveryReplay) {
  for (const BoundarySet& boundary :
       {BoundarySet(periodic), BoundarySet{constant(0.5), gradient(wave), mirror}}) {
    const Results expected = pulled<float>(test::plainest(), boundary);
    std::vector<Settings> all = recording();
    std::erase_if(all, [](const Settings& s) { return s.backend == Backend::cuda && is_mixed(s); });
    expect_bits(
        [&](const Settings& s) {
          return s.backend == Backend::reference ? expected : pulled<InPlace<float>>(s, boundary);
        },
        all);
  }
}

struct Product {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return a() * b(); }
};
struct AddScaled {
  GOBAN_FUNCTION void operator()(auto x, auto factor, auto y) const { y += factor() * x(); }
};
struct Follow {
  GOBAN_FUNCTION void operator()(auto r, auto factor, auto p) const { p = r() + factor() * p(); }
};
struct Shifted {
  GOBAN_FUNCTION void operator()(auto p, auto q) const {
    q = 6.5 * p() - p(1, 0, 0) - p(-1, 0, 0) - p(0, 1, 0) - p(0, -1, 0) - p(0, 0, 1) - p(0, 0, -1);
  }
};

/// Conjugate gradients, some iterations a step: two sums each, of which everything else depends.
Results solve(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {20, 13, 32}, .boundary = {periodic, constant(0), periodic}});
  Field<double> x(grid, "x"), r(grid, "r"), p(grid, "p"), q(grid, "q");
  r.fill(test::pattern);
  p.fill(test::pattern);
  const Parameter<double> rr("rr"), pq("pq"), alpha("alpha"), minus("minus"), beta("beta"),
      before("before");
  Program iteration("iteration"), check("check"), step("step");
  iteration.apply(Shifted{}, in(p), out(q));
  iteration.reduce(Product{}, in(p), in(q), sum, into(pq));
  iteration.compute(
      [](double s, double d, double& a, double& m, double& b) {
        a = d == 0 ? 0 : s / d;
        m = -a;
        b = s;
      },
      in(rr), in(pq), out(alpha), out(minus), out(before));
  iteration.apply(AddScaled{}, in(p), param(alpha), inout(x));
  iteration.apply(AddScaled{}, in(q), param(minus), inout(r));
  iteration.reduce(Product{}, in(r), in(r), sum, into(rr));
  iteration.compute([](double s, double d, double& b) { b = d == 0 ? 0 : s / d; }, in(rr),
                    in(before), out(beta));
  iteration.apply(Follow{}, in(r), param(beta), inout(p));
  check.reduce(Product{}, in(r), in(r), sum, into(rr));
  step.until(rr < 1e-9, 1, 60, iteration, check);
  step.apply(AddScaled{}, in(x), param(pq), inout(r));
  Engine engine(step);
  StepClock clock;
  engine.run(3, clock);
  return {{"x", x.checksum()}, {"rr", test::bits(rr.value())}, {"p", p.checksum()}};
}

TEST(Recorded, SweepsBetweenReductionsAreReplayed) { expect_bits(solve, recording()); }

/// Two reductions in every step, on which later sweeps depend.
Results scaled(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {12, 9, 66}, .boundary = {periodic, mirror, periodic}});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  const Parameter<double> most("most"), total("total"), by("by");
  Program step("scale");
  const auto diffuse = [&](int times) {
    for (int n = 0; n < times; ++n) {
      step.apply(test::Diffusion<double>{}, in(u), out(next));
      step.swap(u, next);
    }
  };
  diffuse(2);
  step.reduce(Product{}, in(u), in(u), maximum, into(most));
  step.compute([](double high, double& b) { b = 1e-3 * high; }, in(most), out(by));
  step.apply(AddScaled{}, in(next), param(by), inout(u));
  diffuse(2);
  step.reduce(Product{}, in(u), in(next), sum, into(total));
  diffuse(1);
  Engine engine(step);
  StepClock clock;
  for (const Index steps : runs) engine.run(steps, clock);
  expect_replays(engine, settings);
  return {{"u", u.checksum()},
          {"most", test::bits(most.value())},
          {"total", test::bits(total.value())}};
}

TEST(Recorded, StepsWithReductionsAreReplayedInParts) { expect_bits(scaled, recording()); }

}  // namespace
}  // namespace goban::recorded_test
