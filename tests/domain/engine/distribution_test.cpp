// Equal bits for every decomposition, thread count, layout, R, overlap, blocking and backend.

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::distribution_test {
namespace {

using test::pattern;
using test::Results;
using test::SettingsProduct;
using Diffuse = test::Diffusion<float>;

/// Reads all 26 neighbours, each with a weight of its own.
struct Blur {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto sum = 0.01f * u();
    unroll<27>([&](auto n) {
      sum += (0.001f * static_cast<float>(n + 1)) * u(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
    });
    next = sum;
  }
};

struct Accelerate {
  float r = 0.25f;
  GOBAN_FUNCTION void operator()(auto p, auto u, auto v, auto w) const {
    u += r * (p(-1, 0, 0) - p());
    v += r * (p(0, -1, 0) - p());
    w += r * (p(0, 0, -1) - p());
  }
};
struct Compress {
  float r = 0.25f;
  GOBAN_FUNCTION void operator()(auto u, auto v, auto w, auto p) const {
    p += r * (u() - u(1, 0, 0) + v() - v(0, 1, 0) + w() - w(0, 0, 1));
  }
};

struct Laplacian {
  GOBAN_FUNCTION void operator()(auto u, auto l) const {
    l = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) + u(0, 0, -1) - 6.0 * u();
  }
};
struct Bend {
  GOBAN_FUNCTION void operator()(auto u, auto l, auto next) const {
    next = u() - 0.01 * (l(1, 0, 0) + l(-1, 0, 0) + l(0, 1, 0) + l(0, -1, 0) + l(0, 0, 1) +
                         l(0, 0, -1) - 6.0 * l());
  }
};

struct Wave {
  GOBAN_FUNCTION void operator()(auto before, auto now, auto after) const {
    const auto laplacian = now(1, 0, 0) + now(-1, 0, 0) + now(0, 1, 0) + now(0, -1, 0) +
                           now(0, 0, 1) + now(0, 0, -1) - 6.0f * now();
    const auto damping = before(1, 0, 0) + before(-1, 0, 0) + before(0, 1, 0) + before(0, -1, 0) +
                         before(0, 0, 1) + before(0, 0, -1) - 6.0f * before();
    after = 1.9f * now() - 0.9f * before() + 0.1f * laplacian + 0.01f * damping;
  }
};

const Index3 cells{200, 13, 11};
const std::vector<std::array<std::string, 3>> all_cuts = {
    {"", "", ""}, {"97,103", "", ""}, {"", "6,7", "5,6"}, {"60,71,69", "8,5", ""}};

/// Everything the design promises, pruned where a setting has no effect.
SettingsProduct everything() {
  SettingsProduct product;
  product.cuts = all_cuts;
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {1, 2, 3, 4};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 2, 3, 4};
  product.recompute = {false, true};
  product.delay_seeds = {1, 2, 3};
  return product;
}

template <class Layout>
Results diffusion(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {wall_value(0.25), periodic, constant(0.5)}});
  Field<float, 1, Layout> u(grid, "u"), next(grid, "next");
  u.fill(pattern);
  Program step("diffusion");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(7, clock);
  return {{"u", u.checksum()}};
}

TEST(Distribution, DiffusionHasTheSameBits) {
  test::expect_same_bits(diffusion<ijk>, everything().all());
}
TEST(Distribution, DiffusionAlongZHasTheSameBits) {
  test::expect_same_bits(diffusion<kij>, everything().all());
}
TEST(Distribution, LayoutsHaveTheSameBits) {
  EXPECT_EQ(diffusion<ijk>(test::plainest()), diffusion<kij>(test::plainest()));
}

template <class Layout>
Results blur(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {mirror, wall_value(-0.5), gradient(0.125)}});
  Field<float, 1, Layout> u(grid, "u"), next(grid, "next");
  u.fill(pattern);
  Program step("blur");
  step.apply(Blur{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(5, clock);
  return {{"u", u.checksum()}};
}

TEST(Distribution, ReadersOfCornersHaveTheSameBits) {
  test::expect_same_bits(blur<ijk>, everything().all());
}
TEST(Distribution, ReadersOfCornersAlongZHaveTheSameBits) {
  test::expect_same_bits(blur<kij>, everything().all());
}

template <class Layout>
Results acoustics(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {mirror, mirror, periodic}});
  const BoundarySet still(wall_value(0.125), wall_value(0), periodic);
  Field<float, 1, Layout> p(grid, "p");
  Field<float, 1, Layout> u(grid, "u", {Location::face_x, &still});
  Field<float, 1, Layout> v(grid, "v", {Location::face_y, &still});
  Field<float, 1, Layout> w(grid, "w", {Location::face_z, &still});
  p.fill(pattern);
  u.fill(0);
  v.fill(0);
  w.fill(0);
  Program step("acoustics");
  step.apply(Accelerate{}, in(p), inout(u), inout(v), inout(w));
  step.apply(Compress{}, in(u), in(v), in(w), inout(p));
  StepClock clock;
  Engine(step).run(5, clock);
  return {{"p", p.checksum()}, {"u", u.checksum()}, {"v", v.checksum()}, {"w", w.checksum()}};
}

TEST(Distribution, StaggeredFieldsHaveTheSameBits) {
  SettingsProduct product = everything();
  product.steps_per_exchange = {1, 2};  // two layers a step, the smallest patch has five
  test::expect_same_bits(acoustics<ijk>, product.all());
}

template <class Layout>
Results bending(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {periodic, mirror, wall_value(1)}});
  Field<double, 1, Layout> u(grid, "u"), l(grid, "l"), next(grid, "next");
  u.fill(pattern);
  Program step("bending");
  step.apply(Laplacian{}, in(u), out(l));
  step.apply(Bend{}, in(u), in(l), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(5, clock);
  return {{"u", u.checksum()}};
}

TEST(Distribution, StagesThatReadStagesHaveTheSameBits) {
  SettingsProduct product = everything();
  product.steps_per_exchange = {1, 2};
  test::expect_same_bits(bending<ijk>, product.all());
}

template <class Layout>
Results waves(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {mirror, periodic, wall_value(0.5)}});
  Field<float, 1, Layout> a(grid, "a"), b(grid, "b"), c(grid, "c");
  a.fill(pattern);
  b.fill(pattern);
  Program step("waves");
  step.apply(Wave{}, in(a), in(b), out(c));
  step.rotate(a, b, c);
  StepClock clock;
  Engine(step).run(7, clock);
  return {{"a", a.checksum()}, {"b", b.checksum()}};
}

TEST(Distribution, ThreeTimeLevelsHaveTheSameBits) {
  test::expect_same_bits(waves<ijk>, everything().all());
}

}  // namespace
}  // namespace goban::distribution_test
