// What a step computes: parameters, reductions, sites; what engines share.

#include "goban/domain/engine/engine.hpp"
#include "goban/domain/data/domain.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "goban/grid/each_cell.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/domain/several_settings.hpp"
#include "tests/error_text.hpp"

namespace goban::engine_test {
namespace {

using test::bits;
using test::pattern;
using test::Results;
using test::SettingsProduct;
using test::several;
using Diffuse = test::Diffusion<double>;

struct DiffuseBy {
  GOBAN_FUNCTION void operator()(auto u, auto r, auto next) const {
    next = u() + r() * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                        u(0, 0, -1) - 6.0 * u());
  }
};
struct Far {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5 * (u(3, 0, 0) + u(0, 0, -3));
  }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};
struct Slope {
  GOBAN_FUNCTION auto operator()(auto u) const { return abs(u(1, 0, 0) - u(-1, 0, 0)); }
};
struct Sum {
  GOBAN_FUNCTION void operator()(auto c, auto u) const {
    u += c[0](2, 0, 0) + c[1](0, -1, 0) + c[2](0, 0, 0);
  }
};
struct RecordTime {
  GOBAN_FUNCTION void operator()(auto site, auto when, auto number) const {
    when = site.time();
    number = site.step();
  }
};
struct RecordPlace {
  GOBAN_FUNCTION void operator()(auto site, auto x, auto i, auto r) const {
    x = site.position(Axis::x) + 10.0 * site.position(Axis::y) + 100.0 * site.position(Axis::z);
    i = site.index(Axis::x) + 100 * site.index(Axis::y) + 10000 * site.index(Axis::z);
    r = site.random(3);
  }
};
/// Random values drift with the flow, so that ghosts are computed too.
struct Stir {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto next) const {
    next = 0.25 * (u(1, 0, 0) + u(0, -1, 0) + u(0, 0, 1)) + 0.125 * site.random() +
           0.001 * site.position(Axis::y) + 0.01 * site.time();
  }
};

TEST(Engine, CountsStepsAndTime) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {3, 3, 3}, .boundary = mirror});
  Field<double> when(grid, "when");
  Field<std::int32_t> number(grid, "number");
  Program step("record");
  step.apply(RecordTime{}, site, out(when), out(number));
  StepClock clock{.step = 10, .time = 2.5, .dt = 0.25};
  Engine engine(step);
  engine.run(3, clock);
  EXPECT_EQ(clock.step, 13);
  EXPECT_EQ(clock.time, 3.25);
  EXPECT_EQ(number.get({1, 1, 1}), 12);
  EXPECT_EQ(when.get({1, 1, 1}), 3);
  engine.run(0, clock);
  EXPECT_EQ(clock.step, 13);
}

TEST(Engine, SitesKnowIndexAndPosition) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {5, 4, 3}, .spacing = {0.5, 1, 2}, .origin = {1, 2, 3}});
  Field<double> x(grid, "x"), r(grid, "r");
  Field<std::int32_t> i(grid, "i");
  Program step("record");
  step.apply(RecordPlace{}, site, out(x), out(i), out(r));
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(i.get({4, 3, 2}), 20304);
  EXPECT_EQ(x.get({4, 3, 2}), 1 + 4.5 * 0.5 + 10 * (2 + 3.5) + 100 * (3 + 2.5 * 2));
  EXPECT_NE(r.get({4, 3, 2}), r.get({3, 3, 2}));
}

