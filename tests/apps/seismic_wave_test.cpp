// Plane waves: the scheme's own dispersion, its order, the energy it keeps.

#include "tests/apps/seismic_run.hpp"

namespace goban::seismic::seismic_wave_test {
namespace {

constexpr double pi = std::numbers::pi;

/// Phase that a velocity has moved by, in radians, modulo 2 pi: of the mode the wave began with.
template <int Dimensions, class T>
double phase_of(const SmallWaves<Dimensions, T>& waves, std::size_t component, Index3 cells,
                Index3 periods) {
  const auto& field = waves.step.velocity[component];
  const auto values = field.copy_out();
  const GridState& grid = *field.grid();
  double sine = 0, cosine = 0;
  std::size_t n = 0;
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i) {
        const Position at = grid.position({i, j, k}, field.record()->location);
        const Real3 p = {at.x, at.y, at.z};
        double angle = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          angle += 2 * pi * static_cast<double>(periods[a]) * p[a] /
                   (static_cast<double>(cells[a]) * grid.spacing[a]);
        }
        sine += std::sin(angle) * static_cast<double>(values[n]);
        cosine += std::cos(angle) * static_cast<double>(values[n]);
        ++n;
      }
    }
  }
  return std::atan2(-cosine, sine);
}

struct WaveCase {
  const char* name;
  PlaneWave::Kind kind;
  Index3 waves;
  std::size_t component;
  int order;
};

Model periodic_model(const WaveCase& wave, int dimensions) {
  Model model;
  model.dimensions = dimensions;
  model.order = wave.order;
  model.medium = uniform({1.8, 1, 2.5});
  model.start = PlaneWave{
      .kind = wave.kind, .waves = wave.waves, .direction = {0.3, dimensions == 3 ? 0.2 : 0, 1}};
  return model;
}

/// After 10 periods of the continuous wave.
template <int Dimensions>
void expect_dispersion_of_the_formula(const WaveCase& wave, Index3 cells) {
  const Model model = periodic_model(wave, Dimensions);
  const Real3 h = {1, 1, 1.25};
  const double dt = 0.7 * largest_stable_step(1.8, model, h);
  SmallWaves<Dimensions, double> waves(model, {.cells = cells, .spacing = h}, dt);
  const double c = wave.kind == PlaneWave::Kind::p ? 1.8 : 1;
  Real3 k{};
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    k[a] = 2 * pi * static_cast<double>(wave.waves[a]) / (static_cast<double>(cells[a]) * h[a]);
    square += k[a] * k[a];
  }
  const double period = 2 * pi / (c * std::sqrt(square));
  waves.run(static_cast<Index>(std::round(10 * period / dt)));
  const double exact = c * std::sqrt(square) * waves.time();
  const double formula = discrete_frequency(c, k, h, dt, wave.order) * waves.time();
  const double found = phase_of(waves, wave.component, cells, wave.waves);
  const double beyond = std::remainder(found - exact, 2 * pi);
  EXPECT_GT(std::abs(formula - exact), 1e-3) << wave.name;  // there is dispersion to be seen
  EXPECT_NEAR(beyond, formula - exact, 0.01 * std::abs(formula - exact)) << wave.name;
  EXPECT_NEAR(beyond, formula - exact, 1e-8) << wave.name;
}

TEST(SeismicWave, Dispersion_IsThatOfTheFormula) {
  using Kind = PlaneWave::Kind;
  const std::vector<WaveCase> cases = {{"P along x, order 2", Kind::p, {2, 0, 0}, 0, 2},
                                       {"P askew, order 4", Kind::p, {1, 2, 2}, 2, 4},
                                       {"S askew, order 4", Kind::s, {2, 1, 1}, 2, 4},
                                       {"S along y, order 8", Kind::s, {0, 2, 0}, 0, 8}};
  for (const WaveCase& wave : cases) expect_dispersion_of_the_formula<3>(wave, {16, 12, 10});
}

TEST(SeismicWave, DispersionInThePlane_IsThatOfTheFormula) {
  using Kind = PlaneWave::Kind;
  const std::vector<WaveCase> cases = {{"P, order 4", Kind::p, {2, 0, 1}, 0, 4},
                                       {"S, order 4", Kind::s, {2, 0, 1}, 1, 4},
                                       {"P, order 2", Kind::p, {2, 0, 1}, 0, 2},
                                       {"S, order 8", Kind::s, {2, 0, 2}, 1, 8}};
  for (const WaveCase& wave : cases) expect_dispersion_of_the_formula<2>(wave, {16, 1, 10});
}

