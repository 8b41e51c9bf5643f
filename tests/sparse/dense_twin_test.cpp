// The same geometry on active cells and as a mask in a box: the same bits.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/sparse/lattice.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::dense_twin_test {
namespace {

constexpr Index3 box{22, 18, 25};

/// What a field holds where cells are active.
template <class T, int C>
std::vector<T> in_pores(const Field<T, C>& field) {
  const ActiveCells list(box, test::is_pore);
  const auto all = field.copy_out();
  std::vector<T> values;
  for (int c = 0; c < C; ++c) {
    for (Index n = 0; n < list.size(); ++n) {
      const Index3 i = list[n];
      values.push_back(
          all[static_cast<std::size_t>(i[0] + box[0] * (i[1] + box[1] * (i[2] + box[2] * c)))]);
    }
  }
  return values;
}

TEST(DenseTwin, BounceBackEqualsStreamingAmongWalls) {
  const auto start = [](Index3 i, int q) {
    return test::D3Q19::weight(q) * (1 + 0.01 * test::pattern(i));
  };
  Runtime runtime(Settings{});
  std::vector<float> found, expected;
  {
    Grid grid(runtime, {.cells = box, .boundary = periodic, .active = test::is_pore});
    Field<float, 19> f(grid, "f"), next(grid, "next");
    f.inactive(bounce_back).fill(start);
    next.inactive(bounce_back);
    Program step("step");
    step.apply(test::StreamCollide{1.7f}, in(f), out(next));
    step.swap(f, next);
    Engine engine(step);
    StepClock clock;
    engine.run(20, clock);
    found = in_pores(f);
    EXPECT_EQ(found, f.active_values());
  }
  Grid grid(runtime, {.cells = box, .boundary = periodic});
  Field<float, 19> f(grid, "f"), next(grid, "next");
  Field<std::uint8_t> fluid(grid, "fluid");
  fluid.fill([](Index3 i) { return test::is_pore(i) ? 1 : 0; });
  f.fill(start);
  Program step("step");
  step.apply(test::StreamBounceCollide{1.7f}, in(f), in(fluid), out(next)).where(fluid);
  step.swap(f, next);
  Engine engine(step);
  StepClock clock;
  engine.run(20, clock);
  EXPECT_EQ(found, in_pores(f));
}

/// Heat flows between pores alone.
struct ConductInMask {
  double r;
  GOBAN_FUNCTION void operator()(auto u, auto pore, auto next) const {
    const auto from = [&](int x, int y, int z) {
      return select(pore(x, y, z) != 0, u(x, y, z), u());
    };
    next = u() + r * (from(1, 0, 0) + from(-1, 0, 0) + from(0, 1, 0) + from(0, -1, 0) +
                      from(0, 0, 1) + from(0, 0, -1) - 6.0 * u());
  }
};

TEST(DenseTwin, HeatInPoresStaysThere) {
  const BoundarySet sides{constant(1), mirror, wall_value(0.5)};
  Runtime runtime(Settings{});
  std::vector<double> found;
  {
    Grid grid(runtime, {.cells = box, .boundary = sides, .active = test::is_pore});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(test::pattern);
    Program step("step");
    step.apply(test::Diffusion<double>{0.125}, in(u), out(next));
    step.swap(u, next);
    Engine engine(step);
    StepClock clock;
    engine.run(20, clock);
    found = in_pores(u);
  }
  Grid grid(runtime, {.cells = box, .boundary = sides});
  Field<double> u(grid, "u"), next(grid, "next");
  Field<std::uint8_t> pore(grid, "pore");
  pore.boundary(constant(1));
  pore.fill([](Index3 i) { return test::is_pore(i) ? 1 : 0; });
  u.fill(test::pattern);
  Program step("step");
  step.apply(ConductInMask{0.125}, in(u), in(pore), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  engine.run(20, clock);
  EXPECT_EQ(found, in_pores(u));
}

}  // namespace
}  // namespace goban::dense_twin_test
