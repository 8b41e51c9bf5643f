// Programs that are more than one straight run of stages.

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu.hpp"

namespace goban::loops_test {
namespace {

using test::bits;
using test::error_of;
using test::pattern;
using test::Results;
using test::SettingsProduct;
using Diffuse = test::Diffusion<double>;

/// Weighted by a coefficient read at both diagonal neighbours.
struct Tilt {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto next) const {
    next = u() + 0.05 * (c(1, 1, 0) - c(-1, -1, 0)) * u(0, 1, 0);
  }
};
struct Scale {
  GOBAN_FUNCTION void operator()(auto c, auto u) const {
    u += 0.01 * (c(1, 0, 0) + c(0, -1, 0) - 0.5 * c(-1, 0, 0) - 0.25 * c(0, 1, 0));
  }
};
struct AddOne {
  GOBAN_FUNCTION void operator()(auto u) const { u += 1.0; }
};
struct Far {
  GOBAN_FUNCTION void operator()(auto a, auto b) const { b = 0.5 * a() + 0.25 * a(0, 0, 3); }
};
struct Difference {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return abs(a() - b()); }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

SettingsProduct several() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "6,7", "5,4"}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.steps_per_exchange = {1, 2, 4};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 2};
  return product;
}

TEST(Loops, RepeatRunsItsBodyTimesSteps) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Program body("body");
    body.apply(Diffuse{}, in(u), out(next));
    body.swap(u, next);
    Program step("outer");
    step.repeat(5, body);
    StepClock clock;
    Engine(step).run(3, clock);
    EXPECT_EQ(clock.step, 3);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, several().all());

  // Fifteen steps of the body are fifteen steps.
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(pattern);
  Program body("body");
  body.apply(Diffuse{}, in(u), out(next));
  body.swap(u, next);
  StepClock clock;
  Engine(body).run(15, clock);
  EXPECT_EQ(u.checksum(), run(test::plainest()).at("u"));
}

/// One loop can run in passes and in long cycles, the other cannot.
TEST(Loops, EachLoopHasItsOwnCycleAndPass) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next"), v(grid, "v"), other(grid, "other");
    Field<std::uint8_t> mask(grid, "mask");
    u.fill(pattern);
    v.fill(pattern);
    other.fill(pattern);
    mask.fill([](Index3 p) { return (p[0] + p[1] * p[2]) % 3; });
    Program first("first"), second("second"), step("step");
    first.apply(Diffuse{}, in(u), out(next));
    first.swap(u, next);
    second.apply(Diffuse{0.2}, in(v), out(other)).where(mask);
    second.swap(v, other);
    step.repeat(4, first);
    step.repeat(4, second);
    StepClock clock;
    Engine(step).run(2, clock);
    return Results{{"u", u.checksum()}, {"v", v.checksum()}, {"other", other.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Loops, StepsChosenForOneLoopNeedNotFitTheOther) {
  Settings settings;
  settings.threads = 1;
  settings.cuts = {"", "", "3,3,3"};
  settings.temporal_blocking = 4;  // fits three cells at reach 1 for three steps, not at reach 3
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {9, 9, 9}, .boundary = periodic});
  Field<double> u(grid, "u"), next(grid, "next"), v(grid, "v"), other(grid, "other");
  u.fill(pattern);
  v.fill(pattern);
  Program first("first"), second("second"), step("step");
  first.apply(Diffuse{}, in(u), out(next));
  first.swap(u, next);
  second.apply(Far{}, in(v), out(other));
  second.swap(v, other);
  step.repeat(4, first);
  step.repeat(4, second);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_exchange(), 3);
}

/// The first loop fetches the coefficient without corners, the second needs them.
TEST(Loops, AHaloWithoutCornersIsNotTakenForOneWith) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {periodic, mirror, periodic}});
    Field<double> u(grid, "u"), next(grid, "next"), c(grid, "c"), w(grid, "w");
    u.fill(pattern);
    c.fill(pattern);
    w.fill(0);
    Program star("star"), diagonal("diagonal"), step("step");
    star.apply(Scale{}, in(c), inout(w));
    diagonal.apply(Tilt{}, in(u), in(c), out(next));
    diagonal.swap(u, next);
    step.repeat(2, star);
    step.repeat(2, diagonal);
    StepClock clock;
    Engine(step).run(2, clock);
    return Results{{"u", u.checksum()}, {"w", w.checksum()}};
  };
  // With one patch and corners in the star's halo too, nothing can be missing.
  test::expect_same_bits(run, several().all());
}

