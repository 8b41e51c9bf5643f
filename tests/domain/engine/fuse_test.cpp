// Functors fused into one stage: the same bits as stages one by one, whatever they hand on.

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/fused_functors.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::fuse_test {
namespace {

using test::Across;
using test::Along;
using test::Divergence;
using test::Flux;
using test::pattern;
using test::Results;
using test::SettingsProduct;

const Index3 cells{70, 13, 12};

SettingsProduct everything() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"31,39", "", ""}, {"", "6,7", "6,6"}, {"21,26,23", "7,6", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {1, 2, 3};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 3};
  product.recompute = {false, true};
  return product;
}
SettingsProduct essentials() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"31,39", "7,6", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.steps_per_exchange = {1, 2};
  product.overlaps = {Overlap::none, Overlap::two_kernel};
  product.temporal_blocking = {0, 2};
  return product;
}

/// How functors that follow each other are run.
enum class Way { one_by_one, fused, without_memory };

/// A field, or without memory an Intermediate.
template <Way way, class T, int C, class Layout>
using Handed =
    std::conditional_t<way == Way::without_memory, Intermediate<T, C>, Field<T, C, Layout>>;

/// Runs a program a few steps at a time; the checksums of a field after each.
template <class AnyField>
Results checksums(const Program& step, const AnyField& field, Results results = {}) {
  Engine engine(step);
  StepClock clock;
  for (const Index steps : {1, 2, 4}) {
    engine.run(steps, clock);
    results[field.name() + " " + std::to_string(clock.step)] = field.checksum();
  }
  return results;
}

using Run = Results (*)(const Settings&);
void expect_bits(Run one_by_one, std::initializer_list<Run> fused,
                 const SettingsProduct& settings) {
  const Results expected = one_by_one(test::plainest());
  for (Run run : fused) {
    EXPECT_EQ(run(test::plainest()), expected);
    test::expect_same_bits(run, settings.all());
  }
}

// ---- Elastic waves on a staggered grid: fields that later steps need, of several components

enum StressComponent { xx, yy, zz, yz, xz, xy };

/// v' = v + dt / rho div s
struct Velocity {
  float dt;
  GOBAN_FUNCTION void operator()(auto v, auto s, auto density, auto next) const {
    const auto r = dt / density();
    next[0] = v[0]() +
              r * (s[xx]() - s[xx](-1, 0, 0) + s[xy](0, 1, 0) - s[xy]() + s[xz](0, 0, 1) - s[xz]());
    next[1] = v[1]() +
              r * (s[xy](1, 0, 0) - s[xy]() + s[yy]() - s[yy](0, -1, 0) + s[yz](0, 0, 1) - s[yz]());
    next[2] = v[2]() +
              r * (s[xz](1, 0, 0) - s[xz]() + s[yz](0, 1, 0) - s[yz]() + s[zz]() - s[zz](0, 0, -1));
  }
};
/// s' = s + dt (lambda div v' + mu (grad v' + transposed))
struct Stress {
  float dt;
  GOBAN_FUNCTION void operator()(auto v, auto s, auto lambda, auto mu, auto next) const {
    const auto exx = v[0](1, 0, 0) - v[0](), eyy = v[1](0, 1, 0) - v[1]();
    const auto ezz = v[2](0, 0, 1) - v[2]();
    const auto pressure = lambda() * (exx + eyy + ezz);
    next[xx] = s[xx]() + dt * (pressure + 2.0f * mu() * exx);
    next[yy] = s[yy]() + dt * (pressure + 2.0f * mu() * eyy);
    next[zz] = s[zz]() + dt * (pressure + 2.0f * mu() * ezz);
    next[yz] = s[yz]() + dt * mu() * (v[1]() - v[1](0, 0, -1) + v[2]() - v[2](0, -1, 0));
    next[xz] = s[xz]() + dt * mu() * (v[0]() - v[0](0, 0, -1) + v[2]() - v[2](-1, 0, 0));
    next[xy] = s[xy]() + dt * mu() * (v[0]() - v[0](0, -1, 0) + v[1]() - v[1](-1, 0, 0));
  }
};

