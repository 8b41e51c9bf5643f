// Several steps of a program in one pass through cache: the cases that are easy to get wrong.

#include "goban/base/mix.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/domain/engine/plan_report.hpp"
#include "goban/performance/model/machine_rates.hpp"
#include "goban/program/samples.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::passes_test {
namespace {

using test::pattern;
using test::Results;

Settings passes(int steps_per_exchange, int steps_per_pass, int threads = 1) {
  Settings settings;
  settings.threads = threads;
  settings.steps_per_exchange = steps_per_exchange;
  settings.temporal_blocking = steps_per_pass;
  return settings;
}

std::vector<Settings> some_passes() {
  return {passes(2, 2), passes(4, 2), passes(4, 4), passes(3, 2), passes(4, 2, 2), passes(4, 4, 2)};
}

/// Runs next = f(u), swap, and hashes u.
template <class Layout, class F>
Results iterate(const F& functor, Index3 cells, const BoundarySet& boundary,
                const Settings& settings, int steps = 8) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = boundary});
  Field<float, 1, Layout> u(grid, "u"), next(grid, "next");
  u.fill(pattern);
  Program step("step");
  step.apply(functor, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  engine.run(steps, clock);
  EXPECT_TRUE(settings.temporal_blocking < 2 || engine.steps_per_pass() > 1)
      << engine.pass_refusal();
  return {{"u", u.checksum()}};
}

/// Corners of the halo alone.
struct Corners {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.1f * u(-1, -1, -1) - 0.2f * u(1, 1, 1) + 0.05f * u(-1, 1, -1);
  }
};

/// No other test has its kernel, which therefore comes while plans are already being compared.
struct Diagonals {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.1f * u(-1, -1, -1) - 0.2f * u(1, 1, 1) + 0.05f * u(1, -1, 1);
  }
};

TEST(Passes, LeftOpenAreComparedWithSweepsAndTheFasterWayIsKept) {
  const Index3 cells{256, 160, 96};
  Settings open;
  Runtime runtime(open);
  Grid grid(runtime, {.cells = cells});
  Field<float> u(grid, "u"), next(grid, "next");
  if (runtime.machine().device.cache_bytes() > 8.0 * static_cast<double>(product(cells))) {
    GTEST_SKIP() << "both fields stay in a cache of this machine: single sweeps are as fast";
  }
  u.fill(pattern);
  Program step("step");
  step.apply(Diagonals{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_pass() > 1, engine.pass_refusal().empty());  // as predicted
  EXPECT_GE(engine.plans().size(), 2u);
  StepClock clock;
  while (!engine.is_settled() && clock.step < 300) engine.run(10, clock);
  EXPECT_TRUE(engine.steps_per_pass() > 1 || engine.pass_refusal().starts_with("single sweeps "));
  EXPECT_EQ((Results{{"u", u.checksum()}}),
            iterate<ijk>(Diagonals{}, cells, periodic, passes(1, 0), clock.step));
}

/// Parts side by side, behind each other and both, gaps between them, tiles within.
TEST(Passes, LeaveNothingOutWhereThreadsMeet) {
  const BoundarySet walls(wall_value(0.5), mirror, gradient(0.25));
  for (const Index3 cells : {Index3{21, 77, 9}, Index3{21, 9, 77}, Index3{9, 61, 58}}) {
    for (const BoundarySet& boundary : {walls, BoundarySet(periodic)}) {
      const auto run = [&](const Settings& s) {
        return iterate<ijk>(Corners{}, cells, boundary, s, 11);
      };
      test::expect_same_bits(run, {passes(2, 2, 5), passes(4, 4, 4), passes(8, 3, 6)});
    }
  }
}

TEST(Passes, FillCornersOfWallsInEveryLayout) {
  const BoundarySet walls(wall_value(0.5), mirror, gradient(0.25));
  const Index3 cells{17, 13, 9};
  const auto ijk_run = [&](const Settings& s) { return iterate<ijk>(Corners{}, cells, walls, s); };
  const auto kij_run = [&](const Settings& s) { return iterate<kij>(Corners{}, cells, walls, s); };
  test::expect_same_bits(ijk_run, some_passes());
  test::expect_same_bits(kij_run, some_passes());
}

/// Reads only towards the low side of y, farther than a tile of a thin grid is high.
struct Upwind {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.25f * u(0, -1, 0) - 0.125f * u(0, -3, 0);
  }
};

TEST(Passes, GhostRowsMirrorRowsOfOtherTiles) {
  for (Index rows : {3, 4, 5, 7}) {
    const auto run = [&](const Settings& s) {
      return iterate<ijk>(Upwind{}, {9, rows, 11}, wall_value(0.5), s, 3);
    };
    test::expect_same_bits(run, {passes(1, 0, 2), passes(1, 2), passes(1, 2, 2)});
  }
  const auto run = [&](const Settings& s) {
    return iterate<ijk>(Upwind{}, {9, 13, 11}, wall_value(0.5), s);
  };
  test::expect_same_bits(run, some_passes());
}