TEST(Engine, SitesOfRecomputedGhostsAreTheOwners) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {periodic, mirror, periodic}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Program step("stir");
    step.apply(Stir{}, site, in(u), out(next));
    step.swap(u, next);
    StepClock clock{.dt = 0.125};
    Engine(step).run(7, clock);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Engine, ReductionsEqualBruteForce) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {periodic, mirror, constant(0.5)}});
    Field<double> u(grid, "u");
    Field<float> face(grid, "face", {Location::face_y});
    Field<std::uint8_t> bytes(grid, "bytes");
    u.fill([](Index3 p) { return pattern(p) * std::ldexp(1.0, static_cast<int>(p[0] * 3 - 20)); });
    face.fill(pattern);
    bytes.fill([](Index3 p) { return p[0] + 17 * p[1]; });
    Parameter<double> total("total"), steepest("steepest"), least("least");
    Parameter<double> of_faces("of_faces"), of_bytes("of_bytes"), of_box("of_box");
    Program step("reduce");
    step.reduce(Value{}, in(u), sum, into(total));
    step.reduce(Slope{}, in(u), maximum, into(steepest));
    step.reduce(Value{}, in(u), minimum, into(least)).over({{2, 3, 4}, {9, 9, 9}});
    step.reduce(Value{}, in(face), sum, into(of_faces));
    step.reduce(Value{}, in(bytes), sum, into(of_bytes));
    step.reduce(Value{}, in(u), sum, into(of_box)).over({{1, 2, 3}, {13, 8, 6}});
    StepClock clock;
    Engine(step).run(1, clock);

    EXPECT_EQ(total.value(), u.sum());
    EXPECT_EQ(of_faces.value(), face.sum());
    EXPECT_EQ(of_bytes.value(), bytes.sum());
    double most = 0, smallest = 1e300;
    ExactSum box;
    const auto values = u.copy_out();
    const auto at = [&](Index x, Index y, Index z) {
      return values[static_cast<std::size_t>(x + 14 * (y + 13 * z))];
    };
    each_cell({{0, 0, 0}, {14, 13, 9}}, [&](const Index3& p) {
      const auto [x, y, z] = std::array{p[0], p[1], p[2]};
      most = std::max(most, std::abs(at((x + 1) % 14, y, z) - at((x + 13) % 14, y, z)));
      if (x >= 2 && x < 9 && y >= 3 && y < 9 && z >= 4) smallest = std::min(smallest, at(x, y, z));
      if (x >= 1 && x < 13 && y >= 2 && y < 8 && z >= 3 && z < 6) box.add(at(x, y, z));
    });
    EXPECT_EQ(steepest.value(), most);
    EXPECT_EQ(least.value(), smallest);
    EXPECT_EQ(of_box.value(), box.value());
    return Results{{"total", bits(total.value())},
                   {"steepest", bits(steepest.value())},
                   {"faces", bits(of_faces.value())}};
  };
  SettingsProduct product = several();
  product.steps_per_exchange = {1};
  product.temporal_blocking = {0};
  test::expect_same_bits(run, product.all());
}

/// The last wall face has a cell beyond the wall on its high side.
struct Jump {
  GOBAN_FUNCTION auto operator()(auto face, auto u) const { return abs(face() - u()); }
};
TEST(Engine, ReductionsOverFacesReadCellsBeyondTheLastWall) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = constant(100)});
    Field<double> face(grid, "face", {Location::face_y}), u(grid, "u");
    face.fill(pattern);
    u.fill(pattern);
    Parameter<double> most("most");
    Program step("reduce");
    step.reduce(Jump{}, in(face), in(u), maximum, into(most));
    StepClock clock;
    Engine(step).run(1, clock);
    EXPECT_GT(most.value(), 99);
    return Results{{"most", bits(most.value())}};
  };
  SettingsProduct product = several();
  product.temporal_blocking = {0};
  product.steps_per_exchange = {1, 2};
  test::expect_same_bits(run, product.all());
}

TEST(Engine, ReductionsOverAMaskSkipTheOtherCells) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {70, 13, 9}, .boundary = mirror});
    Field<double> u(grid, "u");
    Field<std::uint8_t> mask(grid, "mask");
    u.fill(pattern);
    mask.fill([](Index3 p) { return (p[0] * p[1] + p[2]) % 3 == 1 ? 200 : 0; });
    Parameter<double> total("total"), most("most");
    Program step("reduce");
    step.reduce(Value{}, in(u), sum, into(total)).where(mask);
    step.reduce(Value{}, in(u), maximum, into(most)).where(mask).over({{3, 0, 0}, {66, 2, 9}});
    StepClock clock;
    Engine(step).run(1, clock);
    ExactSum expected;
    double largest = -1;
    const auto values = u.copy_out();
    const auto taken = mask.copy_out();
    std::size_t i = 0;
    each_cell({{0, 0, 0}, {70, 13, 9}}, [&](const Index3& p) {
      const double value = values[i];
      if (taken[i++] == 0) return;
      expected.add(value);
      if (p[0] >= 3 && p[0] < 66 && p[1] < 2) largest = std::max(largest, value);
    });
    EXPECT_EQ(total.value(), expected.value());
    EXPECT_EQ(most.value(), largest);
    return Results{{"total", bits(total.value())}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"33,37", "", ""}, {"", "6,7", "5,4"}};
  product.steps_per_exchange = {1};
  product.temporal_blocking = {0};
  test::expect_same_bits(run, product.all());
}

