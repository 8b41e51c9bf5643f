// Sweeps that go cell by cell together, in one launch.

#include <gmock/gmock.h>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/several_settings.hpp"

namespace goban {
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
  explicit Waves(const Settings& settings, const Box& pulled = {{0, 0, 0}, {37, 23, 11}})
      : runtime(settings),
        grid(runtime, {.cells = {37, 23, 11}, .boundary = {mirror, periodic, constant(0)}}) {
    for (auto* field : {&v, &s, &memory, &most}) field->fill(pattern);
    step.apply(Push{0.25f}, inout(v), in(s)).over({{0, 0, 1}, {37, 23, 11}});
    step.apply(Push{0.125f}, inout(v), in(s)).over({{0, 0, 0}, {37, 23, 1}});
    step.apply(Match{0.25f}, inout(memory), inout(v), in(s)).over({{0, 0, 0}, {5, 23, 11}});
    step.apply(Match{0.5f}, inout(memory), inout(v), in(s)).over({{31, 0, 0}, {37, 23, 11}});
    step.apply(Match{-0.5f}, inout(memory), inout(v), in(s)).over({{0, 2, 0}, {37, 9, 7}});
    step.apply(Keep{}, inout(most), in(v)).over({{3, 0, 2}, {30, 23, 3}});
    step.apply(Pull{-0.25f}, inout(s), in(v)).over(pulled);
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
  test::expect_same_bits(run, several().all());
}

/// What a later sweep reads beside its cells begins another.
TEST(Bundles, AreDescribed) {
  Waves waves(emulated());
  const std::string text = Engine(waves.step).describe();
  EXPECT_THAT(text, HasSubstr("one launch: Push + Push + Match + Match + Match + Keep\n"));
  EXPECT_THAT(text, Not(HasSubstr("Pull +")));
  EXPECT_THAT(text, Not(HasSubstr("+ Pull")));
  Waves on_cpu(test::plain_schedule());
  EXPECT_THAT(Engine(on_cpu.step).describe(), Not(HasSubstr("one launch")));
}

/// It reads up to one cell beyond its box; what is written there ends two before.
TEST(Bundles, ReachOtherCellsThanAnotherWrites) {
  Waves waves(emulated(), {{9, 10, 3}, {30, 11, 4}});
  Program step("apart");
  step.apply(Match{0.25f}, inout(waves.memory), inout(waves.v), in(waves.s))
      .over({{0, 0, 0}, {8, 23, 11}});
  step.apply(Pull{0.25f}, inout(waves.s), in(waves.v)).over({{9, 0, 0}, {37, 23, 11}});
  EXPECT_THAT(Engine(step).describe(), HasSubstr("one launch: Match + Pull\n"));
  Program close("close");
  close.apply(Match{0.25f}, inout(waves.memory), inout(waves.v), in(waves.s))
      .over({{0, 0, 0}, {9, 23, 11}});
  close.apply(Pull{0.25f}, inout(waves.s), in(waves.v)).over({{9, 0, 0}, {37, 23, 11}});
  EXPECT_THAT(Engine(close).describe(), Not(HasSubstr("one launch")));
}

}  // namespace
}  // namespace goban