/// Cells and the faces between them drive each other without looking at neighbours: the last face
/// reads beyond the last cell.
struct ToFaces {
  GOBAN_FUNCTION void operator()(auto p, auto v) const { v = 0.5f * v() + 0.25f * p(); }
};
struct ToCells {
  GOBAN_FUNCTION void operator()(auto v, auto p) const { p = 0.75f * p() - 0.5f * v(); }
};

/// A team of 3 has 3 + 3 + 1 of 7 rows of faces.
TEST(Passes, GhostsOfLastFacesMirrorRowsOfOtherTiles) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {9, 6, 11}, .boundary = {periodic, mirror, wall_value(0.5)}});
    Field<float> p(grid, "p");
    Field<float> v(grid, "v", {Location::face_y});
    p.fill(pattern);
    v.fill(pattern);
    Program step("step");
    step.apply(ToFaces{}, in(p), inout(v));
    step.apply(ToCells{}, in(v), inout(p));
    Engine engine(step);
    StepClock clock;
    engine.run(4, clock);
    EXPECT_TRUE(settings.temporal_blocking < 2 || engine.steps_per_pass() > 1)
        << engine.pass_refusal();
    return Results{{"p", p.checksum()}, {"v", v.checksum()}};
  };
  test::expect_same_bits(run, {passes(2, 2), passes(2, 2, 3), passes(4, 4, 3), passes(4, 2, 3)});
}

/// The longest reach for which the halo of many steps still fits.
struct Far {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.125f * (u(0, 4, 0) + u(0, -4, 0) + u(0, 0, 4) - u(4, 0, -4));
  }
};

TEST(Passes, ReachFarBeyondTheirTilesInLongCycles) {
  const auto run = [](const Settings& s) {
    return iterate<ijk>(Far{}, {33, 33, 33}, periodic, s, 16);
  };
  test::expect_same_bits(run, {passes(8, 2), passes(8, 4), passes(8, 8), passes(8, 2, 2)});
}

/// Two time levels back, both read with neighbours: the older one outlives the pass that makes it.
struct Wave {
  GOBAN_FUNCTION void operator()(auto before, auto now, auto after) const {
    after = 0.5f * now() + 0.1f * (now(1, 0, 0) + now(0, -1, 0) + now(0, 0, 1)) +
            0.1f * (before(-1, 0, 0) - before(0, 1, 0) + before(0, 0, -1));
  }
};

TEST(Passes, GhostsOfWhatLaterPassesReadAreInMemory) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {19, 17, 15}, .boundary = {wall_value(0.5), mirror, constant(1)}});
    Field<float> a(grid, "a"), b(grid, "b"), c(grid, "c");
    a.fill(pattern);
    b.fill(pattern);
    Program step("waves");
    step.apply(Wave{}, in(a), in(b), out(c));
    step.rotate(a, b, c);
    StepClock clock;
    Engine(step).run(9, clock);
    return Results{{"a", a.checksum()}, {"b", b.checksum()}};
  };
  test::expect_same_bits(run, some_passes());
}

TEST(Passes, DoWithoutOverlapAndPartialSweeps) {
  auto settings = some_passes();
  for (auto& s : settings) s.overlap = Overlap::two_kernel;
  const auto run = [](const Settings& s) {
    return iterate<ijk>(Corners{}, {201, 9, 9}, {mirror, periodic, periodic}, s);
  };
  test::expect_same_bits(run, settings);
}

/// What stages leave as it was stays, from step to step.
TEST(Passes, UpdateRegionsAndUnderMasks) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {19, 41, 23}, .boundary = {periodic, mirror, wall_value(0.5)}});
    Field<float> u(grid, "u"), next(grid, "next"), v(grid, "v");
    Field<std::uint8_t> solid(grid, "solid");
    for (auto* field : {&u, &next, &v}) field->fill(pattern);
    solid.fill([](Index3 i) { return (i[0] + 2 * i[1] + 3 * i[2]) % 5 == 0 ? 0 : 1; });
    Program step("step");
    step.apply(Corners{}, in(u), out(next)).where(solid);
    step.apply(Upwind{}, in(next), out(v)).over({{0, 30, 2}, {19, 41, 11}});
    step.apply(Corners{}, in(v), out(u));
    step.swap(u, next);
    Engine engine(step);
    StepClock clock;
    engine.run(9, clock);
    EXPECT_TRUE(settings.temporal_blocking < 2 || engine.steps_per_pass() > 1)
        << engine.pass_refusal();
    return Results{{"u", u.checksum()}, {"next", next.checksum()}, {"v", v.checksum()}};
  };
  test::expect_same_bits(run, some_passes());
}

TEST(Passes, AreRefusedWithAReason) {
  Runtime runtime(passes(2, 2));
  const BoundaryCondition one = custom([](const GhostCell&) { return 1.0; });
  Grid grid(runtime, {.cells = {16, 16, 16}, .boundary = one});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1);
  Program step("custom");
  step.apply(Corners{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_exchange(), 2);
  EXPECT_EQ(engine.steps_per_pass(), 1);
  EXPECT_EQ(engine.pass_refusal(), "field 'u' has a boundary condition that is custom or varies");
}