template <class Layout>
struct Waves {
  Waves(const Settings& settings, bool is_fused)
      : runtime(settings), grid(runtime, {.cells = cells, .boundary = periodic}) {
    v.fill([](Index3 at, int c) { return pattern({at[0] + c, at[1], at[2]}) - 0.5; });
    s.fill([](Index3 at, int c) { return pattern({at[0], at[1] + c, at[2]}) - 0.5; });
    density.fill([](Index3 at) { return 1 + 0.5 * pattern(at); });
    lambda.fill([](Index3 at) { return 1 + pattern(at); });
    mu.fill([](Index3 at) { return 2 - pattern(at); });
    if (is_fused) {
      step.fuse(
          [](auto v, auto s, auto density, auto lambda, auto mu, auto v_next, auto s_next) {
            return stages(stage(Velocity{0.1f}, in(v), in(s), in(density), out(v_next)),
                          stage(Stress{0.1f}, in(v_next), in(s), in(lambda), in(mu), out(s_next)));
          },
          v, s, density, lambda, mu, v_next, s_next);
    } else {
      step.apply(Velocity{0.1f}, in(v), in(s), in(density), out(v_next));
      step.apply(Stress{0.1f}, in(v_next), in(s), in(lambda), in(mu), out(s_next));
    }
    step.swap(v, v_next);
    step.swap(s, s_next);
  }

  Runtime runtime;
  Grid grid;
  Field<float, 3, Layout> v{grid, "v"}, v_next{grid, "v_next"};
  Field<float, 6, Layout> s{grid, "s"}, s_next{grid, "s_next"};
  Field<float, 1, Layout> density{grid, "density"}, lambda{grid, "lambda"}, mu{grid, "mu"};
  Program step{"waves"};
};

template <class Layout, bool is_fused>
Results waves(const Settings& settings) {
  Waves<Layout> waves(settings, is_fused);
  Results results = checksums(waves.step, waves.s);
  results["v"] = waves.v.checksum();
  return results;
}

TEST(Fuse, ElasticWaves_HaveTheBitsOfTwoStages) {
  expect_bits(waves<ijk, false>, {waves<ijk, true>}, everything());
}
TEST(Fuse, ElasticWavesAlongZ_HaveTheBitsOfTwoStages) {
  expect_bits(waves<kij, false>, {waves<kij, true>}, essentials());
}
TEST(Fuse, ElasticWaves_MoveSeventyPercentOfTheBytes) {
  Waves<ijk> one_by_one(test::plain_schedule(), false), fused(test::plain_schedule(), true);
  EXPECT_EQ(Engine(one_by_one.step).work_per_update().bytes, 120);
  EXPECT_EQ(Engine(fused.step).work_per_update().bytes, 84);
  const Stage& stage = *fused.step.stages().front();
  EXPECT_EQ(stage.name, "Velocity + Stress");
  EXPECT_EQ(stage.footprint.bytes_per_update(), 84);
}

// ---- Three functors, any type and place of what they hand on; numbers, places, chance

struct Disturb {
  GOBAN_FUNCTION void operator()(auto flux, auto site, auto strength, auto disturbed) const {
    const auto here = 1.0f + strength() * (site.template random<float>() +
                                           0.125f * site.template position<float>(Axis::x) -
                                           convert<float>(site.index(Axis::y) & 3));
    disturbed[0] = here * (flux[0]() + 0.25f * flux[0](0, 1, 0));
    disturbed[1] = here * (flux[1]() + 0.25f * flux[1].template shift<Axis::x>(-1)());
  }
};
template <class T, class Layout, Way way>
Results disturbed(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .spacing = 0.5, .boundary = {periodic, periodic, mirror}});
  Field<T, 1, Layout> u(grid, "u"), next(grid, "next");
  Handed<way, T, 2, Layout> flux(grid, "flux"), disturbed(grid, "disturbed", {Location::face_x});
  Parameter<float> strength("strength", 0.25f);
  u.fill(pattern);
  Program step("disturbed");
  if constexpr (way == Way::one_by_one) {
    step.apply(Flux{0.2f}, in(u), out(flux));
    step.apply(Disturb{}, in(flux), site, param(strength), out(disturbed));
    step.apply(Divergence{}, in(u), in(disturbed), out(next));
  } else {
    step.fuse(
        [](auto u, auto flux, auto disturbed, auto next, auto site, auto strength) {
          return stages(stage(Flux{0.2f}, in(u), out(flux)),
                        stage(Disturb{}, in(flux), site, strength, out(disturbed)),
                        stage(Divergence{}, in(u), in(disturbed), out(next)));
        },
        u, flux, disturbed, next, site, param(strength));
  }
  step.swap(u, next);
  step.compute([](auto& s) { s *= 0.5f; }, inout(strength));
  return checksums(step, u);
}