/// dt follows from a reduction of the field of the same step, and time from dt.
TEST(Engine, AnAdaptiveTimeStepIsTheSameEverywhere) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next"), when(grid, "when");
    Field<std::int32_t> number(grid, "number");
    u.fill(pattern);
    Parameter<double> slope("slope"), dt("dt", 0.1);
    Program step("adaptive");
    step.reduce(Slope{}, in(u), maximum, into(slope));
    step.compute([](double s, double& d) { d = 0.1 / (1 + s); }, in(slope), out(dt));
    step.apply(DiffuseBy{}, in(u), param(dt), out(next));
    step.apply(RecordTime{}, site, out(when), out(number));
    step.swap(u, next);
    StepClock clock;
    clock.dt_parameter = dt.record();
    Engine(step).run(7, clock);
    return Results{{"u", u.checksum()},
                   {"when", when.checksum()},
                   {"number", number.checksum()},
                   {"time", bits(clock.time)},
                   {"dt", bits(dt.value())}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Engine, ParametersAreReadWhenTheSweepRuns) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Parameter<double> r("r", 0.01);
    Program step("ramp");
    step.compute([](double& v) { v *= 1.25; }, inout(r));
    step.apply(DiffuseBy{}, in(u), param(r), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine engine(step);
    engine.run(5, clock);
    r.set(0.02);
    engine.run(2, clock);
    EXPECT_EQ(r.value(), 0.02 * 1.25 * 1.25);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Engine, RedistributionInMidRunChangesNoBit) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {periodic, mirror, wall_value(1)}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Program step("diffuse");
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine engine(step);
    engine.run(3, clock);
    Domain& domain = domain_of(*grid.state());
    domain.redistribute(cut_explicitly(grid.cells(), {"6,8", "", "4,5"}));
    engine.run(2, clock);
    domain.redistribute(cut_evenly(grid.cells(), {1, 3, 1}));
    engine.run(3, clock);
    domain.redistribute(cut_evenly(grid.cells(), {1, 1, 1}));
    engine.run(1, clock);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Engine, RedistributionOntoTooThinPatchesIsRefused) {
  Settings settings;
  settings.threads = 1;
  settings.steps_per_exchange = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {14, 13, 9}});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(pattern);
  Program step("diffuse");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine engine(step);
  engine.run(1, clock);
  domain_of(*grid.state()).redistribute(cut_evenly(grid.cells(), {1, 1, 3}));
  EXPECT_EQ(
      test::error_of([&] { engine.run(1, clock); }),
      "halo of field 'u' does not fit (it is 4 cells wide, the smallest patch has 3 along z); "
      "use fewer patches or fewer steps per exchange");
}

/// Swaps move buffers between names; another engine may have made some of them wider.
TEST(Engine, EnginesWithDifferentHalosShareFields) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {mirror, periodic, periodic}});
    Field<double> u(grid, "u"), next(grid, "next"), w(grid, "w");
    u.fill(pattern);
    Program near("near"), far("far");
    near.apply(Diffuse{}, in(u), out(next));
    near.swap(u, next);
    far.apply(Far{}, in(u), out(w));
    StepClock clock;
    Engine first(near), second(far);
    first.prepare();
    second.prepare();
    Results results;
    for (int i = 0; i < 4; ++i) {
      first.run(3, clock);
      second.run(1, clock);
      results["w" + std::to_string(i)] = w.checksum();
    }
    results["u"] = u.checksum();
    return results;
  };
  test::expect_same_bits(run, several().all());
}

TEST(Engine, CyclesOfAnyLengthMakeUpTheSteps) {
  const auto run = [](const Settings& settings, const std::vector<Index>& parts) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {mirror, periodic, constant(0)}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    Program step("diffuse");
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine engine(step);
    for (Index steps : parts) engine.run(steps, clock);
    return u.checksum();
  };
  Settings settings;
  settings.threads = 1;
  settings.steps_per_exchange = 4;
  const auto expected = run(test::plainest(), {11});
  for (int pass : {0, 2, 3, 4}) {
    settings.temporal_blocking = pass;
    EXPECT_EQ(run(settings, {11}), expected);
    EXPECT_EQ(run(settings, {1, 2, 3, 4, 1}), expected);
    EXPECT_EQ(run(settings, {3, 7, 1}), expected);
  }
}

TEST(Engine, ScratchIsWhatEveryStepOverwritesFirst) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> u(grid, "u"), next(grid, "next"), w(grid, "w"), kept(grid, "kept");
  kept.record()->is_output = true;
  Program step("step");
  step.apply(Diffuse{}, in(u), out(w));
  step.apply(Diffuse{}, in(w), out(next));
  step.apply(Diffuse{}, in(w), out(kept));
  step.swap(u, next);
  std::vector<std::string> names;
  for (const auto& field : Engine(step).live_fields()) names.push_back(field->name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("u", "kept"));
  EXPECT_EQ(Engine(step).fields().size(), 4u);
}

