// Steps that hold loops, which a device does by itself from the first stage to the last: the bits,
// the clock, the rounds and the errors of those in which the host takes part.

#include <gmock/gmock.h>

#include "tests/domain/engine/device_loops.hpp"
#include "tests/error_text.hpp"

namespace goban::device_steps_test {
namespace {

using test::AddScaled;
using test::expect_bits;
using test::one_device;
using test::Results;
using test::Value;
using testing::HasSubstr;

struct Halve {
  GOBAN_FUNCTION void operator()(auto r) const { r = 0.5 * r(); }
};
struct AddAround {
  GOBAN_FUNCTION void operator()(auto u, auto dt, auto next) const {
    next = u() + dt() * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 0, 1) - 3 * u());
  }
};

bool is_device(const Settings& settings) {
  return settings.backend == Backend::emulated || settings.backend == Backend::cuda;
}

/// A step: a field moves on, another is halved until little is left of it, and what it took goes
/// into the first.
struct Steps {
  explicit Steps(Runtime& runtime)
      : grid(runtime, {.cells = {12, 7, 9}, .boundary = {periodic, mirror, periodic}}) {
    u.fill(test::pattern);
    Program halve("halve"), look("look");
    halve.apply(Halve{}, inout(r));
    halve.compute([](auto& n) { n = n + 1; }, inout(rounds));
    look.reduce(Value{}, in(r), maximum, into(left));
    step.reduce(Value{}, in(u), maximum, into(most));
    step.compute([](auto most, auto limit, auto& dt) { dt = min(limit, 0.01 / (1 + abs(most))); },
                 in(most), in(limit), out(dt));
    step.apply(AddAround{}, in(u), param(dt), out(next));
    step.apply(AddScaled{}, in(u), param(dt), inout(r));
    step.apply(AddScaled{}, in(next), param(one), inout(r));
    step.until(left < 1e-3, 1, limit_of_rounds, halve, look);
    step.apply(AddScaled{}, in(r), param(dt), inout(next));
    step.swap(u, next);
    clock.dt_parameter = times_itself ? dt.record() : nullptr;
  }
  Results results() const {
    return {{"u", u.checksum()},
            {"r", r.checksum()},
            {"rounds", static_cast<std::uint64_t>(rounds.value())},
            {"dt", test::bits(dt.value())},
            {"time", test::bits(clock.time)},
            {"step", static_cast<std::uint64_t>(clock.step)}};
  }

  Grid grid;
  Field<double> u{grid, "u"}, next{grid, "next"}, r{grid, "r"};
  Parameter<double> most{"most"}, left{"left"}, dt{"dt"}, limit{"limit", 1}, one{"one", 1};
  Parameter<int> rounds{"rounds"};
  Program step{"step"};
  StepClock clock;
  static inline bool times_itself = false;
  static inline Index limit_of_rounds = 100;
};

void expect_on_device(Engine& engine, const Settings& settings) {
  if (!is_device(settings)) return;
  EXPECT_THAT(engine.describe(), HasSubstr("loop step is repeated by the device"));
  EXPECT_GT(engine.cycles_replayed(), 0);
}

TEST(DeviceSteps, HoldLoops) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Steps steps(runtime);
    Engine engine(steps.step);
    for (const Index some : {1, 9, 40, 3, 1, 60}) engine.run(some, steps.clock);
    expect_on_device(engine, settings);
    EXPECT_GT(steps.rounds.value(), 100);
    return steps.results();
  });
}

/// One at a time as the clock is told of every time step, from one way of names to the other.
TEST(DeviceSteps, TellTheClockOfTheirTimeSteps) {
  Steps::times_itself = true;
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Steps steps(runtime);
    Engine engine(steps.step);
    for (int n = 0; n < 12; ++n) {
      steps.limit.set(n % 2 == 0 ? 1 : 1e-3);
      engine.run(1, steps.clock);
    }
    engine.run(7, steps.clock);
    expect_on_device(engine, settings);
    return steps.results();
  });
  Steps::times_itself = false;
}

