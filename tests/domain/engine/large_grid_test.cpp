// Grids of more cells than 32 bits count. Takes 2 GiB a grid, 4 GiB the last one: when asked for
// many trials.

#include <gtest/gtest.h>

#include "goban/goban.hpp"
#include "goban/performance/measure/machine.hpp"
#include "tests/long.hpp"

namespace goban::large_grid_test {
namespace {

struct Turn {
  GOBAN_FUNCTION void operator()(auto u) const { u = 3 * u() + 1; }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

/// What a cell holds after one step.
constexpr std::uint8_t turned(Index x, Index y) {
  return static_cast<std::uint8_t>(3 * ((x + 7 * y) % 251) + 1);
}

class LargeGrids : public ::testing::TestWithParam<Index3> {};

TEST_P(LargeGrids, HaveTheirValuesInEveryCell) {
  const Index3 cells = GetParam();
  const Index needed = product(cells) + (Index{1} << 30);
  if (!test::is_long()) GTEST_SKIP() << "takes GiB: GOBAN_LONG_TESTS=1";
  if (inspect_machine().memory_available < needed) GTEST_SKIP() << "there is no memory for it";
  Runtime runtime{Settings{}};
  Grid grid(runtime, {.cells = cells, .boundary = mirror});
  Field<std::uint8_t> u(grid, "u");
  u.fill([](Index3 i) { return static_cast<std::uint8_t>((i[0] + 7 * i[1]) % 251); });
  Parameter<double> largest("largest", 0.0);
  Program step("turn");
  step.apply(Turn{}, inout(u));
  step.reduce(Value{}, in(u), maximum, into(largest));
  StepClock clock;
  Engine engine(step);
  engine.run(1, clock);
  engine.synchronize();
  EXPECT_EQ(largest.value(), 255);
  const Index3 last = cells - Index3{1, 1, 1};
  for (const Index3 at : {Index3{}, last, last - Index3{1, 0, 0}, Index3{last[0], 0, 0},
                          Index3{0, last[1], 0}, Index3{last[0] / 2, last[1] / 2, 0},
                          Index3{std::max<Index>(0, last[0] - (Index{1} << 31)), last[1], 0}}) {
    EXPECT_EQ(u.get(at), turned(at[0], at[1])) << at[0] << ", " << at[1];
  }
  // Whole periods of x, then the rest of every row.
  double sum = 0;
  for (Index y = 0; y < std::min<Index>(cells[1], 251); ++y) {
    double row = 0;
    for (Index x = 0; x < 251; ++x) {
      row += turned(x, y) * static_cast<double>(cells[0] / 251 + (x < cells[0] % 251 ? 1 : 0));
    }
    sum += row * static_cast<double>(cells[1] / 251 + (y < cells[1] % 251 ? 1 : 0));
  }
  EXPECT_EQ(u.sum(), sum);
}

constexpr Index two31 = Index{1} << 31;
INSTANTIATE_TEST_SUITE_P(Cells, LargeGrids,
                         ::testing::Values(Index3{two31 - 1, 1, 1}, Index3{two31, 1, 1},
                                           Index3{two31 + 1, 1, 1}, Index3{65536, 32768, 1},
                                           Index3{128, two31 / 128 + 1, 1},
                                           Index3{65536, 65536, 1}),
                         [](const auto& info) {
                           const Index3 cells = info.param;
                           return std::to_string(cells[0]) + "x" + std::to_string(cells[1]);
                         });

}  // namespace
}  // namespace goban::large_grid_test
