// Stages that sweep columns: what they compute, under all settings.

#include <gmock/gmock.h>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::columns_test {
namespace {

using test::pattern;
using test::Results;
using test::SettingsProduct;
using testing::HasSubstr;

/// a x_{k-1} + b x_k + c x_{k+1} = d; what stands beyond the ends is zero.
struct Thomas {
  GOBAN_FUNCTION void forward(auto a, auto b, auto c, auto d, auto, auto s) const {
    const auto m = 1 / (b() - a() * s[0].before());
    s[0] = c() * m;
    s[1] = (d() - a() * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto, auto, auto, auto x, auto s) const {
    const auto solution = s[1]() - s[0]() * s[1].before();
    s[1] = solution;
    x = solution;
  }
};

/// Implicit along the columns, explicit across; faces and cells, one written on the way up, one
/// updated on the way down.
template <class T>
struct Everything {
  T r;
  GOBAN_FUNCTION void forward(auto site, auto u, auto v, auto, auto count, auto rising,
                              auto s) const {
    const auto across = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) - T(4) * u();
    const auto pull = select(site.index(Axis::z) % 3 == 0, r, T(0.5) * r);
    s[0] = pull / (T(1) + T(2) * r + r * s[0].before());
    s[1] = (u() + T(0.1) * across + v(0, 0, 1) - v() + r * s[1].before()) * s[0]();
    rising = s[1]() + T(0.25) * s[1].before();
    count += 1;
  }
  GOBAN_FUNCTION void backward(auto, auto u, auto, auto w, auto count, auto, auto s) const {
    s[1] = s[1]() + s[0]() * s[1].before() + T(0.125) * u(0, 0, -1);
    w += T(0.0625) * s[1]() * convert<T>(count() % 2);
  }
};

/// Downward alone, without scratch of the level: a running sum from the top.
struct Weight {
  GOBAN_FUNCTION void backward(auto u, auto above, auto s) const {
    const auto sum = s.before() + u();
    s = sum;
    above = sum;
  }
};

struct Forgets {
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const { s = u(); }
};

struct Twice {
  GOBAN_FUNCTION void forward(auto u, auto v, auto) const { v = u(); }
  GOBAN_FUNCTION void backward(auto u, auto v, auto) const { v = u(); }
};

struct Unwritten {
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const { s[0] = u(); }
  GOBAN_FUNCTION void backward(auto, auto v, auto s) const { v = s[0]() + s[1].before(); }
};

/// Which sweep assigns v is left to a member.
struct Undecided {
  bool is_backward = false;
  GOBAN_FUNCTION void forward(auto u, auto v, auto s) const {
    s = u();
    if (!is_backward) v = u();
  }
  GOBAN_FUNCTION void backward(auto, auto v, auto s) const {
    if (is_backward) v = s();
  }
};

struct Empty {
  GOBAN_FUNCTION void forward(auto, auto v, auto s) const { v = s.before(); }
};

template <class T, class Layout>
struct Columns {
  Runtime runtime;
  Grid grid;
  Field<T, 1, Layout> u, next, v, w;
  Field<std::int32_t, 1, Layout> count;
  Field<half, 1, Layout> rising;
  Field<std::uint8_t, 1, Layout> mask;
  Program step{"columns"};