TEST(Loops, UntilChecksFirstThenEverySoManySteps) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> u(grid, "u");
  u.fill(0);
  Parameter<double> mean("mean");
  int checks = 0;
  Program body("count"), check("check"), step("step");
  body.apply(AddOne{}, inout(u));
  check.reduce(Value{}, in(u), maximum, into(mean));
  check.compute([&](double) { ++checks; }, in(mean));
  step.until(mean > 6.5, 3, 100, body, check);
  StepClock clock;
  Engine engine(step);
  engine.run(1, clock);
  EXPECT_EQ(u.get({0, 0, 0}), 9);  // checked at 0, 3, 6, 9
  EXPECT_EQ(checks, 4);
  engine.run(1, clock);  // holds already
  EXPECT_EQ(u.get({0, 0, 0}), 9);
  EXPECT_EQ(checks, 5);
}

TEST(Loops, ThatOnlySwapNames_RunOnGpusToo) {
  Settings settings;
  if (test::has_gpu()) settings.backend = Backend::cuda;
  settings.steps_per_exchange = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> u(grid, "u"), v(grid, "v");
  u.fill(1);
  v.fill(2);
  Program body("turn"), step("step");
  body.swap(u, v);
  step.repeat(3, body);
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(u.get({0, 0, 0}), 2);
}

TEST(Loops, UntilThatNeverHoldsDiverges) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> u(grid, "u");
  u.fill(0);
  Parameter<double> most("most");
  Program body("climb"), check("check"), step("step");
  body.apply(AddOne{}, inout(u));
  check.reduce(Value{}, in(u), maximum, into(most));
  step.until(most < -1, 3, 7, body, check);
  StepClock clock;
  Engine engine(step);
  EXPECT_EQ(error_of([&] { engine.run(1, clock); }),
            "'climb' did not converge (after 7 steps most is 7, not below -1); raise the limit or "
            "loosen the tolerance");
  EXPECT_EQ(u.get({0, 0, 0}), 7);
  try {
    engine.run(1, clock);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::diverged);
  }
}

/// The largest of values with a NaN among them is NaN everywhere, in the same bits, which is below
/// and above nothing: the loop ends as what it is.
TEST(Loops, ANanEndsThemAsDiverged) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<float> u(grid, "u");
    Field<std::uint8_t> mask(grid, "mask");
    u.fill([](Index3 p) { return p[0] == 11 && p[1] == 7 ? -NAN : 1.0f; });
    mask.fill([](Index3 p) { return p[0] != 11; });
    Parameter<double> most("most"), least("least"), elsewhere("elsewhere");
    Program body("climb"), check("check"), step("step");
    body.apply(AddOne{}, inout(u));
    check.reduce(Value{}, in(u), maximum, into(most));
    check.reduce(Value{}, in(u), minimum, into(least));
    check.reduce(Value{}, in(u), maximum, into(elsewhere)).where(mask);
    step.until(most < 0, 3, 70, body, check);
    StepClock clock;
    Engine engine(step);
    EXPECT_EQ(error_of([&] { engine.run(1, clock); }),
              "'climb' has diverged (after 0 steps most is NaN); look at where it starts from, and "
              "for steps that are too long");
    EXPECT_TRUE(std::isnan(most.value()) && std::isnan(least.value()));
    EXPECT_EQ(elsewhere.value(), 1);
    return Results{{"most", bits(most.value())}, {"least", bits(least.value())}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Loops, AResidualSteersTheSameNumberOfStepsEverywhere) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {wall_value(0), wall_value(1), mirror}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    next.fill(0);
    Parameter<double> change("change"), total("total");
    Program body("relax"), check("check"), step("step");
    body.apply(Diffuse{0.15}, in(u), out(next));
    body.swap(u, next);
    check.reduce(Difference{}, in(u), in(next), sum, into(change));
    step.until(change < 8, 3, 1000, body, check);
    step.reduce(Value{}, in(u), sum, into(total));
    StepClock clock;
    Engine(step).run(1, clock);
    EXPECT_LT(change.value(), 8);
    return Results{
        {"u", u.checksum()}, {"change", bits(change.value())}, {"total", bits(total.value())}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Loops, HostCallsSeeAndChangeWholeFields) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Program step("step");
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
    step.call([&] { u.set({3, 4, 5}, u.get({13, 12, 8}) + u.sum()); }, std::tie(u), std::tie(u));
    StepClock clock;
    Engine(step).run(4, clock);
    EXPECT_EQ(clock.step, 4);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Loops, StagesOfTwoGridsRunInTheirOrder) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid fine(runtime, {.cells = {14, 13, 9}, .boundary = periodic});
    Grid coarse(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<double> u(fine, "u"), next(fine, "next"), v(coarse, "v"), other(coarse, "other");
    u.fill(pattern);
    v.fill(pattern);
    Parameter<double> total("total");
    Program step("step");
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
    step.apply(Diffuse{}, in(v), out(other));
    step.swap(v, other);
    step.reduce(Value{}, in(u), sum, into(total));
    StepClock clock;
    Engine(step).run(4, clock);
    return Results{{"u", u.checksum()}, {"v", v.checksum()}, {"total", bits(total.value())}};
  };
  test::expect_same_bits(run, several().all());
}

}  // namespace
}  // namespace goban::loops_test