TEST(Engine, FieldsThatARegionLeavesBehindAreNoScratch) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> u(grid, "u"), w(grid, "w");
  Program step("step");
  step.apply(Diffuse{}, in(u), out(w)).over({{0, 0, 0}, {2, 2, 2}});
  EXPECT_EQ(Engine(step).live_fields().size(), 2u);
}

TEST(Engine, ProgramsMayPermuteWithoutSweeping) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<double> a(grid, "a"), b(grid, "b"), c(grid, "c");
  a.fill(1);
  b.fill(2);
  c.fill(3);
  Program step("turn");
  step.rotate(a, b, c);
  StepClock clock;
  Engine engine(step);
  engine.run(1, clock);
  EXPECT_EQ(a.sum() / 64, 2);
  EXPECT_EQ(b.sum() / 64, 3);
  EXPECT_EQ(c.sum() / 64, 1);
  engine.run(2, clock);
  EXPECT_EQ(a.sum() / 64, 1);
}

TEST(Engine, ChosenStepsFitTheSmallestPatch) {
  Settings settings;
  settings.threads = 1;
  settings.cuts = {"", "", "3,6"};
  settings.temporal_blocking = 8;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {14, 13, 9}});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("diffuse");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_exchange(), 3);
  EXPECT_EQ(engine.steps_per_pass(), 3);
}

TEST(Engine, DescriptionNamesStagesFieldsAndChoices) {
  Settings settings = test::plain_schedule();
  settings.steps_per_exchange = 2;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {14, 13, 9}});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("diffusion");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  const std::string text = Engine(step).describe();
  EXPECT_THAT(text, testing::HasSubstr("program diffusion"));
  EXPECT_THAT(text, testing::HasSubstr("stage Diffusion<double>: 7 reads"));
  EXPECT_THAT(text, testing::HasSubstr("field u: float64 x 1, halo x 2+2 y 2+2 z 2+2\n"));
  EXPECT_THAT(text, testing::HasSubstr("field next: float64 x 1, halo x 2+2 y 2+2 z 2+2, scratch"));
  EXPECT_THAT(text, testing::HasSubstr("steps per exchange 2"));
  EXPECT_THAT(text, testing::HasSubstr("16 bytes and"));
}

TEST(Engine, MemoryNeededIsMemoryAllocated) {
  for (int steps : {1, 2, 4}) {
    Settings settings = test::plain_schedule();
    settings.backend = Backend::cpu;
    settings.steps_per_exchange = steps;
    settings.cuts = {"", "6,7", ""};
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {140, 13, 9}});
    Field<double> u(grid, "u"), next(grid, "next");
    Field<float, 3> coefficient(grid, "coefficient");
    Program step("diffusion");
    step.apply(Diffuse{}, in(u), out(next));
    step.apply(Sum{}, in(coefficient), inout(next));
    step.swap(u, next);
    Engine engine(step);
    const std::size_t needed = engine.bytes_needed();
    EXPECT_EQ(domain_of(*grid.state()).bytes_allocated(), 0u);
    engine.prepare();
    EXPECT_EQ(domain_of(*grid.state()).bytes_allocated(), needed);
  }
}

/// Devices keep nothing of a grid's programs that would keep the grid, and with it their own
/// memory.
TEST(Engine, TheMemoryOfAGridGoesWithIt) {
  const SettingsProduct product{.cuts = {{"", "", ""}, {"", "", "4,5"}},
                                .backends = {Backend::cpu, Backend::emulated},
                                .temporal_blocking = {0, 3}};
  for (const Settings& settings : product.all()) {
    std::weak_ptr<GridState> state;
    {
      Runtime runtime(settings);
      Grid grid(runtime, {.cells = {12, 10, 9}, .boundary = mirror});
      Field<double> u(grid, "u"), next(grid, "next");
      u.fill(1.0);
      Program step("step");
      step.apply(test::Diffusion<double>{0.125}, in(u), out(next));
      step.swap(u, next);
      Engine engine(step);
      StepClock clock;
      engine.run(5, clock);
      state = grid.state();
      EXPECT_EQ(u.sum(), 12 * 10 * 9);
    }
    EXPECT_TRUE(state.expired()) << test::options_of(settings);
  }
}

}  // namespace
}  // namespace goban::engine_test