/// Loops in loops, a repeat that is written out and one that is not.
TEST(DeviceSteps, HoldLoopsInLoops) {
  expect_bits([](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {12, 7, 9}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next"), r(grid, "r");
    u.fill(test::pattern);
    r.fill(1);
    Parameter<double> left("left"), outer("outer"), factor("factor", 0.25);
    Program halve("halve"), look("look"), few("few"), many("many"), round("round"), count("count");
    halve.apply(Halve{}, inout(r));
    look.reduce(Value{}, in(r), maximum, into(left));
    for (Program* one : {&few, &many}) {
      one->apply(test::Diffusion<double>{}, in(u), out(next));
      one->swap(u, next);
      one->apply(test::Diffusion<double>{}, in(u), out(next));
      one->reduce(Value{}, in(next), sum, into(factor));
      one->compute([](auto& f) { f = 1e-3 / (1 + abs(f)); }, inout(factor));
      one->swap(u, next);
    }
    round.apply(AddScaled{}, in(u), param(factor), inout(r));
    round.until(left < 1e-2, 1, 100, halve, look);
    round.repeat(3, few);
    round.repeat(20, many);
    round.compute([](auto& n) { n = n - 1; }, inout(outer));
    Program step("step");
    step.compute([](auto& n) { n = 4; }, out(outer));
    step.apply(AddScaled{}, in(u), param(factor), inout(r));
    step.until(outer < 0.5, 1, 10, round, count);
    Engine engine(step);
    StepClock clock;
    for (const Index some : {2, 9}) engine.run(some, clock);
    if (is_device(settings)) {
      EXPECT_THAT(engine.describe(), HasSubstr("loop step is repeated by the device"));
      EXPECT_THAT(engine.describe(), testing::Not(HasSubstr("takes the host")));
    }
    return Results{
        {"u", u.checksum()}, {"r", r.checksum()}, {"factor", test::bits(factor.value())}};
  });
}

/// Steps end as by the host where a loop within them gets this number: those before have been done.
void expect_end(double one, const char* words) {
  Steps::limit_of_rounds = 100;
  for (const Settings& settings : {test::plain_schedule(), one_device()}) {
    Runtime runtime(settings);
    Steps steps(runtime);
    Engine engine(steps.step);
    engine.run(20, steps.clock);
    steps.one.set(one);
    EXPECT_THAT(test::error_of([&] { engine.run(10, steps.clock); }), HasSubstr(words));
    EXPECT_EQ(steps.clock.step, 20) << test::options_of(settings);
  }
}

/// All rounds, then an error.
TEST(DeviceSteps, EndWhereALoopWithinDoesNotConverge) {
  expect_end(1e300, "'halve' did not converge (after 100 steps");
}

/// A number that is NaN will not reach its bound: the loop ends at once.
TEST(DeviceSteps, EndWhereALoopWithinDiverges) {
  expect_end(std::numeric_limits<double>::quiet_NaN(),
             "'halve' has diverged (after 0 steps left is NaN)");
}

TEST(DeviceSteps, AreVerified) {
  for (const Settings& settings : {test::plain_schedule(), one_device()}) {
    Runtime runtime(settings);
    Steps steps(runtime);
    Parameter<double> least("least", 1), wrong("wrong");
    steps.step.compute([](auto dt, auto least, auto& wrong) { wrong = select(dt < least, 0, dt); },
                       in(steps.dt), in(least), inout(wrong));
    steps.step.verify(
        [](double dt) { require(dt == 0, "the time step is too long", std::to_string(dt)); },
        wrong);
    Engine engine(steps.step);
    engine.run(20, steps.clock);
    expect_on_device(engine, settings);
    least.set(0);
    EXPECT_THAT(test::error_of([&] { engine.run(10, steps.clock); }),
                HasSubstr("the time step is too long"));
  }
}

TEST(DeviceSteps, SayWhyTheHostTakesPart) {
  Runtime runtime(one_device());
  Steps steps(runtime);
  steps.step.compute([](double& most) { most += 0; }, inout(steps.most));
  Engine engine(steps.step);
  engine.run(3, steps.clock);
  EXPECT_THAT(engine.describe(),
              HasSubstr("loop step takes the host ('compute' is a scalar stage"));
  EXPECT_THAT(engine.describe(), HasSubstr("loop halve is repeated by the device"));
}

}  // namespace
}  // namespace goban::device_steps_test
