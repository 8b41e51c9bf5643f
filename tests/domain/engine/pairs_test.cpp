// Passes that renew several fields at once.

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::pairs_test {
namespace {

using test::pattern;
using test::Results;
using test::SettingsProduct;

/// Both are read of neighbours, beside a third that stays.
struct React {
  GOBAN_FUNCTION void operator()(auto u, auto rate, auto v, auto u_next, auto v_next) const {
    const auto meet = rate() * u() * v();
    u_next = 0.5f * u() + 0.08f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, 0, -1)) - meet;
    v_next = 0.5f * v() + 0.06f * (v(0, -1, 0) + v(0, 0, 1) + v(-1, 0, 0)) + meet;
  }
};
/// The second is what the first was a step ago.
struct Wave {
  GOBAN_FUNCTION void operator()(auto now, auto before, auto next, auto kept) const {
    const auto around =
        now(1, 0, 0) + now(-1, 0, 0) + now(0, 1, 0) + now(0, -1, 0) + now(0, 0, 1) + now(0, 0, -1);
    next = 2 * now() - before() + 0.125f * (around - 6 * now());
    kept = now();
  }
};
/// Three that drive each other in a circle.
struct Circle {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c, auto a_next, auto b_next,
                                 auto c_next) const {
    a_next = 0.5f * a() + 0.25f * (b(1, 0, 0) - c(0, 1, 0));
    b_next = 0.5f * b() + 0.25f * (c(0, 0, 1) - a(-1, 0, 0));
    c_next = 0.5f * c() + 0.25f * (a(0, -1, 0) - b(0, 0, -1));
  }
};

/// GPUs in passes, too.
std::vector<Settings> everything() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"31,39", "", ""}, {"", "26,27", "15,16"}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {2, 4};
  product.temporal_blocking = {0, 2};
  std::vector<Settings> all = product.all();
  for (std::size_t n = 0, sweeps = all.size(); n < sweeps; ++n) {
    if (all[n].backend != Backend::cuda) continue;
    all.push_back(all[n]);
    all.back().temporal_blocking = 2;
  }
  return all;
}

constexpr Index3 cells{70, 53, 31};

void expect_passes(const Engine& engine, const Settings& settings) {
  if (settings.temporal_blocking != 2 || settings.backend == Backend::emulated) return;
  if (is_mixed(settings)) return;  // nothing runs in passes where the CPU joins devices
  EXPECT_EQ(engine.steps_per_pass(), 2) << engine.pass_refusal();
}

template <class T, class Layout>
Results react(const Settings& settings, const BoundarySet& of_u, const BoundarySet& of_v) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = of_u});
  Field<T, 1, Layout> u(grid, "u"), u_next(u, "u_next"), rate(grid, "rate");
  Field<T, 1, Layout> v(grid, "v", {.boundary = &of_v}), v_next(v, "v_next");
  u.fill(pattern);
  v.fill([](Index3 at) { return pattern({at[0], at[2], at[1]}); });
  rate.fill([](Index3 at) { return 0.001 * pattern({at[1], at[0], at[2]}); });
  Program step("react");
  step.apply(React{}, in(u), in(rate), in(v), out(u_next), out(v_next));
  step.swap(v, v_next);
  step.swap(u, u_next);
  Engine engine(step);
  StepClock clock;
  engine.run(9, clock);
  expect_passes(engine, settings);
  return {{"u", u.checksum()}, {"v", v.checksum()}};
}

template <class T, class Layout = ijk>
void expect_same_reaction(const BoundarySet& of_u, const BoundarySet& of_v) {
  test::expect_same_bits([&](const Settings& s) { return react<T, Layout>(s, of_u, of_v); },
                         everything());
}

TEST(Pairs, PeriodicFieldsHaveTheBitsOfSweeps) { expect_same_reaction<float>(periodic, periodic); }
TEST(Pairs, ConstantsBeyondTheEndsAreThoseOfEachField) {
  expect_same_reaction<float>(constant(0.5), constant(-0.25));
  expect_same_reaction<double>({periodic, constant(0.5), constant(1)},
                               {periodic, constant(2), constant(0.125)});
}
TEST(Pairs, FieldsAlongZHaveTheBitsOfSweeps) {
  expect_same_reaction<float, kij>(constant(0.5), constant(0.5));
}

TEST(Pairs, OneOfBothMayBeReadOfNoNeighbours) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = {constant(0), periodic, constant(0)}});
    Field<float> now(grid, "now"), before(grid, "before"), next(now, "next"), kept(before, "kept");
    now.fill(pattern);
    before.fill(pattern);
    Program step("wave");
    step.apply(Wave{}, in(now), in(before), out(next), out(kept));
    step.swap(now, next);
    step.swap(before, kept);
    Engine engine(step);
    StepClock clock;
    engine.run(10, clock);
    expect_passes(engine, settings);
    return Results{{"now", now.checksum()}, {"before", before.checksum()}};
  };
  test::expect_same_bits(run, everything());
}

TEST(Pairs, ThreeFieldsHaveTheBitsOfSweeps) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = {constant(0.5), constant(0), periodic}});
    Field<float> a(grid, "a"), b(grid, "b"), c(grid, "c");
    Field<float> a_next(a, "a_next"), b_next(b, "b_next"), c_next(c, "c_next");
    a.fill(pattern);
    b.fill([](Index3 at) { return pattern({at[2], at[0], at[1]}); });
    c.fill([](Index3 at) { return pattern({at[1], at[2], at[0]}); });
    Program step("circle");
    step.apply(Circle{}, in(a), in(b), in(c), out(a_next), out(b_next), out(c_next));
    step.swap(a, a_next);
    step.swap(b, b_next);
    step.swap(c, c_next);
    Engine engine(step);
    StepClock clock;
    engine.run(8, clock);
    expect_passes(engine, settings);
    return Results{{"a", a.checksum()}, {"b", b.checksum()}, {"c", c.checksum()}};
  };
  test::expect_same_bits(run, everything());
}

/// What takes whose place is not what kernels were made for.
TEST(Pairs, ThatChangePlacesCrosswiseHaveTheBitsOfSweeps) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<float> u(grid, "u"), v(grid, "v"), u_next(u, "u_next"), v_next(v, "v_next");
    Field<float> rate(grid, "rate");
    u.fill(pattern);
    v.fill([](Index3 at) { return pattern({at[0], at[2], at[1]}); });
    rate.fill(0.001f);
    Program step("react");
    step.apply(React{}, in(u), in(rate), in(v), out(u_next), out(v_next));
    step.swap(u, v_next);
    step.swap(v, u_next);
    Engine engine(step);
    StepClock clock;
    engine.run(9, clock);
    if (settings.backend == Backend::cuda && settings.temporal_blocking == 2 &&
        !is_mixed(settings)) {
      EXPECT_EQ(engine.pass_refusal(),
                "on GPUs a pass renews the fields that neighbours are read of and no others");
    }
    return Results{{"u", u.checksum()}, {"v", v.checksum()}};
  };
  test::expect_same_bits(run, everything());
}

}  // namespace
}  // namespace goban::pairs_test
