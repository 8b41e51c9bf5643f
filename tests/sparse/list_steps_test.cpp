// Steps on active cells: what the reference makes of them in the box, on CPUs with kernels and
// without, and on devices.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/sparse/lattice.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_steps_test {
namespace {

constexpr Index3 box{23, 17, 20};

/// Reads at all kinds of offsets, two fields, a mask's worth of cells and where it is.
struct Mixed {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto k, auto site, auto next, auto flux) const {
    const auto x = site.template position<float>(Axis::x);
    next = u() +
           r * (k(1, 0, 0) * u(1, 0, 0) - k(-1, 0, 0) * u(-1, 0, 0) + u(0, 2, -1) - u(1, -1, 1)) +
           0.001f * x;
    flux[0] = u(0, 0, 1) - u();
    flux[1] = select(site.index(Axis::z) < 9, u(0, -1, 0), k(0, 0, -1));
  }
};

test::Results mixed(Runtime& runtime) {
  Grid grid(runtime, {.cells = box,
                      .spacing = 0.5,
                      .boundary = {periodic, mirror, constant(2)},
                      .active = test::is_pore});
  Field<float> u(grid, "u"), next(grid, "next");
  Field<double> k(grid, "k");
  Field<half, 2> flux(grid, "flux");
  for (auto* field : {&u, &next}) {
    field->boundary(Axis::y, Side::high, wall_value(0.25)).inactive(gradient(0.125));
  }
  k.inactive(constant(0));
  u.fill(test::pattern);
  k.fill([](Position p) { return 0.1 + 0.01 * p.x; });
  Parameter<double> total("total"), most("most");
  Program step("step");
  step.apply(Mixed{0.125f}, in(u), in(k), site, out(next), out(flux));
  step.swap(u, next);
  step.apply([](auto flux, auto u) { u = u() + 0.01f * flux[1](0, 1, 0); }, in(flux), inout(u))
      .over({{2, 3, 0}, {19, 15, 20}});
  step.reduce([](auto u) { return u(1, 0, 0) - u(); }, in(u), sum, into(total));
  step.reduce([](auto f) { return f[0](); }, in(flux), maximum, into(most));
  Engine engine(step);
  StepClock clock;
  engine.run(5, clock);
  return {{"u", u.checksum()},
          {"flux", flux.checksum()},
          {"total", test::bits(total.value())},
          {"most", test::bits(most.value())}};
}

/// The reference knows of no list; everything else must agree with it.
void expect_same_everywhere(test::Results (*experiment)(Runtime&)) {
  const auto with = [&](const Settings& settings) {
    Runtime runtime(settings);
    return experiment(runtime);
  };
  Settings settings;
  settings.threads = 2;
  settings.backend = Backend::reference;
  const test::Results expected = with(settings);
  settings.backend = Backend::cpu;
  for (const KernelMode kernels : {KernelMode::evaluate, KernelMode::wait}) {
    settings.kernels = kernels;
    for (const Index patches : {1, 2, 5}) {
      settings.patches = {patches, 1, 1};
      for (const Overlap overlap : {Overlap::none, Overlap::one_kernel}) {
        settings.overlap = overlap;
        EXPECT_EQ(with(settings), expected) << patches << name_of(overlap);
        if (patches > 1) {
          Settings ranks = settings;
          ranks.patches = {};
          for (const auto& found : test::results_of_ranks(static_cast<int>(patches), with, ranks)) {
            EXPECT_EQ(found, expected) << patches << " ranks " << name_of(overlap);
          }
        }
      }
    }
  }
  std::vector<Backend> devices{Backend::emulated};
  if (test::has_gpu()) devices.push_back(Backend::cuda);
  for (const Backend backend : devices) {
    settings.backend = backend;
    if (backend == Backend::cuda) settings.devices = {0};
    for (const Index patches : {1, 3}) {
      settings.patches = {patches, 1, 1};
      for (const Overlap overlap : {Overlap::none, Overlap::one_kernel}) {
        settings.overlap = overlap;
        EXPECT_EQ(with(settings), expected)
            << patches << " patches, " << name_of(backend) << ", " << name_of(overlap);
      }
    }
  }
}

TEST(ListSteps, MixedMatchesReference) { expect_same_everywhere(mixed); }

test::Results lattice(Runtime& runtime) {
  Grid grid(
      runtime,
      {.cells = box, .boundary = {periodic, bounce_back, bounce_back}, .active = test::is_pore});
  Field<float, 19> f(grid, "f"), next(grid, "next");
  for (auto* field : {&f, &next}) field->inactive(bounce_back);
  f.fill([](Index3 i, int q) { return test::D3Q19::weight(q) * (1 + 0.01 * test::pattern(i)); });
  Program step("step");
  step.apply(test::StreamCollide{1.6f}, in(f), out(next));
  step.swap(f, next);
  Parameter<double> mass("mass");
  step.reduce(
      [](auto f) {
        auto sum = f[0]();
        for (int q = 1; q < 19; ++q) sum = sum + f[q]();
        return sum;
      },
      in(f), sum, into(mass));
  Engine engine(step);
  StepClock clock;
  engine.run(6, clock);
  return {{"f", f.checksum()}, {"mass", test::bits(mass.value())}};
}

TEST(ListSteps, LatticeBoltzmannMatchesReference) { expect_same_everywhere(lattice); }

}  // namespace
}  // namespace goban::list_steps_test