TEST(Fuse, ThreeFunctors_HaveTheBitsOfThreeStages) {
  expect_bits(disturbed<float, ijk, Way::one_by_one>,
              {disturbed<float, ijk, Way::fused>, disturbed<float, ijk, Way::without_memory>},
              everything());
}
TEST(Fuse, ThreeFunctorsAlongZ_HaveTheBitsOfThreeStages) {
  expect_bits(disturbed<double, kij, Way::one_by_one>, {disturbed<double, kij, Way::fused>},
              essentials());
}
TEST(Fuse, WhatIsStoredAsHalf_IsRoundedAsInMemory) {
  expect_bits(disturbed<half, ijk, Way::one_by_one>, {disturbed<half, ijk, Way::without_memory>},
              essentials());
}

// ---- Walls along the axes on which nothing is handed on to neighbours

template <Way way>
Results walled(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {periodic, constant(0.5), gradient(0.25)}});
  const FieldOptions edges{Location::edge_z};
  Field<float> u(grid, "u", edges), next(grid, "next", edges), total(grid, "total", edges);
  Handed<way, float, 1, ijk> flux(grid, "flux", edges);
  u.fill(pattern);
  Program step("walled");
  if constexpr (way == Way::one_by_one) {
    step.apply(Along{}, in(u), out(flux));
    step.apply(Across{}, in(u), in(flux), out(next), inout(total));
  } else {
    step.fuse(
        [](auto u, auto flux, auto next, auto total) {
          return stages(stage(Along{}, in(u), out(flux)),
                        stage(Across{}, in(u), in(flux), out(next), inout(total)));
        },
        u, flux, next, total);
  }
  step.swap(u, next);
  return checksums(step, total, checksums(step, u));
}

TEST(Fuse, WallsBesideWhatIsHandedOn_HaveTheBitsOfTwoStages) {
  expect_bits(walled<Way::one_by_one>, {walled<Way::fused>, walled<Way::without_memory>},
              everything());
}

// ---- Constants beyond walls on all sides

/// Reads in a cube around the cell: also in corners.
struct Spread {
  GOBAN_FUNCTION void operator()(auto u, auto w) const {
    w[0] = u() + 0.25f * u(-1, 1, 0) - 0.125f * u(0, 0, 1);
    w[1] = u(1, 0, 0) - 0.5f * u(0, 0, -1);
  }
};
struct Gather {
  GOBAN_FUNCTION void operator()(auto w, auto gathered) const {
    gathered = w[0](-1, -1, 0) + 0.5f * w[0](1, 0, 1) - 0.25f * w[1](0, 1, -1) + w[1](2, 0, 0);
  }
};
struct Blend {
  GOBAN_FUNCTION void operator()(auto u, auto gathered, auto next) const {
    next = 0.5f * u() + 0.125f * (gathered(1, 0, 0) + gathered(0, -1, 1) - gathered(0, 0, -1));
  }
};

template <class T, class Layout, Way way>
Results between_constants(const Settings& settings) {
  Runtime runtime(settings);
  BoundarySet walls(constant(0.3), periodic, constant(-0.7));
  walls.at(Axis::x, Side::high) = constant(1.1);
  Grid grid(runtime, {.cells = cells, .boundary = {mirror, periodic, gradient(0.5)}});
  Field<T, 1, Layout> u(grid, "u"), next(grid, "next");
  Handed<way, T, 2, Layout> w(grid, "w", {Location::face_x, &walls});
  Handed<way, T, 1, Layout> gathered(grid, "gathered", {Location::face_z, &walls});
  u.fill(pattern);
  Program step("between constants");
  if constexpr (way == Way::one_by_one) {
    step.apply(Spread{}, in(u), out(w));
    step.apply(Gather{}, in(w), out(gathered));
    step.apply(Blend{}, in(u), in(gathered), out(next));
  } else {
    step.fuse(
        [](auto u, auto w, auto gathered, auto next) {
          return stages(stage(Spread{}, in(u), out(w)), stage(Gather{}, in(w), out(gathered)),
                        stage(Blend{}, in(u), in(gathered), out(next)));
        },
        u, walled(w), walled(gathered), next);
  }
  step.swap(u, next);
  return checksums(step, u);
}

