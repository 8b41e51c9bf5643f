// Loops that a device repeats by itself: the bits, the number of rounds and the errors of those of
// the host.

#include <cmath>

#include <gmock/gmock.h>

#include "tests/domain/engine/device_loops.hpp"
#include "tests/error_text.hpp"

namespace goban::device_loop_test {
namespace {

using test::Results;

using test::AddScaled;
using test::devices;
using test::expect_bits;
using test::expect_loops;
using test::Follow;
using test::one_device;
using test::Product;
using test::Shifted;
using test::Solve;
using test::Value;

struct Wobble {
  GOBAN_FUNCTION void operator()(auto u, auto site) const {
    u += 1e-3 * convert<double>(site.step());
  }
};

TEST(DeviceLoops, EndWhereTheHostWouldEndThem) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Solve solve(runtime);
    Program step("step");
    step.until(solve.rr < 1e-9, 1, 500, solve.iteration, Program("nothing"));
    Engine engine(step);
    StepClock clock;
    engine.run(1, clock);
    expect_loops(engine, settings);
    EXPECT_LT(solve.rr.value(), 1e-9);
    return solve.results();
  });
}

/// In several runs, between which others change what is solved; a check of its own; rounds of three
/// steps.
TEST(DeviceLoops, RunAgainAndCheckNowAndThen) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Solve solve(runtime);
    Parameter<double> size("size", 1), scale("scale", 0.5);
    const Parameter<double> nothing("nothing", 0);
    Program check("check"), step("step");
    check.reduce(Value{}, in(solve.r), maximum, into(size));
    check.compute([](auto a, auto& b) { b = sqrt(a * a); }, in(size), out(size));
    step.until(size < 1e-5, 3, 500, solve.iteration, check);
    step.apply(AddScaled{}, in(solve.x), param(scale), inout(solve.r));
    step.apply(Follow{}, in(solve.r), param(nothing), inout(solve.p));
    Engine engine(step);
    StepClock clock;
    engine.run(2, clock);
    scale.set(-0.25);
    engine.run(3, clock);
    expect_loops(engine, settings);
    Results results = solve.results();
    results["size"] = test::bits(size.value());
    return results;
  });
}

TEST(DeviceLoops, HaveNoMoreRoundsThanTheyMay) {
  for (const Index limit : {1, 2, 3, 20, 300}) {
    std::string expected;
    std::vector<Settings> all = devices();
    all.insert(all.begin(), test::plainest());
    std::uint64_t rounds = 0;
    for (const Settings& settings : all) {
      Runtime runtime(settings);
      Solve solve(runtime);
      Program step("step");
      step.until(solve.rr < -1, limit % 2 + 1, limit, solve.iteration, Program("nothing"));
      Engine engine(step);
      StepClock clock;
      const std::string text = test::error_of([&] { engine.run(1, clock); });
      if (expected.empty()) expected = text;
      EXPECT_EQ(text, expected) << test::options_of(settings);
      EXPECT_EQ(solve.rounds.value(), limit) << test::options_of(settings);
      if (rounds == 0) rounds = solve.results().at("x");
      EXPECT_EQ(solve.results().at("x"), rounds) << test::options_of(settings);
    }
  }
}

/// The last round of a limit that is no multiple is shorter, and ends with other names.
TEST(DeviceLoops, EndWithAShorterRound) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {12, 9, 8}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(test::pattern);
    const Parameter<double> count("count");
    Program body("body"), step("step");
    body.apply(test::Diffusion<double>{}, in(u), out(next));
    body.swap(u, next);
    body.compute([](auto& n) { n += 1; }, inout(count));
    step.compute([](auto& n) { n = 0; }, out(count));
    step.until(count > 4.5, 3, 5, body, Program("nothing"));
    StepClock clock;
    Engine(step).run(6, clock);
    return Results{{"u", u.checksum()}};
  });
}

/// A number may be read and written by the same stage, given in either order.
TEST(DeviceLoops, StoreWhatScalarStagesWriteAlone) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {12, 9, 8}, .boundary = periodic});
    Field<double> u(grid, "u"), v(grid, "v");
    const Parameter<double> x("x", 1), most("most");
    Program body("body"), step("step");
    body.apply(AddScaled{}, in(v), param(x), inout(u));
    body.reduce(Value{}, in(u), maximum, into(most));
    body.compute([](auto& next, auto now) { next = 2 * now + 1; }, out(x), in(x));
    step.repeat(5, body);
    StepClock clock;
    Engine engine(step);
    engine.run(1, clock);
    expect_loops(engine, settings);
    EXPECT_EQ(x.value(), 63);
    return Results{{"x", test::bits(x.value())}};
  });
}

