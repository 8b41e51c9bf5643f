// The interface of a pure metal: its profile, its energy, its speed, and how both depend on the
// direction.

#include <algorithm>

#include "dendrite/differences.hpp"
#include "tests/apps/dendrite_run.hpp"

namespace goban::dendrite::dendrite_interface_test {
namespace {

constexpr double h = 1e-8;  // m

/// u = p.x + x.H.x / 2, of which all differences are exact.
struct Parabola {
  Real3 slope;
  std::array<Real3, 3> curvature;
  double operator()(Position p) const {
    const Real3 x = {p.x, p.y, p.z};
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value += slope[i] * x[i];
      for (std::size_t j = 0; j < 3; ++j) value += 0.5 * curvature[i][j] * x[i] * x[j];
    }
    return value;
  }
};

template <int Dims>
struct Smooth {
  double anisotropy;
  GOBAN_FUNCTION void operator()(auto u, auto result, auto laplacian) const {
    const auto d = derivatives<Dims>(u);
    result = smoothed(d, surface_of(d, anisotropy)) / 12;
    laplacian = isotropic_laplacian<Dims>(u) / 6;
  }
};

/// a^2 |p|^2 / 2 with a of the anisotropy as published.
template <int Dims>
double energy(Real3 p, double epsilon) {
  double square = 0, fourth = 0;
  for (int i = 0; i < Dims; ++i) {
    const double s = p[static_cast<std::size_t>(i)] * p[static_cast<std::size_t>(i)];
    square += s;
    fourth += s * s;
  }
  const double a =
      (1 - 3 * epsilon) * (1 + 4 * epsilon / (1 - 3 * epsilon) * fourth / (square * square));
  return a * a * square / 2;
}

/// Second derivatives of the energy by differences, contracted with the curvature.
template <int Dims>
double expected(const Parabola& u, double epsilon) {
  constexpr double step = 1e-4;
  double sum = 0;
  for (std::size_t i = 0; i < Dims; ++i) {
    for (std::size_t j = 0; j < Dims; ++j) {
      const auto at = [&](double s, double t) {
        Real3 p = u.slope;
        p[i] += s * step;
        p[j] += t * step;
        return energy<Dims>(p, epsilon);
      };
      const double second = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step * step);
      sum += second * u.curvature[i][j];
    }
  }
  return sum;
}

template <int Dims>
void expect_derivatives_of_the_energy(const Parabola& u) {
  constexpr double epsilon = 0.06;
  Runtime runtime;
  // The middle of the middle cell is the origin.
  Grid grid(runtime, {.cells = {3, 3, Dims == 2 ? 1 : 3},
                      .origin = {-1.5, -1.5, Dims == 2 ? -0.5 : -1.5},
                      .boundary = mirror});
  Field<double> field(grid, "u"), result(grid, "result"), laplacian(grid, "laplacian");
  field.fill(u);
  Program program("smooth");
  program.apply(Smooth<Dims>{epsilon}, in(field), out(result), out(laplacian));
  StepClock clock;
  Engine(program).run(1, clock);
  const Index3 middle = {1, 1, Dims == 2 ? 0 : 1};
  EXPECT_NEAR(result.get(middle), expected<Dims>(u, epsilon), 1e-6);
  double trace = 0;
  for (std::size_t i = 0; i < Dims; ++i) trace += u.curvature[i][i];
  EXPECT_NEAR(laplacian.get(middle), trace, 1e-12);
}

TEST(DendriteInterface, SmoothingIsTheDerivativeOfTheSurfaceEnergy) {
  const std::array<Real3, 3> plane = {Real3{0.7, 0.2, 0}, Real3{0.2, -0.4, 0}, Real3{}};
  for (const Real3 slope : {Real3{1, 0, 0}, Real3{0.3, -0.8, 0}, Real3{0.5, 0.5, 0}}) {
    expect_derivatives_of_the_energy<2>({slope, plane});
  }
  const std::array<Real3, 3> space = {Real3{0.7, 0.2, -0.5}, Real3{0.2, -0.4, 0.3},
                                      Real3{-0.5, 0.3, 0.6}};
  for (const Real3 slope : {Real3{0, 0, 1}, Real3{0.3, -0.8, 0.4}, Real3{0.5, 0.5, -0.5}}) {
    expect_derivatives_of_the_energy<3>({slope, space});
  }
}

