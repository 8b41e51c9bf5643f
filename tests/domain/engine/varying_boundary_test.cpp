// Boundary conditions whose number varies in time.

#include <cmath>

#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::varying_boundary_test {
namespace {

using test::Results;

double wave(double time) { return 3 + std::sin(2 * time); }

/// Five steps between conditions that are chosen by `along`, x low and high, y.
template <class Conditions, class Prepare>
Results diffuse(const Settings& settings, const Conditions& conditions, const Prepare& prepare) {
  Runtime runtime(settings);
  BoundarySet sides(mirror);
  conditions(sides);
  Grid grid(runtime, {.cells = {41, 17, 18}, .boundary = sides});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill([](Index3 p) { return static_cast<double>((p[0] * 7 + p[1] * 13 + p[2] * 29) % 31); });
  Program step("diffuse");
  prepare(step);
  step.apply(test::Diffusion<double>{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  clock.dt = 0.25;
  Engine engine(step);
  engine.run(2, clock);
  engine.run(5, clock);
  return {{"u", u.checksum()}};
}

void nothing(Program&) {}

test::SettingsProduct several() {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"20,21", "", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.steps_per_exchange = {1, 2, 3};
  product.overlaps = {Overlap::none, Overlap::two_kernel};
  product.temporal_blocking = {0, 2};
  return product;
}

/// As rules of the user's own that look at the clock.
void by_rules(BoundarySet& sides) {
  sides.at(Axis::x, Side::low) = custom([](const GhostCell& g) { return wave(g.time); });
  sides.at(Axis::x, Side::high) =
      custom([](const GhostCell& g) { return 2 * wave(g.time) - g.inside(g.depth); });
  sides.at(Axis::y, Side::low) = custom(
      [](const GhostCell& g) { return g.inside(g.depth) + wave(g.time) * (2 * g.depth - 1); });
}

void by_time(BoundarySet& sides) {
  sides.at(Axis::x, Side::low) = constant(wave);
  sides.at(Axis::x, Side::high) = wall_value([](double time) { return wave(time); });
  sides.at(Axis::y, Side::low) = gradient(wave);
}

TEST(VaryingBoundary, FunctionOfTime_HasTheBitsOfARuleThatLooksAtTheClock) {
  const Results expected = diffuse(test::plainest(), by_rules, nothing);
  EXPECT_NE(expected, diffuse(
                          test::plainest(), [](BoundarySet&) {}, nothing));
  for (const Settings& settings : several().all()) {
    ASSERT_EQ(diffuse(settings, by_time, nothing), expected) << test::options_of(settings);
  }
}

TEST(VaryingBoundary, ParameterThatFollowsTime_HasTheBitsOfTheFunction) {
  const Results expected = diffuse(test::plainest(), by_time, nothing);
  for (const Settings& settings : several().all()) {
    const Parameter<double> value("value");
    const auto by_parameter = [&](BoundarySet& sides) {
      sides.at(Axis::x, Side::low) = constant(value);
      sides.at(Axis::x, Side::high) = wall_value(value);
      sides.at(Axis::y, Side::low) = gradient(value);
    };
    ASSERT_EQ(diffuse(settings, by_parameter, [&](Program& step) { step.follow(value, wave); }),
              expected)
        << test::options_of(settings);
  }
}

/// A number that follows time reaches functors in recorded steps, too.
struct Heat {
  GOBAN_FUNCTION void operator()(auto u, auto power) const { u = 0.5 * u() + power(); }
};

TEST(VaryingBoundary, FollowedParameter_IsThatOfTheStepInFunctors) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {19, 6, 5}});
    Field<double> u(grid, "u");
    u.fill(0);
    Parameter<double> power("power");
    Program step("heat");
    step.follow(power, [](double time) { return time; });
    step.apply(Heat{}, inout(u), param(power));
    StepClock clock;
    Engine engine(step);
    engine.run(64, clock);
    double expected = 0;
    for (int n = 0; n < 64; ++n) expected = 0.5 * expected + n;
    EXPECT_EQ(u.get({3, 2, 1}), expected);
    return Results{{"u", u.checksum()}};
  };
  test::SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"9,10", "", ""}};
  product.overlaps = {Overlap::none};
  test::expect_same_bits(run, product.all());
}

struct AddFace {
  GOBAN_FUNCTION void operator()(auto on_faces, auto u) const { u = u() + on_faces(); }
};

TEST(VaryingBoundary, ValuesOnWallFaces_AreThoseOfTheStepThatReadsThem) {
  for (const int steps_per_exchange : {1, 3}) {
    Settings settings = test::plain_schedule();
    settings.steps_per_exchange = steps_per_exchange;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {6, 4, 3}, .boundary = {mirror, periodic, periodic}});
    Field<double> faces(grid, "faces", {Location::face_x}), u(grid, "u");
    faces.boundary(Axis::x, Side::low, wall_value([](double time) { return time; }));
    faces.fill(0);
    u.fill(0);
    Program step("read");
    step.apply(AddFace{}, in(faces), inout(u));
    StepClock clock;
    Engine(step).run(5, clock);
    EXPECT_EQ(u.get({0, 1, 1}), 0 + 1 + 2 + 3 + 4);
    EXPECT_EQ(u.get({1, 1, 1}), 0);
  }
}

TEST(VaryingBoundary, ConditionsMadeForEachOfTwoFields_AreTheSame) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}, .boundary = mirror});
  Field<double> u(grid, "u"), next(grid, "next");
  const Parameter<double> value("value"), other("other");
  const auto swapped = [&](const auto& condition_of) {
    for (auto* field : {&u, &next}) {
      field->boundary(Axis::x, Side::low, condition_of(field == &u));
    }
    Program step("diffuse");
    step.apply(test::Diffusion<double>{}, in(u), out(next));
    step.swap(u, next);
    return test::error_of([&] { Engine engine(step); });
  };
  const double scale = 2;
  EXPECT_EQ(swapped([&](bool) { return constant([scale](double t) { return scale * t; }); }), "");
  EXPECT_EQ(swapped([&](bool) { return constant(value); }), "");
  EXPECT_NE(swapped([&](bool first) { return constant(first ? value : other); }), "");
  EXPECT_NE(swapped([&](bool first) { return first ? constant(value) : constant(0); }), "");
}

TEST(VaryingBoundary, StepsInPassesThroughCache_AreRefusedWithTheReason) {
  Settings settings;
  settings.temporal_blocking = 2;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {64, 8, 8}, .boundary = {constant(wave), mirror, mirror}});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("diffuse");
  step.apply(test::Diffusion<double>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_pass(), 1);
  EXPECT_EQ(engine.pass_refusal(), "field 'u' has a boundary condition that is custom or varies");
}

TEST(VaryingBoundary, FusedStagesThatMakeThemAgain_AreRefused) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}, .boundary = {constant(wave), periodic, periodic}});
  Field<double> u(grid, "u"), flux(grid, "flux"), next(grid, "next");
  Program step("fused");
  const auto list = [](auto u, auto flux, auto next) {
    return stages(stage(test::Diffusion<double>{}, in(u), out(flux)),
                  stage(test::Diffusion<double>{}, in(flux), out(next)));
  };
  step.fuse(list, u, walled(flux), next);
  EXPECT_NE(test::error_of([&] { Engine engine(step); }).find("neither periodic nor constant"),
            std::string::npos);
}

}  // namespace
}  // namespace goban::varying_boundary_test