/// Sums and extrema of both signs and of none, rounded by the device as by the host.
TEST(DeviceLoops, RepeatAsOftenAsTheyAreTold) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {24, 11, 13}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill([](Index3 p) {
      const auto at = static_cast<double>(p[0] * 7 + p[1] * 13);
      return (at - 90) * std::pow(10.0, static_cast<double>(p[2]) * 40 - 240);
    });
    const Parameter<double> most("most"), least("least"), total("total"), part("part");
    const Parameter<float> single("single");
    Program body("body"), step("step");
    body.apply(test::Diffusion<double>{}, in(u), out(next));
    body.swap(u, next);
    body.apply(test::Diffusion<double>{}, in(u), out(next));
    body.swap(u, next);
    body.reduce(Value{}, in(u), maximum, into(most));
    body.reduce(Value{}, in(u), minimum, into(least));
    body.reduce(Value{}, in(u), sum, into(total));
    body.reduce(Value{}, in(u), sum, into(part)).over({{0, 0, 0}, {24, 11, 1}});
    body.compute(
        [](auto high, auto low, auto& f) { f = convert<float>(1e-3 * (high - low) / (high + 1)); },
        in(most), in(least), out(single));
    body.apply(AddScaled{}, in(next), param(single), inout(u));
    step.repeat(7, body);
    Engine engine(step);
    StepClock clock;
    engine.run(4, clock);
    EXPECT_EQ(clock.step, 4);
    expect_loops(engine, settings);
    return Results{{"u", u.checksum()},
                   {"most", test::bits(most.value())},
                   {"least", test::bits(least.value())},
                   {"total", test::bits(total.value())},
                   {"part", test::bits(part.value())}};
  });
}

/// Steps of a run with results, with names that are bound as before after two of them.
TEST(DeviceLoops, AreStepsOfARun) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {24, 11, 13}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill([](Index3 cell) { return 1e-3 * test::pattern(cell); });  // stays bounded
    const Parameter<double> most("most");
    Parameter<double> by("by");
    Program step("step");
    step.apply(test::Diffusion<double>{}, in(u), out(next));
    step.swap(u, next);
    step.reduce(Value{}, in(u), maximum, into(most));
    step.apply(AddScaled{}, in(next), param(most), inout(u));
    step.apply(AddScaled{}, in(next), param(by), inout(u));
    Engine engine(step);
    StepClock clock;
    for (const Index steps : {1, 10, 7, 300}) {
      engine.run(steps, clock);
      by.set(by.value() - 0.01);
    }
    EXPECT_EQ(clock.step, 318);
    EXPECT_EQ(clock.time, 318);
    expect_loops(engine, settings);
    return Results{{"u", u.checksum()}, {"most", test::bits(most.value())}};
  });
}

/// However many there are at a time: none is left out or done twice.
TEST(DeviceLoops, HaveSeveralRoundsInABody) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Solve solve(runtime);
    Engine engine(solve.iteration);
    StepClock clock;
    for (const Index steps : {1, 1, 2, 5, 600, 10, 23, 1, 40}) {
      engine.run(steps, clock);
      EXPECT_EQ(solve.rounds.value(), clock.step) << test::options_of(settings);
    }
    expect_loops(engine, settings);
    const bool is_device =
        settings.backend != Backend::reference && settings.backend != Backend::cpu;
    if (is_device) {
      EXPECT_THAT(engine.describe(), testing::HasSubstr(" rounds in a body"));
    }
    return solve.results();
  });
}

TEST(DeviceLoops, SayWhyTheHostTakesPart) {
  const auto description = [](const auto& add, Settings settings = one_device()) {
    Runtime runtime(settings);
    Solve solve(runtime);
    Program step("step");
    add(solve);
    step.until(solve.rr < 1e-9, 1, 500, solve.iteration, Program("nothing"));
    Engine engine(step);
    StepClock clock;
    engine.run(1, clock);
    return engine.describe();
  };
  using testing::HasSubstr;
  EXPECT_THAT(description([](Solve&) {}), HasSubstr("loop iteration is repeated by the device"));
  EXPECT_THAT(description([](Solve& solve) {
                solve.iteration.compute([](double& beta) { beta += 0; }, inout(solve.beta));
              }),
              HasSubstr("takes the host ('compute' is a scalar stage of the host"));
  EXPECT_THAT(
      description([](Solve& solve) { solve.iteration.apply(Wobble{}, inout(solve.q), site); }),
      HasSubstr("sees the step"));
  EXPECT_THAT(description([](Solve& solve) {
                const Field<double> other(solve.grid, "other");
                solve.iteration.swap(solve.q, other);
              }),
              HasSubstr("names swap in an odd number of steps"));
  EXPECT_THAT(description([](Solve& solve) {
                solve.r.boundary({periodic, constant([](double time) { return time; }), periodic});
                solve.iteration.apply(Shifted{}, in(solve.r), out(solve.q));
              }),
              HasSubstr("follow the time"));
  Settings two = one_device();
  two.devices = {0, 1};
  EXPECT_THAT(description([](Solve&) {}, two), HasSubstr("several devices take part"));
}

}  // namespace
}  // namespace goban::device_loop_test
