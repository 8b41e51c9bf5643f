// Attenuation: Q over its band, what it does to waves, the energy it takes.

#include <complex>

#include "seismic/attenuation.hpp"
#include "tests/apps/seismic_run.hpp"

namespace goban::seismic::seismic_loss_test {
namespace {

using std::numbers::pi;

/// Largest deviation of 1/Q in the band from what it shall be, of that.
double deviation(const Band& band, double dt, double loss) {
  const Mechanisms mechanisms(band, dt);
  double most = 0;
  for (double f = band.low; f <= band.high * 1.0001; f *= 1.05) {
    const auto m = mechanisms.modulus(loss, 2 * pi * f * dt);
    most = std::max(most, std::abs(m.imag() / m.real() / loss - 1));
  }
  return most;
}

TEST(SeismicLoss, QIsNearlyConstantOverItsBand) {
  for (const double q : {20, 50, 300}) {
    for (const double dt : {1e-4, 1e-2, 1.3e-2}) {  // up to 2 pi f dt = 0.5
      EXPECT_LT(deviation({3, 6, 4}, dt, 1 / q), 0.02) << q << " " << dt;
      EXPECT_LT(deviation({0.6, 6, 1}, dt, 1 / q), 0.02) << q << " " << dt;
      EXPECT_LT(deviation({0.12, 6, 1}, dt, 1 / q), 0.05) << q << " " << dt;
    }
  }
}

TEST(SeismicLoss, NoMechanismGivesEnergy) {
  for (const double width : {2.0, 5.0, 20.0, 50.0}) {
    for (const double dt : {1e-5, 1.3e-2}) {
      const Mechanisms mechanisms({6 / width, 6, 5}, dt);
      for (std::size_t l = 0; l < Mechanisms::count; ++l) {
        EXPECT_GE(mechanisms.linear[l], 0) << width;
        EXPECT_GE(mechanisms.linear[l] + 0.1 * mechanisms.square[l], 0) << width;
      }
    }
  }
}

TEST(SeismicLoss, UnrelaxedRockIsFasterAndLosesPressureAsItShould) {
  const Mechanisms mechanisms({0.2, 6, 1}, 1e-3);
  const Rock rock{2000, 1000, 2500, 1 / 60.0, 1 / 30.0}, stiff = mechanisms.unrelaxed(rock);
  EXPECT_GT(stiff.vp, 1.01 * rock.vp);
  EXPECT_GT(stiff.vs, 1.02 * rock.vs);
  EXPECT_EQ(mechanisms.unrelaxed({2000, 1000, 2500}).vp, 2000);
  // (lambda + 2 mu) / Q_p = kappa / Q_kappa + 4/3 mu / Q_s
  EXPECT_NEAR(bulk_loss(rock, 3), (4.0 / 60 - 4.0 / 3 / 30) / (4 - 4.0 / 3), 1e-15);
  EXPECT_NEAR(bulk_loss({2000, 1000, 2500, 1 / largest_q_p(rock), 1 / 30.0}, 3), 0, 1e-15);
}

const Band band{0.5, 5, 1.5};
const Rock lossy_rock{1.8, 1, 2.5, 1 / 50.0, 1 / 30.0};

/// What a plane wave along x does in a period: decay of its amplitude over pi / Q, and its speed
/// over that at the reference frequency.
struct Traits {
  double decay = 0, speed = 0;
};
/// Measures a wave of 24 cells that would have `frequency` without dispersion.
template <int Dimensions>
Traits traits(PlaneWave::Kind kind, double frequency) {
  const bool is_p = kind == PlaneWave::Kind::p;
  const double c = is_p ? lossy_rock.vp : lossy_rock.vs;
  const double q = 1 / (is_p ? lossy_rock.p_loss : lossy_rock.s_loss);
  const Index n = 24;
  const double h = c / frequency / static_cast<double>(n), k = 2 * pi * frequency / c;
  Model model;
  model.dimensions = Dimensions;
  model.medium = uniform(lossy_rock);
  model.band = band;
  model.start = PlaneWave{.kind = kind, .waves = {1, 0, 0}, .direction = {0, 0, 1}};
  const double dt = 0.25 * largest_stable_step(lossy_rock.vp, model, {h, h, h});
  const Index3 cells = {n, Dimensions == 3 ? 6 : 1, 6};
  SmallWaves<Dimensions, double> waves(model, {.cells = cells, .spacing = h}, dt);
  const auto& field = waves.step.velocity[is_p ? 0 : Dimensions - 1];
  const auto component = [&] {
    std::complex<double> sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += field.get({i, 0, 3}) *
             std::polar(1.0, -2 * pi * static_cast<double>(i) / static_cast<double>(n));
    }
    return sum;
  };
  const auto period = static_cast<Index>(std::round(1 / (frequency * dt)));
  // This is the wave that goes on; the start is not quite that of relaxing rock and sends some
  // back.
  const auto amplitude = [&] {
    const auto now = component();
    waves.run(period / 4);
    return now + std::complex<double>(0, 1) * component();
  };
  waves.run(2 * period);  // the mechanisms swing in
  const auto before = amplitude();
  waves.run(6 * period - period / 4);
  const auto change = amplitude() / before;
  const double time = static_cast<double>(6 * period) * dt;
  const double expected = discrete_frequency(c, {k, 0, 0}, {h, h, h}, dt, 4) * time;
  const double turned = expected - std::remainder(expected + std::arg(change), 2 * pi);
  return {-std::log(std::abs(change)) * 2 * q / turned, turned / expected};
}

template <int Dimensions>
void expect_constant_q(PlaneWave::Kind kind, const std::vector<double>& frequencies) {
  const double q = kind == PlaneWave::Kind::p ? 1 / lossy_rock.p_loss : 1 / lossy_rock.s_loss;
  for (const double frequency : frequencies) {
    const Traits found = traits<Dimensions>(kind, frequency);
    EXPECT_NEAR(found.decay, 1, 0.05) << frequency;
    // A constant Q has this dispersion (Kjartansson 1979).
    const double dispersion = std::atan(1 / q) / pi * std::log(frequency / band.reference);
    EXPECT_NEAR(std::log(found.speed), dispersion, 0.05 * std::log(10) / (pi * q)) << frequency;
  }
}

TEST(SeismicLoss, PlaneWaves_DecayAndDisperseAsConstantQMakesThem) {
  for (const auto kind : {PlaneWave::Kind::p, PlaneWave::Kind::s}) {
    expect_constant_q<2>(kind, {0.5, 0.9, 1.5, 2.7, 5});
    expect_constant_q<3>(kind, {0.9, 2.7});
  }
}

/// Layers that lose more and less, one a fluid, a body that loses nothing.
template <int Dimensions>
void expect_energy_to_fall(Index3 cells) {
  Model model = shaken_box(Dimensions, {1.8, 1, 2.5, 1 / 40.0, 1 / 20.0}, {1.2, 0, 1, 1 / 100.0});
  model.band = Band{0.01, 0.3, 0.05};
  const double dt = 0.8 * largest_stable_step(1.8, model, {1, 1, 1});
  SmallWaves<Dimensions, double> waves(model, {.cells = cells}, dt);
  while (waves.time() < 11) waves.run(1);
  const double first = waves.energy();
  EXPECT_GT(first, 0);
  double before = first;
  for (int step = 0; step < 300; ++step) {
    waves.run(1);
    const double now = waves.energy();
    EXPECT_LT(now, before * (1 + 1e-13)) << step;
    before = now;
  }
  EXPECT_LT(before, 0.6 * first);
}
TEST(SeismicLoss, Energy_NeverGrows) {
  expect_energy_to_fall<3>({16, 12, 14});
  expect_energy_to_fall<2>({16, 1, 14});
}

}  // namespace
}  // namespace goban::seismic::seismic_loss_test
