// Repeats whose rounds stand in the run of stages around them: nothing returns to the host.

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::unrolled_test {
namespace {

using test::pattern;
using test::Results;
using testing::HasSubstr;
using testing::Not;

struct Restrict {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const {
    coarse = 0.125 * (((fine(0, 0, 0) + fine(1, 0, 0)) + (fine(0, 1, 0) + fine(1, 1, 0))) +
                      ((fine(0, 0, 1) + fine(1, 0, 1)) + (fine(0, 1, 1) + fine(1, 1, 1))));
  }
};
struct Correct {
  GOBAN_FUNCTION void operator()(auto coarse, auto fine) const {
    fine += 0.1 * (coarse() - fine());
  }
};

/// What stands around a repeat of cycles over two grids.
struct Cycles {
  explicit Cycles(const Settings& settings) : runtime(settings) {
    u.fill(pattern);
    cycle.apply(test::Diffusion<double>{}, in(u), out(next));
    cycle.swap(u, next);
    cycle.apply(Restrict{}, in(u), out(coarse));
    cycle.apply(test::Diffusion<double>{}, in(coarse), out(coarse_next));
    cycle.swap(coarse, coarse_next);
    cycle.apply(Correct{}, in(coarse), inout(u));
  }
  Program step(Index rounds) const {
    Program program("step");
    program.apply(test::Diffusion<double>{}, in(u), out(next));
    program.swap(u, next);
    program.repeat(rounds, cycle);
    program.apply(test::Diffusion<double>{}, in(u), out(v));
    return program;
  }
  Results results() const {
    return {{"u", u.checksum()}, {"v", v.checksum()}, {"coarse", coarse.checksum()}};
  }

  Runtime runtime;
  Grid grid{runtime, {.cells = {20, 12, 16}, .boundary = {periodic, mirror, mirror}}};
  Grid coarser = grid.coarsened({2, 2, 2});
  Field<double> u{grid, "u"}, next{grid, "next"}, v{grid, "v"};
  Field<double> coarse{coarser, "coarse"}, coarse_next{coarser, "coarse_next"};
  Program cycle{"cycle"};
};

Settings emulated(int devices) {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.patches = {devices, 1, 1};
  settings.steps_per_exchange = 0;
  settings.temporal_blocking = -1;
  return settings;
}

TEST(Unrolled, RepeatsHaveTheBitsOfLoops) {
  for (const Index rounds : {1, 2, 3}) {
    const auto run = [&](const Settings& settings) {
      Cycles cycles(settings);
      StepClock clock;
      Engine engine(cycles.step(rounds));
      engine.run(7, clock);
      engine.synchronize();
      EXPECT_EQ(clock.step, 7);
      return cycles.results();
    };
    std::vector<Settings> all{test::plain_schedule()};
    for (const int devices : {1, 2, 3}) all.push_back(emulated(devices));
    test::expect_same_bits(run, all);
  }
}

/// A launch of what was recorded for each step instead of one for the rounds and one for what
/// stands before and after them.
TEST(Unrolled, AStepReturnsToTheHostOnce) {
  for (const int devices : {1, 2}) {
    Cycles cycles(emulated(devices));
    StepClock clock;
    Engine engine(cycles.step(3));
    for (int n = 0; n < 8; ++n) engine.run(1, clock);
    const Index before = engine.cycles_replayed();
    for (int n = 0; n < 5; ++n) engine.run(1, clock);
    EXPECT_EQ(engine.cycles_replayed() - before, 5);
    EXPECT_THAT(engine.describe(), HasSubstr("loop cycle is unrolled, 3 rounds"));
  }
}

/// Fields of the rounds stay what they were: not in a checkpoint, whatever is made of the loop.
TEST(Unrolled, ScratchOfRoundsStaysScratch) {
  const auto names = [](Index rounds) {
    Cycles cycles(test::plain_schedule());
    std::vector<std::string> all;
    for (const auto& field : Engine(cycles.step(rounds)).live_fields()) all.push_back(field->name);
    return all;
  };
  EXPECT_EQ(names(3), names(5000));
}

TEST(Unrolled, ManyRoundsStayALoop) {
  Cycles cycles(test::plain_schedule());
  EXPECT_THAT(Engine(cycles.step(5000)).describe(), Not(HasSubstr("unrolled")));
}

/// Ghosts that come to follow the time differ from round to round.
TEST(Unrolled, GhostsMayComeToFollowTheTime) {
  const auto run = [](const Settings& settings) {
    Cycles cycles(settings);
    StepClock clock;
    clock.dt = 0.1;
    Engine engine(cycles.step(3));
    engine.run(2, clock);
    const BoundaryCondition rising = wall_value([](double time) { return 1 + time; });
    for (auto* field : {&cycles.u, &cycles.next}) field->boundary(Axis::y, Side::low, rising);
    engine.run(2, clock);
    engine.synchronize();
    EXPECT_THAT(engine.describe(), Not(HasSubstr("unrolled")));
    return cycles.results();
  };
  test::expect_same_bits(run, {test::plain_schedule(), emulated(2)});
}

}  // namespace
}  // namespace goban::unrolled_test