TEST(SeismicWave, WaveNumbers_HaveTheOrderOfTheScheme) {
  for (const int order : {2, 4, 8}) {
    const double coarse = 1 - wave_number(1, 0.4, order), fine = 1 - wave_number(1, 0.2, order);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1);
  }
}

TEST(SeismicWave, LargestStableSteps_AreThoseOfTheLiterature) {
  Model model;
  EXPECT_NEAR(largest_stable_step(1, model, {1, 1, 1}), 0.4949, 1e-4);
  model.dimensions = 2;
  EXPECT_NEAR(largest_stable_step(1, model, {1, 1, 1}), 6 / (7 * std::sqrt(2.0)), 1e-12);
  model.order = 2;
  EXPECT_NEAR(largest_stable_step(1, model, {1, 1, 1}), 1 / std::sqrt(2.0), 1e-12);
}

/// Layers, the lower one a fluid, an ellipsoid, and a force that ends soon.
template <int Dimensions>
void expect_energy_to_stay(Index3 cells) {
  const Model model = shaken_box(Dimensions, {1.8, 1, 2.5}, {1.2, 0, 1});
  const double dt = 0.8 * largest_stable_step(1.8, model, {1, 1, 1});
  SmallWaves<Dimensions, double> waves(model, {.cells = cells}, dt);
  while (waves.time() < 11) waves.run(1);
  const double before = waves.energy();
  EXPECT_GT(before, 0);
  waves.run(400);
  EXPECT_LT(std::abs(waves.energy() / before - 1), 400 * 1e-13);
}
TEST(SeismicWave, Energy_StaysInLayersWithAFluidAndABody) {
  expect_energy_to_stay<3>({16, 12, 14});
  expect_energy_to_stay<2>({16, 1, 14});
}

/// Where the values that a force is spread over are fewer than there are weights.
TEST(SeismicWave, Forces_GiveTheirImpulseOnShortPeriodicAxes) {
  for (const Index cells : {1, 2, 3, 4, 5, 9}) {
    Model model;
    model.order = 2;
    model.medium = uniform(poisson_rock(1, 3));
    model.sources = {force_at({16.3, 0.8, 15.1}, {0, 0, 7}, pulse(TimeFunction::Shape::bump, 2))};
    SmallWaves<3, double> waves(model, {.cells = {32, cells, 30}}, 0.2);
    waves.run(15);
    EXPECT_NEAR(3 * waves.step.velocity[2].sum() / 7, 1, 2e-3) << cells;
  }
}

TEST(SeismicWave, AStepBeyondTheLimit_BlowsUp) {
  Model model = periodic_model({"", PlaneWave::Kind::p, {3, 1, 2}, 0, 4}, 3);
  model.sources = {force_at({5, 6, 7}, {1, 1, 1}, ricker(1))};
  const double limit = largest_stable_step(1.8, model, {1, 1, 1});
  SmallWaves<3, double> stable(model, {.cells = {12, 12, 12}}, 0.99 * limit);
  SmallWaves<3, double> unstable(model, {.cells = {12, 12, 12}}, 1.02 * limit);
  stable.run(600);
  unstable.run(600);
  EXPECT_LT(stable.step.velocity[0].maximum(), 10);
  EXPECT_GT(unstable.step.velocity[0].maximum(), 1e6);
}

TEST(SeismicDisplacement, IsTheIntegralOfTheVelocity) {
  Model model = shaken_box(3, {1.8, 1, 2.5}, {1.2, 0, 1});
  model.displacement = true;
  const double dt = 0.2;
  SmallWaves<3, double> waves(model, {.cells = {16, 12, 12}}, dt);
  std::vector<double> sum(16 * 12 * 12), before = waves.step.velocity[2].copy_out();
  for (int n = 0; n < 20; ++n) {
    waves.run(1);
    const auto after = waves.step.velocity[2].copy_out();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += dt * (before[i] + after[i]) / 2;
    before = after;
  }
  const auto displacement = waves.step.displacement[2].copy_out();
  double largest = 0;
  for (const double u : sum) largest = std::max(largest, std::abs(u));
  EXPECT_GT(largest, 1e-4);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(displacement[i], sum[i], 1e-12 * largest) << i;
  }
}

}  // namespace
}  // namespace goban::seismic::seismic_wave_test