TEST(DendriteInterface, AtRest_HasTheProfileAndTheEnergyOfTheTheory) {
  Model model = alloy_model(h, 0);
  model.alloy.anisotropy = 0;
  model.nuclei = {layer(32.3 * h)};
  SmallGrowth<double> growth(model, {1, 64, 1}, h);
  growth.run(4000);
  growth.sum_up();
  EXPECT_NEAR(growth.step.energy.value() * h / model.alloy.interface_energy, 1, 0.02);
  const std::vector<double> phase = growth.step.phase.copy_out();
  const double place = growth.step.tip.value();
  const double scale =
      std::sqrt(2 * model.alloy.barrier()) / 2 / model.alloy.gradient_coefficient();
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < phase.size(); ++i) {
    const double exact = (1 - std::tanh(scale * ((static_cast<double>(i) + 0.5) * h - place))) / 2;
    error += (phase[i] - exact) * (phase[i] - exact);
    norm += exact * exact;
  }
  EXPECT_LE(std::sqrt(error / norm), 0.01);
}

TEST(DendriteInterface, OfAPureMetal_MovesWithItsKineticCoefficientTimesTheUndercooling) {
  for (const double undercooling : {2.0, 8.0}) {
    Model model = alloy_model(h, 0);
    model.alloy.undercooling = undercooling;
    model.nuclei = {layer(12.3 * h)};
    SmallGrowth<double> growth(model, {1, 96, 1}, h);
    const double speed = model.alloy.kinetic_coefficient * undercooling;
    const auto steps = static_cast<Index>(10 * h / speed / growth.dt);
    growth.run(steps);
    EXPECT_NEAR(growth.speed_over(4 * steps) / speed, 1, 0.05) << undercooling;
  }
}

/// Second derivatives of the cell's row alone let checkers grow here.
TEST(DendriteInterface, StronglyAnisotropicAndFlat_ForgetsCheckers) {
  Model model = alloy_model(h, 0);
  model.alloy.anisotropy = 0.06;
  model.nuclei = {layer(10.2 * h)};
  const Index3 cells = {12, 14, 20};
  SmallGrowth<double> growth(model, cells, h);
  growth.step.phase.fill([&](Index3 i) {
    const Position middle = {0, 0, (static_cast<double>(i[2]) + 0.5) * h};
    const double phi = model.phase_at(middle, cells);
    return phi + ((i[0] + i[1]) % 2 == 0 ? 0.01 : -0.01) * phi * (1 - phi);
  });
  const auto unevenness = [&] {
    const Box layer_of_cells{{0, 0, 10}, {cells[0], cells[1], 11}};
    const std::vector<double> phase = growth.step.phase.copy_out(layer_of_cells);
    const auto [low, high] = std::minmax_element(phase.begin(), phase.end());
    return *high - *low;
  };
  const double before = unevenness();
  growth.run(1000);
  EXPECT_GT(before, 4e-3);
  EXPECT_LT(unevenness(), before / 100);
}

/// Solid of radius r is in equilibrium at an undercooling of (d - 1) gamma / (dS r).
TEST(DendriteInterface, Curved_GrowsBeyondTheCriticalRadiusAndMeltsBelow) {
  for (const int dimensions : {2, 3}) {
    for (const bool is_larger : {true, false}) {
      Model model = alloy_model(h, 0);
      model.alloy.anisotropy = 0;
      const double critical = 10 * h;
      model.alloy.undercooling =
          (dimensions - 1) * model.alloy.interface_energy / (model.alloy.entropy * critical);
      model.nuclei = {{.radius = (is_larger ? 1.1 : 0.9) * critical}};
      SmallGrowth<double> growth(model, {20, 20, dimensions == 2 ? 1 : 20}, h);
      growth.run(60);
      growth.sum_up();
      const double before = growth.step.solid.value();
      growth.run(60);
      growth.sum_up();
      EXPECT_EQ(growth.step.solid.value() > before, is_larger) << dimensions;
    }
  }
}

}  // namespace
}  // namespace goban::dendrite::dendrite_interface_test