  Columns(const Settings& settings, Axis axis, Index3 cells, const BoundarySet& boundary)
      : runtime(settings),
        grid(runtime, {.cells = cells, .boundary = boundary}),
        u(grid, "u"),
        next(grid, "next"),
        v(grid, "v", {Location::face_z}),
        w(grid, "w", {Location::face_z}),
        count(grid, "count"),
        rising(grid, "rising"),
        mask(grid, "mask") {
    u.fill([](Index3 p) { return static_cast<T>(pattern(p)); });
    w.fill([](Index3 p) { return static_cast<T>(pattern({p[2], p[0], p[1]}) - 0.5); });
    v.fill([](Index3 p) { return static_cast<T>(pattern({p[1], p[2], p[0]})); });
    count.fill([](Index3 p) { return static_cast<std::int32_t>(p[0] + p[1] * p[2]); });
    mask.fill([](Index3 p) { return (p[0] * p[1] + p[2]) % 5 != 1; });
    step.apply(test::Diffusion<T>{T(0.125)}, in(u), out(next));
    step.swap(u, next);
    step.columns(axis, Everything<T>{T(0.3)}, site, in(u), in(v), inout(w), inout(count),
                 out(rising), scratch<T, 2>);
    step.columns(axis, Weight{}, in(u), out(next), scratch<T>).where(mask);
    step.apply(test::Diffusion<T>{T(0.0625)}, in(next), out(u)).over({{1, 0, 2}, {60, 60, 8}});
  }
  Results run(Index steps) {
    StepClock clock;
    Engine(step).run(steps, clock);
    return {{"u", u.checksum()},
            {"w", w.checksum()},
            {"next", next.checksum()},
            {"rising", rising.checksum()},
            {"count", count.checksum()}};
  }
};

SettingsProduct several() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "6,7", ""}, {"34,33", "5,8", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  return product;
}

TEST(Columns, TridiagonalSystemsAreSolved) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {5, 3, 17}, .boundary = {periodic, mirror, mirror}});
  Field<double> a(grid, "a"), b(grid, "b"), c(grid, "c"), d(grid, "d"), x(grid, "x");
  a.fill([](Index3 p) { return -pattern(p); });
  b.fill([](Index3 p) { return 3 + pattern({p[2], p[1], p[0]}); });
  c.fill([](Index3 p) { return -pattern({p[1], p[0], p[2]}); });
  d.fill([](Index3 p) { return pattern(p) - 0.3; });
  Program step("solve");
  step.columns(Axis::z, Thomas{}, in(a), in(b), in(c), in(d), out(x), scratch<double, 2>);
  StepClock clock;
  Engine(step).run(1, clock);
  for (Index k = 0; k < 17; ++k) {
    for (const Index3 foot : {Index3{0, 0, 0}, Index3{3, 2, 0}}) {
      const Index3 at{foot[0], foot[1], k};
      const double below = k > 0 ? x.get({at[0], at[1], k - 1}) : 0;
      const double above = k < 16 ? x.get({at[0], at[1], k + 1}) : 0;
      EXPECT_NEAR(a.get(at) * below + b.get(at) * x.get(at) + c.get(at) * above, d.get(at), 1e-14);
    }
  }
}

TEST(Columns, SumsRunFromTheTop) {
  for (const Settings& settings : {test::plain_schedule(), test::plainest()}) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {3, 1, 4}, .boundary = mirror});
    Field<double> u(grid, "u"), above(grid, "above");
    u.fill([](Index3 p) { return static_cast<double>(1 + p[2] + 10 * p[0]); });
    Program step("weigh");
    step.columns(Axis::z, Weight{}, in(u), out(above), scratch<double>);
    StepClock clock;
    Engine(step).run(1, clock);
    EXPECT_EQ(above.get({0, 0, 3}), 4);
    EXPECT_EQ(above.get({0, 0, 0}), 4 + 3 + 2 + 1);
    EXPECT_EQ(above.get({2, 0, 1}), 24 + 23 + 22);
  }
}

template <class T, class Layout>
void expect_same_bits(Axis axis) {
  const auto run = [axis](const Settings& settings) {
    const BoundarySet boundary{axis == Axis::x ? mirror : periodic, wall_value(0.25),
                               constant(0.5)};
    return Columns<T, Layout>(settings, axis, {67, 13, 11}, boundary).run(3);
  };
  SettingsProduct product = several();
  if (axis != Axis::z) product.cuts = {{"", "", ""}, {"", "", "5,6"}};
  test::expect_same_bits(run, product.all());
}

TEST(Columns, AlongZ_HaveTheSameBits) { expect_same_bits<float, ijk>(Axis::z); }
TEST(Columns, AlongY_HaveTheSameBits) { expect_same_bits<double, ijk>(Axis::y); }
TEST(Columns, AlongXBesideRowsAlongZ_HaveTheSameBits) { expect_same_bits<float, kij>(Axis::x); }

