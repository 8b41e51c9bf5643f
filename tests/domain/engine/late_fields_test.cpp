// Fields that are declared when a program has run already.

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"

namespace goban::late_fields_test {
namespace {

struct Leapfrog {
  GOBAN_FUNCTION void operator()(auto u, auto old, auto next) const {
    next = 2.0f * u() - old() +
           0.1f * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) -
                   6.0f * u());
  }
};

std::array<std::vector<float>, 2> after_two_runs(bool declares_later) {
  Settings settings;
  settings.threads = 1;
  settings.temporal_blocking = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {24, 20, 16}, .boundary = periodic});
  Field<float> u(grid, "u"), old(grid, "old"), next(grid, "next");
  for (auto* field : {&u, &old}) {
    field->fill(
        [](Index3 i, int) { return static_cast<float>((i[0] * 7 + i[1] * 13 + i[2] * 29) % 31); });
  }
  Program step("leapfrog");
  step.apply(Leapfrog{}, in(u), in(old), out(next));
  step.rotate(old, u, next);
  Engine engine(step);
  StepClock clock{};
  engine.run(8, clock);
  if (declares_later) const Field<float> extra(grid, "extra");
  engine.run(8, clock);
  return {u.copy_out(), old.copy_out()};
}

TEST(LateFields, LeaveTheOthersAsTheyWere) {
  EXPECT_TRUE(after_two_runs(true) == after_two_runs(false));
}

}  // namespace
}  // namespace goban::late_fields_test