TEST(Fuse, ConstantsBeyondWalls_HaveTheBitsOfThreeStages) {
  // Three functors reach four cells a step.
  SettingsProduct wide = everything(), thin = everything();
  wide.cuts = {{"", "", ""}, {"31,39", "", ""}, {"21,26,23", "7,6", ""}};
  wide.steps_per_exchange = {1, 2};
  thin.cuts = {{"", "6,7", "6,6"}};
  thin.steps_per_exchange = {1};
  for (const SettingsProduct& settings : {wide, thin}) {
    expect_bits(between_constants<float, ijk, Way::one_by_one>,
                {between_constants<float, ijk, Way::fused>,
                 between_constants<float, ijk, Way::without_memory>},
                settings);
  }
}
TEST(Fuse, ConstantsBeyondWallsAlongZ_HaveTheBitsOfThreeStages) {
  expect_bits(between_constants<double, kij, Way::one_by_one>,
              {between_constants<double, kij, Way::fused>}, essentials());
}
TEST(Fuse, ConstantsStoredAsHalf_AreRoundedAsInMemory) {
  expect_bits(between_constants<half, ijk, Way::one_by_one>,
              {between_constants<half, ijk, Way::without_memory>}, essentials());
}

// ---- Functors that branch, on bytes

struct Neighbors {
  GOBAN_FUNCTION void operator()(auto u, auto count) const {
    auto n = u(1, 0, 0);
    if (u() == 1) n = n + u(0, 1, 0);
    count = n + u(-1, 0, 0);
  }
};
struct Survive {
  GOBAN_FUNCTION void operator()(auto count, auto next) const {
    next = select(count() + count(0, -1, 0) == 2, 1, 0);
  }
};

template <Way way>
Results branching(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = periodic});
  Field<std::uint8_t> u(grid, "u"), next(grid, "next");
  Handed<way, std::uint8_t, 1, ijk> count(grid, "count");
  u.fill([](Index3 at) { return pattern(at) > 0.5 ? 1 : 0; });
  Program step("branching");
  if constexpr (way == Way::one_by_one) {
    step.apply(Neighbors{}, in(u), out(count));
    step.apply(Survive{}, in(count), out(next));
  } else {
    step.fuse(
        [](auto u, auto count, auto next) {
          return stages(stage(Neighbors{}, in(u), out(count)),
                        stage(Survive{}, in(count), out(next)));
        },
        u, count, next);
  }
  step.swap(u, next);
  return checksums(step, u);
}

TEST(Fuse, BranchesOnBytes_HaveTheBitsOfTwoStages) {
  expect_bits(branching<Way::one_by_one>, {branching<Way::fused>, branching<Way::without_memory>},
              essentials());
}

// ---- Parts of the grid

template <Way way>
Results masked(const Settings& settings) {
  static_assert(way != Way::fused);
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  Field<std::uint8_t> mask(grid, "mask");
  Handed<way, float, 2, ijk> flux(grid, "flux");
  u.fill(pattern);
  next.fill(0.5);
  mask.fill([](Index3 at) { return pattern(at) > 0.25 ? 1 : 0; });
  Program step("masked");
  const Box region{{2, 3, 1}, {66, 11, 9}};
  if constexpr (way == Way::one_by_one) {
    step.apply(Flux{0.2f}, in(u), out(flux));
    step.apply(Divergence{}, in(u), in(flux), out(next)).over(region).where(mask);
  } else {
    step.fuse(
            [](auto u, auto flux, auto next) {
              return stages(stage(Flux{0.2f}, in(u), out(flux)),
                            stage(Divergence{}, in(u), in(flux), out(next)));
            },
            u, flux, next)
        .over(region)
        .where(mask);
  }
  step.swap(u, next);
  return checksums(step, u, checksums(step, next));
}

TEST(Fuse, PartsOfTheGrid_HaveTheBitsOfTwoStages) {
  expect_bits(masked<Way::one_by_one>, {masked<Way::without_memory>}, essentials());
}

}  // namespace
}  // namespace goban::fuse_test