TEST(Columns, TheirAxisStaysWholeWhoeverCutsTheGrid) {
  Settings settings = test::plain_schedule();
  settings.devices = {0, 1, 2, 3};
  settings.backend = Backend::emulated;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 8, 64}, .boundary = mirror});
  Field<double> u(grid, "u"), above(grid, "above");
  u.fill(1);  // cuts the grid before the program is known
  EXPECT_GT(domain_of(*grid.state()).decomposition().process_grid()[2], 1);
  Program step("weigh");
  step.columns(Axis::z, Weight{}, in(u), out(above), scratch<double>);
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(domain_of(*grid.state()).decomposition().process_grid()[2], 1);
  EXPECT_EQ(domain_of(*grid.state()).decomposition().patches(), 4);
  EXPECT_EQ(above.get({0, 0, 0}), 64);
}

TEST(Columns, WhatCannotBeSweptIsRefused) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {8, 8, 8}, .boundary = {mirror, periodic, mirror}});
  Field<double> u(grid, "u"), above(grid, "above");
  Program step("weigh");
  EXPECT_THAT(
      test::error_of([&] { step.columns(Axis::x, Weight{}, in(u), out(above), scratch<double>); }),
      HasSubstr("memory is contiguous along it"));
  EXPECT_THAT(
      test::error_of([&] { step.columns(Axis::y, Weight{}, in(u), out(above), scratch<double>); }),
      HasSubstr("the grid is periodic there"));
  const auto refused = [&](const auto& functor) {
    return test::error_of(
        [&] { step.columns(Axis::z, functor, in(u), out(above), scratch<double>); });
  };
  EXPECT_THAT(refused(Forgets{}), HasSubstr("does not assign every out"));
  EXPECT_THAT(refused(Twice{}), HasSubstr("assigns an output more than once"));
  EXPECT_THAT(refused(Empty{}), HasSubstr("reads scratch that holds nothing yet"));
  EXPECT_THAT(refused(Undecided{false}), testing::IsEmpty());
  EXPECT_THAT(refused(Undecided{true}), testing::IsEmpty());
  EXPECT_THAT(test::error_of([&] {
                step.columns(Axis::z, Unwritten{}, in(u), out(above), scratch<double, 2>);
              }),
              HasSubstr("reads scratch that holds nothing yet"));
}

TEST(Columns, ForcedCutsAlongThemAreRefused) {
  Settings settings = test::plain_schedule();
  settings.patches = {1, 1, 2};
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 8, 8}, .boundary = mirror});
  Field<double> u(grid, "u"), above(grid, "above");
  Program step("weigh");
  step.columns(Axis::z, Weight{}, in(u), out(above), scratch<double>);
  StepClock clock;
  EXPECT_THAT(test::error_of([&] { Engine(step).run(1, clock); }),
              HasSubstr("the grid cannot be cut along z"));
}

struct LooksBeyondTheTop {
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const {
    s = 0.5 * u() + 0.25 * u(0, -1, 0) + 0.125 * s.before();
  }
  GOBAN_FUNCTION void backward(auto u, auto next, auto s) const {
    next = 0.5 * s() + 0.25 * u(0, 0, 1);
  }
};

/// What lies beyond the ends of columns follows the cells at these ends, which are swept before.
TEST(Columns, GhostsBeyondTheirEndsAreThoseOfWholeColumns) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {17, 20, 3}, .boundary = {mirror, periodic, mirror}});
    Field<double> u(grid, "u"), next(grid, "next");
    for (auto* field : {&u, &next}) {
      for (const Side side : both_sides) {
        field->boundary(Axis::x, side, constant(0.25));
        field->boundary(Axis::z, side, wall_value(0.5));
      }
    }
    u.fill(pattern);
    Program step("columns");
    step.columns(Axis::z, LooksBeyondTheTop{}, in(u), out(next), scratch<double>);
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(4, clock);
    return Results{{"u", u.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"", "9,11", ""}, {"", "6,7,7", ""}};
  product.steps_per_exchange = {1};
  test::expect_same_bits(run, product.all());
}

}  // namespace
}  // namespace goban::columns_test
