// Fields on active cells as users see them: by places in the box. What is refused.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_fields_test {
namespace {

constexpr Index3 box{19, 11, 17};

std::size_t place(Index3 i, Index3 extents) {
  return static_cast<std::size_t>(i[0] + extents[0] * (i[1] + extents[1] * i[2]));
}

class ListFields : public ::testing::Test {
 protected:
  Runtime runtime{Settings{}};
  Grid grid{runtime,
            {.cells = box,
             .spacing = 0.5,
             .origin = {1, 2, 3},
             .boundary = mirror,
             .active = test::is_pore}};
};

TEST_F(ListFields, AreSeenByPlaceInTheBox) {
  Field<float, 2> u(grid, "u");
  u.fill([](Position p, int c) { return p.x + 10 * p.y + 100 * p.z + c; });
  const Box part{{3, 0, 5}, {18, 11, 12}};
  const auto values = u.copy_out(part);
  const auto cells = static_cast<std::size_t>(part.volume());
  for (Index z = part.lower[2]; z < part.upper[2]; ++z) {
    for (Index y = part.lower[1]; y < part.upper[1]; ++y) {
      for (Index x = part.lower[0]; x < part.upper[0]; ++x) {
        const std::size_t n = place(Index3{x, y, z} - part.lower, part.extents());
        const double expected = 1.25 + 0.5 * static_cast<double>(x) +
                                10 * (2.25 + 0.5 * static_cast<double>(y)) +
                                100 * (3.25 + 0.5 * static_cast<double>(z));
        const bool is_pore = test::is_pore({x, y, z});
        ASSERT_EQ(values[n], is_pore ? static_cast<float>(expected) : 0);
        ASSERT_EQ(values[cells + n], is_pore ? static_cast<float>(expected + 1) : 0);
      }
    }
  }
  EXPECT_EQ(grid.cells(), box);
  EXPECT_EQ(u.active_values().size(), static_cast<std::size_t>(2 * grid.active()->size()));
}

TEST_F(ListFields, AreSetWhereCellsAreActive) {
  Field<double> u(grid, "u");
  u.fill(1);
  const Box part{{2, 3, 4}, {12, 9, 13}};
  std::vector<double> values(static_cast<std::size_t>(part.volume()));
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = 2 + static_cast<double>(n);
  u.copy_in(values, part);
  for (Index n = 0; n < grid.active()->size(); ++n) {
    const Index3 cell = (*grid.active())[n];
    const double expected =
        part.contains(cell) ? values[place(cell - part.lower, part.extents())] : 1;
    ASSERT_EQ(u.get(cell), expected);
  }
  const Index3 some = (*grid.active())[grid.active()->size() / 2];
  u.set(some, 7.5);
  EXPECT_EQ(u.get(some), 7.5);
}

TEST_F(ListFields, AreFilledFromImagesBoxByBox) {
  Field<float> u(grid, "u");
  Box shown;
  u.fill(
      [&](Index3 i) {
        EXPECT_TRUE(shown.contains(i));
        return test::pattern(i);
      },
      [&](const Box& part) { shown = part; });
  const Index3 some = (*grid.active())[77];
  EXPECT_EQ(u.get(some), static_cast<float>(test::pattern(some)));
}

TEST_F(ListFields, TakeMemoryForActiveCellsAlone) {
  constexpr Index tube = 512;
  Grid long_box(runtime, {.cells = {tube, tube, tube}, .boundary = mirror, .active = [](Index3 i) {
                            return i[1] == i[2] && i[0] / 2 == i[1];
                          }});
  Field<double, 4> u(long_box, "u");
  u.fill(1);
  EXPECT_EQ(u.sum(), tube);
  Program step("step");
  step.apply([](auto u) { u[0] = 2 * u[0](); }, inout(u));
  Engine engine(step);
  EXPECT_LT(engine.bytes_needed(), 100'000u);
  const std::string text = engine.describe();
  EXPECT_NE(text.find("active cells 512 of 512 x 512 x 512, 1 patches"), std::string::npos) << text;
}

TEST_F(ListFields, RefuseWhatListsHaveNot) {
  Field<float> u(grid, "u"), next(grid, "next");
  const auto refusal = [&](const auto& add) {
    return test::error_of([&] {
      Program step("step");
      add(step);
      Engine engine(step);
      engine.prepare();
    });
  };
  EXPECT_EQ(refusal([&](Program& step) {
              step.apply([](auto u, auto site,
                            auto next) { next = u() + float(0) * site.template random<float>(); },
                         in(u), site, out(next))
                  .name("noise");
            }),
            "stage 'noise' is refused on active cells (it asks for random numbers); store them in "
            "a field, or use a grid of the whole box");
  u.inactive(bounce_back);
  EXPECT_EQ(
      refusal([&](Program& step) {
        step.apply([](auto u, auto next) { next = u(1, 0, 0); }, in(u), out(next)).name("shift");
      }),
      "boundary of field 'u' is refused in stage 'shift' (component 0 bounces back, but the "
      "functor does not read one component at the opposite offset); read every population "
      "where it comes from, or choose mirror");
  EXPECT_EQ(test::error_of([&] { Field<InPlace<float>, 19>(grid, "f"); }),
            "field 'f' cannot be stored in place (its grid has active cells alone); store it "
            "without InPlace");
  EXPECT_EQ(test::error_of([&] {
              static_cast<void>(grid.coarsened({2, 2, 2}));
            }),
            "grid cannot be coarsened (it has active cells alone); make a grid of the whole box");
  Grid dense(runtime, {.cells = {4, 4, 4}, .boundary = mirror});
  Field<float> whole(dense, "u");
  EXPECT_EQ(test::error_of([&] { whole.inactive(constant(0)); }),
            "field 'u' has no inactive cells (all cells of its grid are active); set a boundary");
  whole.boundary(bounce_back);
  EXPECT_EQ(
      refusal([&](Program& step) { step.apply([](auto u) { u = u() + 1.0f; }, inout(whole)); }),
      "boundary of field 'u' is refused (bounce_back is of grids of active cells); let the "
      "functor reflect populations");
  Settings settings;
  settings.steps_per_exchange = 2;
  Runtime longer(settings);
  Grid again(longer, {.cells = box, .boundary = mirror, .active = test::is_pore});
  Field<float> v(again, "v"), w(again, "w");
  EXPECT_EQ(refusal([&](Program& step) {
              step.apply(test::Diffusion<float>{}, in(v), out(w));
              step.swap(v, w);
            }),
            "the plan of the step is refused (grids of active cells exchange halos once a step, "
            "before the sweep that reads them); leave steps_per_exchange and recompute as they "
            "are, and overlap at one-kernel or none");
}

}  // namespace
}  // namespace goban::list_fields_test
