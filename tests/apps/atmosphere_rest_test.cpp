// What must not change: air at rest over steep ground, mass, a uniform wind, values between their
// neighbours.

#include "atmosphere/advection.hpp"
#include "atmosphere/pressure.hpp"
#include "atmosphere/stencils.hpp"
#include "tests/apps/atmosphere_run.hpp"
#include "tests/long.hpp"

namespace goban::atmosphere::atmosphere_rest_test {
namespace {

/// Stable air over a bell 1000 m high that is 2 km wide at half its height.
Model air_over_bell() {
  Model model;
  model.stability = 0.01;
  model.terrain = {.shape = Terrain::Shape::bell, .height = 1000, .half_width = 2000};
  return model;
}
const GridOptions over_bell = slice_of(32e3, 20e3, 500, 500);

template <class T>
double largest_w_at_rest(const Model& model, const GridOptions& grid, double seconds) {
  SmallAtmosphere<2, T> air(timed(model, grid, 3, seconds), grid);
  air.run_until(seconds);
  air.observe();
  return std::max(std::abs(air.step.largest_w.value()), std::abs(air.step.smallest_w.value()));
}

TEST(AtmosphereRest, AirThatIsTheBaseStateStaysAtRest) {
  EXPECT_LE(largest_w_at_rest<double>(air_over_bell(), over_bell, 600), 1e-10);
  EXPECT_LE(largest_w_at_rest<float>(air_over_bell(), over_bell, 600), 1e-10);
}

/// What is left is of second order in the distance of levels: 1.1e-2, 2.4e-3 and 7e-4 m/s with 500,
/// 250 and 125 m.
TEST(AtmosphereRest, WarmerAirThanTheBaseStateHardlyMoves) {
  Model model = air_over_bell();
  model.warmer = 5;
  const GridOptions grid = slice_of(32e3, 20e3, 500, 125);
  const double w = largest_w_at_rest<double>(model, grid, test::in_short_or_long(120, 600));
  EXPECT_LE(w, 1e-3);
  EXPECT_GT(w, 0);  // it is not the base state
}

TEST(AtmosphereRest, MassStaysTheSameToRoundOff) {
  Model model = air_over_bell();
  model.wind = {10, 3};
  model.rotation = 1e-4;
  model.diffusivity = 20;
  model.sponge_depth = 5000;
  model.bubbles = {{.amplitude = 3, .center = {0, 0, 4000}, .radius = {3000, 0, 2000}}};
  SmallAtmosphere<2, double> air(timed(model, over_bell, 3, 300), over_bell);
  air.observe();
  const double before = air.step.added_mass.value();
  air.run_until(300);
  air.observe();
  EXPECT_GT(air.step.largest_w.value(), 1);
  const double change = air.step.added_mass.value() - before;
  EXPECT_LE(std::abs(change), 1e-13 * air.step.base_mass.value());
}

TEST(AtmosphereRest, AWindOverFlatGroundStaysUniform) {
  Model model;
  model.stability = 0.01;
  model.wind = {20, -7};
  model.rotation = 1e-4;
  const GridOptions grid{.cells = {16, 8, 12}, .spacing = {1000, 1000, 500}};
  SmallAtmosphere<3, double> air(timed(model, grid, 4, 200), grid);
  air.run_until(200);
  air.observe();
  const Real3 wind{20, -7, 0};
  for (int c = 0; c < 3; ++c) {
    const auto a = static_cast<std::size_t>(c);
    EXPECT_NEAR(air.step.velocity.maximum(c), wind[a], 1e-10);
    EXPECT_NEAR(air.step.velocity.minimum(c), wind[a], 1e-10);
  }
  EXPECT_NEAR(air.step.largest_theta.value(), 0, 1e-10);
}

/// U = G along x and y, as of air of density 1 with a velocity of 1 m/s along both.
template <Axis A>
struct UniformMomentum {
  GOBAN_FUNCTION void operator()(auto stretch, auto U) const {
    U = average<A, Onto::face>(stretch);
  }
};
struct ThroughLevels {
  GOBAN_FUNCTION void operator()(auto U, auto V, auto sx, auto sy, auto gx, auto gy, auto O) const {
    O = -mass_along_levels<3>(U, sx, gx, V, sy, gy);
  }
};
struct Gain {
  std::array<double, 3> per_h;
  GOBAN_FUNCTION void operator()(auto U, auto V, auto O, auto gain) const {
    const auto fluxes = std::tie(U, V, O);
    gain = sum_over_axes<3>([&](auto b) {
      constexpr Axis B = all_axes[b];
      const auto& flux = along<B>(fluxes);
      return per_h[static_cast<std::size_t>(b)] * (flux() - flux.shift(B, 1)());
    });
  }
};

TEST(AtmosphereRest, AUniformWindBringsEachCellOverTerrainWhatItTakes) {
  Model model;
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 800,
                   .half_width = 1500,
                   .width_y = 1200,
                   .center_x = 4000,
                   .center_y = 3000};
  model.terrain_decay = 3000;
  Runtime runtime(one_thread());
  Grid grid(runtime, {.cells = {16, 12, 10},
                      .spacing = {500, 500, 800},
                      .boundary = BoundarySet(periodic, periodic, mirror)});
  const Levels levels(model, *grid.state());
  const BoundarySet lid(periodic, periodic, constant(0));
  Field<double> stretch(grid, "stretch"), gain(grid, "gain"), U(grid, "U", {Location::face_x}),
      V(grid, "V", {Location::face_y}), gx(grid, "gx", {Location::face_x}),
      gy(grid, "gy", {Location::face_y}), sx(grid, "sx", {Location::face_x, &lid}),
      sy(grid, "sy", {Location::face_y, &lid}), O(grid, "O", {Location::cell, &lid});
  stretch.fill([&](Index3 at) { return levels.stretch(at); });
  sx.fill([&](Index3 at) { return levels.slope(0, at); });
  sy.fill([&](Index3 at) { return levels.slope(1, at); });
  const auto mean = [&](Index3 at, std::size_t axis) {
    Index3 before = at;
    --before[axis];
    return 2 / (levels.stretch(at) + levels.stretch(before));
  };
  gx.fill([&](Index3 at) { return mean(at, 0); });
  gy.fill([&](Index3 at) { return mean(at, 1); });
  Program program("wind");
  program.apply(UniformMomentum<Axis::x>{}, in(stretch), out(U));
  program.apply(UniformMomentum<Axis::y>{}, in(stretch), out(V));
  program.apply(ThroughLevels{}, in(U), in(V), in(sx), in(sy), in(gx), in(gy), out(O));
  program.apply(Gain{{1 / 500.0, 1 / 500.0, 1 / 800.0}}, in(U), in(V), in(O), out(gain));
  StepClock clock;
  Engine(program).run(1, clock);
  double largest = 0;
  for (const double value : gain.copy_out()) largest = std::max(largest, std::abs(value));
  EXPECT_GT(sx.maximum(), 0.2);
  EXPECT_LE(largest, 1e-15);  // 1/s
}

/// One explicit step of dq/dt + c dq/dx = 0 with the face values of the core.
struct Carry {
  double courant;
  GOBAN_FUNCTION void operator()(auto q, auto flux, auto next) const {
    const auto through = [&](int n) {
      const auto f = flux.shift(Axis::x, n)();
      return f * face_value<Axis::x, Limit::koren>(q.shift(Axis::x, n), f);
    };
    next = q() + courant * (through(0) - through(1));
  }
};

TEST(AtmosphereRest, KorensValuesCarryATopHatWithoutOverAndUndershoot) {
  for (const double wind : {1.0, -1.0}) {
    Runtime runtime(one_thread());
    Grid grid(runtime, {.cells = {100, 1, 1}, .boundary = periodic});
    Field<double> q(grid, "q"), next(grid, "next"), flux(grid, "flux", {Location::face_x});
    q.fill([](Index3 at) { return at[0] >= 20 && at[0] < 40 ? 1.0 : 0.0; });
    flux.fill(wind);
    Program program("carry");
    program.apply(Carry{0.4}, in(q), in(flux), out(next));
    program.swap(q, next);
    StepClock clock;
    Engine(program).run(250, clock);  // once around
    EXPECT_LE(q.maximum(), 1 + 1e-14);
    EXPECT_GE(q.minimum(), -1e-14);
    EXPECT_NEAR(q.sum(), 20, 1e-12);
    EXPECT_GT(q.get({30, 0, 0}), 0.95);
    EXPECT_LT(q.get({80, 0, 0}), 0.05);
  }
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_rest_test