struct Total {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * u() + v(1, 0, 0); }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

/// Only the last of several passes of a cycle has something to do.
TEST(Passes, ReduceWithNothingElse) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {21, 26, 23}});
    Field<float> u(grid, "u");
    u.fill(pattern);
    const Parameter<double> total("total");
    Program step("look");
    step.reduce(Value{}, in(u), sum, into(total));
    step.reduce(Value{}, in(u), maximum, into(total));
    Engine engine(step);
    StepClock clock;
    engine.run(9, clock);
    return Results{{"total", test::bits(total.value())}};
  };
  test::expect_same_bits(run, some_passes());
}

/// Every sample is that of its step, every reduction that of the last; also of what was before.
TEST(Passes, ReduceAndSample) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {21, 26, 23}, .boundary = {periodic, mirror, wall_value(0.5)}});
    Field<float> u(grid, "u"), next(grid, "next");
    Field<float> v(grid, "v", {Location::face_z});
    u.fill(pattern);
    v.fill(pattern);
    const Parameter<double> total("total"), least("least"), most("most");
    const auto samples = std::make_shared<Samples>(grid.state());
    samples->add(u.record(), {{3, 11, 9}, {8, 15, 14}});
    samples->add(v.record(), {{0, 24, 20}, {21, 26, 24}});
    samples->add(next.record(), {{0, 0, 0}, {1, 26, 1}});
    Program step("look");
    step.reduce(Value{}, in(u), maximum, into(most)).over({{0, 7, 0}, {21, 13, 4}});
    step.apply(ToFaces{}, in(u), inout(v));
    step.apply(Corners{}, in(u), out(next));
    step.sample(samples);
    step.swap(u, next);
    step.reduce(Total{}, in(u), in(v), sum, into(total));
    step.reduce(Value{}, in(v), minimum, into(least));
    Engine engine(step);
    StepClock clock;
    Results results;
    for (const Index steps : {8, 3, 4}) {
      engine.run(steps, clock);
      for (const auto* one : {&total, &least, &most}) {
        results[one->name() + std::to_string(clock.step)] = test::bits(one->value());
      }
    }
    EXPECT_TRUE(settings.temporal_blocking < 2 || engine.steps_per_pass() > 1)
        << engine.pass_refusal();
    engine.synchronize();
    EXPECT_EQ(samples->records().size(), 15u);
    std::uint64_t hash = 0;
    for (const auto& record : samples->records()) {
      hash = mix(hash ^ static_cast<std::uint64_t>(record.step) ^ test::bits(record.time));
      for (const std::byte byte : record.values) {
        hash = mix(hash ^ static_cast<std::uint64_t>(byte));
      }
    }
    results["samples"] = hash;
    results["u"] = u.checksum();
    return results;
  };
  test::expect_same_bits(run, some_passes());
}

struct Upwind1 {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.25f * u(0, -1, 0);
  }
};

/// A pass walks planes along one axis.
TEST(Passes, AreRefusedForStagesOfDifferentLayouts) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {7, 4, 2}, .boundary = {mirror, periodic, periodic}});
    Field<float> u(grid, "u"), next(grid, "next");
    Field<float, 1, kij> v(grid, "v"), other(grid, "other");
    u.fill(pattern);
    v.fill(pattern);
    Program step("both");
    step.apply(Upwind1{}, in(u), out(next));
    step.apply(Upwind1{}, in(v), out(other));
    step.swap(u, next);
    step.swap(v, other);
    Engine engine(step);
    StepClock clock;
    engine.run(4, clock);
    EXPECT_TRUE(settings.temporal_blocking < 2 ||
                engine.pass_refusal() == "its stages have different memory layouts");
    return Results{{"u", u.checksum()}, {"v", v.checksum()}};
  };
  test::expect_same_bits(run, {passes(2, 2), passes(2, 2, 2)});
}

struct ShareOut {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c) const {
    b = 0.5f * a(1, 0, 0) + 0.25f * a(0, -1, 0);
    c = 0.5f * c() + 0.25f * a(0, 0, 2);
  }
};

/// A result that is gone before anyone has read it must not be stored where others still read.
TEST(Passes, DoWithoutResultsThatNobodyReads) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {5, 21, 20}, .boundary = {constant(0.5), periodic, periodic}});
    Field<float> a(grid, "a"), b(grid, "b"), c(grid, "c");
    a.fill(pattern);
    b.fill(pattern);
    c.fill(pattern);
    Program step("exchange");
    step.apply(ShareOut{}, in(a), out(b), inout(c));
    step.rotate(b, a, c);
    step.swap(a, b);
    StepClock clock;
    Engine(step).run(5, clock);
    return Results{{"a", a.checksum()}, {"c", c.checksum()}};
  };
  test::expect_same_bits(run, some_passes());
}

}  // namespace
}  // namespace goban::passes_test
