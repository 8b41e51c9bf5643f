// Sweeps over more cells than caches hold: what is fetched ahead and stored past the caches.

#include <gmock/gmock.h>

#include "goban/backend/cpu/tiles.hpp"
#include "goban/goban.hpp"

namespace goban::cpu_sweep_test {
namespace {

constexpr Index3 many{200, 96, 88};

/// Whether a sweep with an argument of each of these kinds may store past the caches.
bool stores_past_caches(const std::vector<Access>& accesses) {
  const auto field = std::make_shared<FieldRecord>();
  const auto stage = std::make_shared<Stage>();
  for (const Access access : accesses) {
    stage->arguments.push_back({StageArgument::Kind::field, access, field, nullptr, nullptr});
  }
  SweepTask task;
  task.stage = stage;
  return cpu::writes_anew(task);
}

TEST(CpuSweep, StoresWhatItHasReadInTheCaches) {
  EXPECT_TRUE(stores_past_caches({Access::in, Access::out}));
  EXPECT_TRUE(stores_past_caches({Access::inout, Access::out}));
  EXPECT_FALSE(stores_past_caches({Access::inout, Access::in}));
}

/// Five fields are fetched ahead, the last one read at its cell alone.
struct Gather {
  GOBAN_FUNCTION void operator()(auto u, auto a, auto b, auto c, auto d) const {
    u += 0.125f * ((a(1, 0, 0) - a(-2, 0, 0)) + (b(0, 2, 0) - b(0, -1, 0)) +
                   (c(0, 0, 1) - c(0, 0, -2)) * d());
  }
};
/// One output goes past the caches, the other one not.
struct Scatter {
  GOBAN_FUNCTION void operator()(auto u, auto a, auto copy) const {
    a += 0.25f * (u(1, 0, 0) - u(0, 0, -1));
    copy = a() + u();
  }
};

std::vector<float> after_two_steps(Backend backend, const BoundarySet& boundary) {
  Settings settings;
  settings.backend = backend;
  settings.threads = 2;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = many, .boundary = boundary});
  Field<float> u(grid, "u"), a(grid, "a"), b(grid, "b"), c(grid, "c"), d(grid, "d");
  int seed = 0;
  for (auto* field : {&u, &a, &b, &c, &d}) {
    ++seed;
    field->fill([seed](Index3 i, int) {
      return static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29 + seed) % 31);
    });
  }
  Program step("step");
  step.apply(Gather{}, inout(u), in(a), in(b), in(c), in(d));
  step.apply(Scatter{}, in(u), inout(a), out(d));
  Engine engine(step);
  StepClock clock{};
  engine.run(2, clock);
  std::vector<float> values;
  for (const auto* field : {&u, &a, &d}) {
    const std::vector<float> of_field = field->copy_out();
    values.insert(values.end(), of_field.begin(), of_field.end());
  }
  return values;
}

TEST(CpuSweep, ManyFieldsThatAreUpdatedHaveTheBitsOfTheReference) {
  for (const BoundarySet& boundary : {BoundarySet(periodic), BoundarySet(constant(3))}) {
    EXPECT_TRUE(after_two_steps(Backend::cpu, boundary) ==
                after_two_steps(Backend::reference, boundary));
  }
}

/// Groups of planes are walked together.
struct LongStar {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.125f * ((u(4, 0, 0) - u(-4, 0, 0)) + (u(0, 4, 0) - u(0, -3, 0)) +
                                  (u(0, 0, 4) - u(0, 0, -4)));
  }
};
/// Other planes are read beside the cell's own row, too.
struct LongBox {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.25f * (u(2, 2, 2) + u(-2, -2, -2) + u(0, 1, 2) - u(1, -2, -1));
  }
};

std::vector<float> after_long_reaches(Backend backend, int threads, const BoundarySet& boundary) {
  Settings settings;
  settings.backend = backend;
  settings.threads = threads;
  settings.temporal_blocking = 0;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {200, 110, 100}, .boundary = boundary});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(
      [](Index3 i, int) { return static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29) % 31); });
  Program step("step");
  step.apply(LongStar{}, in(u), out(next));
  step.apply(LongBox{}, in(next), out(u));
  Engine engine(step);
  StepClock clock{};
  engine.run(1, clock);
  return u.copy_out();
}

TEST(CpuSweep, LongReachesHaveTheBitsOfTheReference) {
  for (const BoundarySet& boundary : {BoundarySet(periodic), BoundarySet(constant(2.0))}) {
    const auto expected = after_long_reaches(Backend::reference, 1, boundary);
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(after_long_reaches(Backend::cpu, threads, boundary) == expected);
    }
  }
}

}  // namespace
}  // namespace goban::cpu_sweep_test
