#include "seismic/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace goban::seismic {
namespace {

constexpr int count = Mechanisms::count;
constexpr double largest_loss = 0.1;
using Strengths = std::array<double, count>;

/// What mechanism l takes from the modulus, for Y_l = 1.
std::complex<double> share(double decay, double angle) {
  return decay / (1 + decay - std::polar(1.0, -angle));
}

/// Solves a x = b, a symmetric and positive.
Strengths solved(std::array<Strengths, count> a, Strengths b) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < count; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// Y_l / loss by least squares over the angles: Im m = loss Re m, divided by loss.
Strengths fitted(const Strengths& decay, double loss, const std::vector<double>& angles) {
  std::array<Strengths, count> normal{};
  Strengths right{};
  for (const double angle : angles) {
    Strengths row;
    for (std::size_t l = 0; l < count; ++l) {
      const auto h = share(decay[l], angle);
      row[l] = -h.imag() + loss * h.real();
    }
    for (std::size_t i = 0; i < count; ++i) {
      right[i] += row[i];
      for (std::size_t j = 0; j < count; ++j) normal[i][j] += row[i] * row[j];
    }
  }
  return solved(normal, right);
}

/// Largest deviation of 1/Q over the angles, of the loss; infinite if a Y_l may be negative.
double deviation(const Mechanisms& mechanisms, double loss, const std::vector<double>& angles) {
  double most = 0;
  for (std::size_t l = 0; l < count; ++l) {
    const double least =
        std::min(mechanisms.linear[l], mechanisms.linear[l] + mechanisms.square[l] * largest_loss);
    if (!(least >= 0)) return std::numeric_limits<double>::infinity();
  }
  for (const double angle : angles) {
    const auto m = mechanisms.modulus(loss, angle);
    most = std::max(most, std::abs(m.imag() / m.real() / loss - 1));
  }
  return most;
}

}  // namespace

/// Relaxation frequencies lie evenly on a logarithmic axis about the middle of the band; how far
/// apart is tried.
Mechanisms::Mechanisms(const Band& band, double dt) {
  constexpr int frequencies = 60, trials = 60;
  constexpr double high_loss = 0.05, low_loss = 0.02;
  const double turn = 2 * std::numbers::pi * dt, width = band.high / band.low;
  const double middle = turn * std::sqrt(band.high * band.low);
  std::vector<double> angles;
  for (int n = 0; n < frequencies; ++n) {
    angles.push_back(turn * band.low * std::pow(width, n / (frequencies - 1.0)));
  }
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n < trials; ++n) {
    Mechanisms trial;
    const double apart = std::sqrt(width) * std::exp(-0.5 + 3.0 * n / trials);
    trial.decay = {middle / apart, middle, middle * apart};
    trial.linear = fitted(trial.decay, 0, angles);
    const Strengths lossy = fitted(trial.decay, high_loss, angles);
    for (std::size_t l = 0; l < count; ++l) {
      trial.square[l] = (lossy[l] - trial.linear[l]) / high_loss;
    }
    const double found =
        std::max(deviation(trial, high_loss, angles), deviation(trial, low_loss, angles));
    if (found >= least) continue;
    least = found;
    *this = trial;
  }
  reference = turn * band.reference;
}

std::complex<double> Mechanisms::modulus(double loss, double angle) const {
  std::complex<double> m = 1;
  for (std::size_t l = 0; l < count; ++l) {
    m -= loss * (linear[l] + square[l] * loss) * share(decay[l], angle);
  }
  return m;
}

/// Phase velocities are 1 / Re (density / modulus)^(1/2).
Rock Mechanisms::unrelaxed(const Rock& rock) const {
  const auto factor = [&](double loss) {
    return std::real(1.0 / std::sqrt(modulus(loss, reference)));
  };
  Rock stiff = rock;
  stiff.vp *= factor(rock.p_loss);
  stiff.vs *= factor(rock.s_loss);
  return stiff;
}

double bulk_loss(const Rock& rock, int dimensions) {
  const double p = rock.lambda() + 2 * rock.mu(), s = (2 - 2.0 / dimensions) * rock.mu();
  return (p * rock.p_loss - s * rock.s_loss) / (p - s);
}

double largest_q_p(const Rock& rock) {
  return 0.75 * rock.vp * rock.vp / (rock.vs * rock.vs * rock.s_loss);
}

}  // namespace goban::seismic
