// Sweeps that go cell by cell together, in one launch.

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/several_settings.hpp"

namespace goban::bundles_test {
namespace {

using test::pattern;
using test::Results;
using ::testing::HasSubstr;
using ::testing::Not;

struct Push {
  float by;
  GOBAN_FUNCTION void operator()(auto v, auto s) const { v += by * (s(1, 0, 0) - s(0, -1, 1)); }
};
struct Pull {
  float by;
  GOBAN_FUNCTION void operator()(auto s, auto v) const { s += by * (v(-1, 0, 1) - v(0, 1, 0)); }
};
struct Match {
  float rest;
  GOBAN_FUNCTION void operator()(auto memory, auto v, auto s) const {
    const auto now = rest * memory() + s(0, 0, 1);
    memory = now;
    v += 0.25f * now;
  }
};
struct Keep {
  GOBAN_FUNCTION void operator()(auto most, auto v) const { most = max(most(), v()); }
};

/// Velocities and what they are made of, in layers along the sides, too, which cross in edges.
struct Waves {
  explicit Waves(const Settings& settings)
      : runtime(settings),
        grid(runtime, {.cells = {14, 13, 9}, .boundary = {mirror, periodic, constant(0)}}) {
    for (auto* field : {&v, &s, &memory, &most}) field->fill(pattern);
    step.apply(Push{0.25f}, inout(v), in(s)).over({{0, 0, 1}, {14, 13, 9}});
    step.apply(Push{0.125f}, inout(v), in(s)).over({{0, 0, 0}, {14, 13, 1}});
    step.apply(Match{0.25f}, inout(memory), inout(v), in(s)).over({{0, 0, 0}, {5, 13, 9}});
    step.apply(Match{0.5f}, inout(memory), inout(v), in(s)).over({{10, 0, 0}, {14, 13, 9}});
    step.apply(Match{-0.5f}, inout(memory), inout(v), in(s)).over({{0, 2, 0}, {14, 9, 7}});
    step.apply(Keep{}, inout(most), in(v)).over({{3, 0, 2}, {12, 13, 3}});
    step.apply(Pull{-0.25f}, inout(s), in(v));
  }
  Results run() {
    Engine engine(step);
    StepClock clock;
    for (const Index steps : {40, 3}) engine.run(steps, clock);
    return {{"v", v.checksum()},
            {"s", s.checksum()},
            {"memory", memory.checksum()},
            {"most", most.checksum()}};
  }

  Runtime runtime;
  Grid grid;
  Field<float> v{grid, "v"}, s{grid, "s"}, memory{grid, "memory"}, most{grid, "most"};
  Program step{"waves"};
};

Settings emulated() {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  return settings;
}

TEST(Bundles, HaveTheBitsOfSweepsOneByOne) {
  const auto run = [](const Settings& settings) { return Waves(settings).run(); };
  test::SettingsProduct settings = test::several();
  settings.steps_per_exchange = {1, 2};
  test::expect_same_bits(run, settings.all());
}

/// Ghosts of what is read beside its cells are made between them.
TEST(Bundles, AreDescribed) {
  Waves waves(emulated());
  const std::string text = Engine(waves.step).describe();
  EXPECT_THAT(text, HasSubstr("one launch: Push + Push + Match + Match + Match\n"));
  EXPECT_THAT(text, HasSubstr("one launch: Keep + Pull\n"));
  Waves on_cpu(test::plain_schedule());
  EXPECT_THAT(Engine(on_cpu.step).describe(), Not(HasSubstr("one launch")));
}

/// No ghosts are read.
TEST(Bundles, WriteNoOtherCellsThatAnotherReads) {
  Waves waves(emulated());
  const auto described = [&](Index end) {
    Program step("beside");
    step.apply(Match{0.25f}, inout(waves.memory), inout(waves.v), in(waves.s))
        .over({{0, 0, 0}, {end, 13, 8}});
    step.apply(Pull{0.25f}, inout(waves.s), in(waves.v)).over({{7, 1, 0}, {14, 12, 8}});
    return Engine(step).describe();
  };
  EXPECT_THAT(described(6), HasSubstr("one launch: Match + Pull\n"));
  EXPECT_THAT(described(7), Not(HasSubstr("one launch"))) << "the first cells beyond";
}

struct Square {
  GOBAN_FUNCTION auto operator()(auto v) const { return v() * v(); }
};
struct Times {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return a() * b(); }
};
struct Slope {
  GOBAN_FUNCTION auto operator()(auto v) const { return v(1, 0, 0) - v(); }
};

/// Sums and extrema of what a sweep has just made, of some of it, and beside its cells.
struct Sums {
  explicit Sums(const Settings& settings) : waves(settings) {
    Program& step = waves.step = Program("sums");
    step.apply(Push{0.25f}, inout(waves.v), in(waves.s));
    step.reduce(Square{}, in(waves.v), sum, into(square));
    step.reduce(Times{}, in(waves.v), in(waves.memory), maximum, into(most));
    step.reduce(Times{}, in(waves.v), in(waves.s), minimum, into(least));
    step.reduce(Square{}, in(waves.v), sum, into(part)).over({{0, 0, 0}, {5, 13, 9}});
    step.reduce(Slope{}, in(waves.memory), maximum, into(slope));
    step.compute([](auto a, auto& b) { b = convert<float>(select(a > 4, 0.5, 0.25)); }, in(square),
                 out(factor));
    step.apply(Scale{}, inout(waves.s), param(factor));
    step.reduce(Times{}, in(waves.s), in(waves.s), sum, into(other));
  }
  struct Scale {
    GOBAN_FUNCTION void operator()(auto s, auto factor) const { s = factor() * s() + 0.125f; }
  };
  Results run() {
    Results all = waves.run();
    for (const auto* p : {&square, &most, &least, &part, &slope, &other}) {
      all[p->name()] = test::bits(p->value());
    }
    return all;
  }

  Waves waves;
  Parameter<double> square{"square"}, most{"most of both"}, least{"least"}, part{"part"},
      slope{"slope"}, other{"other"};
  Parameter<float> factor{"factor"};
};

TEST(Bundles, ReduceWithTheBitsOfReductionsOneByOne) {
  const auto run = [](const Settings& settings) { return Sums(settings).run(); };
  test::SettingsProduct settings = test::several();
  settings.steps_per_exchange = {1, 2};
  test::expect_same_bits(run, settings.all());
}

TEST(Bundles, HoldReductionsOfTheSameCells) {
  Sums sums(emulated());
  const std::string text = Engine(sums.waves.step).describe();
  EXPECT_THAT(text, HasSubstr("one launch: Push + Square + Times + Times\n"));
  EXPECT_THAT(text, HasSubstr("one launch: Scale + Times\n"));
  Sums on_cpu(test::plain_schedule());
  EXPECT_THAT(Engine(on_cpu.waves.step).describe(),
              HasSubstr("tile by tile: Push + Square + Times + Times\n"));
}

/// v twice and s; memory; v in a part of the grid; memory; s twice, and again, as rows get their
/// ghosts before it is reduced.
TEST(Bundles, MoveOnceWhatReductionsFindAtHand) {
  Sums sums(test::plain_schedule());
  const double part = 5.0 / 14;
  EXPECT_DOUBLE_EQ(Engine(sums.waves.step).work_per_update().bytes, 4 * (3 + 1 + part + 1 + 2 + 1));
}

}  // namespace
}  // namespace goban::bundles_test
