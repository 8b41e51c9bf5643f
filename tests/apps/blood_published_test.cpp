// Creeping flow through arrays of spheres and fibres, pulsating flow in a pipe.

#include <complex>
#include <numbers>

#include "goban/io/case/time_value.hpp"
#include "tests/apps/blood_run.hpp"

namespace goban::blood::blood_published_test {
namespace {

using namespace vectors;

/// Mean velocity over the box, solids at rest, of a unit force along x.
double mean_velocity(Index3 cells, const std::function<double(const Real3&)>& distance, double nu,
                     Index steps) {
  Model model;
  model.density_unit = 1;
  model.tau = 0.5 + 3 * nu;
  const double force = 1e-7;
  model.force = {force, 0.0, 0.0};
  SmallVessel<double> vessel(model, {.cells = cells}, periodic_vessel(cells, distance));
  vessel.run(steps);
  vessel.observe();
  return vessel.step.velocity.sum(0) / static_cast<double>(product(cells)) / force;
}

/// Zick, Homsy, J. Fluid Mech. 115 (1982) 13: K = F / (6 pi mu a U), F the force on a sphere.
double sphere_drag(double share, Index length) {
  const auto l = static_cast<double>(length);
  const double radius = l * std::cbrt(share * 3 / (4 * std::numbers::pi)), nu = 1.0 / 6;
  const auto distance = [=](const Real3& p) {
    double square = 0;
    for (const double x : p) {
      const double d = std::abs(std::remainder(x - l / 2 - 0.13, l));
      square += d * d;
    }
    return radius - std::sqrt(square);
  };
  const double u = mean_velocity({length, length, length}, distance, nu,
                                 length * length * (share > 0.5 ? 1 : 4));
  return l * l * l / (6 * std::numbers::pi * nu * radius * u);
}

/// Sangani, Acrivos, Int. J. Multiphase Flow 8 (1982) 193: F / (mu U) of a length of a fibre.
double fibre_drag(double share, Index length) {
  const auto l = static_cast<double>(length);
  const double radius = l * std::sqrt(share / std::numbers::pi), nu = 1.0 / 6;
  const auto distance = [=](const Real3& p) {
    const double x = std::remainder(p[0] - l / 2 - 0.13, l),
                 y = std::remainder(p[1] - l / 2 + 0.21, l);
    return radius - std::hypot(x, y);
  };
  const double u =
      mean_velocity({length, length, 1}, distance, nu, length * length * (share > 0.5 ? 2 : 4));
  return l * l / (nu * u);
}

TEST(BloodPublished, SpheresInACubicArray) {
  for (const auto& [share, exact, length] :
       {std::tuple{0.027, 2.008, Index{24}}, {0.125, 4.292, 24}, {0.5236, 42.1, 32}}) {
    EXPECT_NEAR(sphere_drag(share, length) / exact, 1, 0.02) << share;
  }
}

TEST(BloodPublished, FibresInASquareArray) {
  for (const auto& [share, exact, length] :
       {std::tuple{0.05, 15.56, Index{32}}, {0.2, 51.53, 32}, {0.6, 1763.0, 56}}) {
    EXPECT_NEAR(fibre_drag(share, length) / exact, 1, 0.02) << share;
  }
}

/// J_0 of a complex number, by its series.
std::complex<double> bessel(std::complex<double> z) {
  std::complex<double> sum = 1, term = 1;
  for (int k = 1; k < 80; ++k) {
    term *= -z * z / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

/// Relative L2 distance over a period from Womersley's u = Re(G / (i w) (1 - J0(i^(3/2) a r / R) /
/// J0(i^(3/2) a)) e^(i w t)), G cos(w t) the force.
double womersley_error(double radius, double alpha, double nu, int periods) {
  const auto width = static_cast<Index>(2 * radius + 4);
  const double middle = static_cast<double>(width) / 2 + 0.2;
  const double w = alpha * alpha * nu / (radius * radius);
  const auto period = static_cast<Index>(std::lround(2 * std::numbers::pi / w));
  const double omega = 2 * std::numbers::pi / static_cast<double>(period), force = 1e-5;
  Model model;
  model.density_unit = 1;
  model.tau = 0.5 + 3 * nu;
  const TimeQuantity drive = parse_time_value("1e-5 * cos(" + std::to_string(omega) + " * t)", "");
  model.force = {*drive.value, 0.0, 0.0};
  const Index3 cells = {3, width, width};
  SmallVessel<double> vessel(model, {.cells = cells}, periodic_vessel(cells, [=](const Real3& p) {
                               return std::hypot(p[1] - middle, p[2] - middle) - radius;
                             }));
  vessel.run(periods * period);
  double square = 0, norm_square = 0;
  const std::complex<double> i{0, 1}, k = std::sqrt(i) * i * alpha;
  for (int part = 0; part < 8; ++part) {
    if (part > 0) vessel.run(period / 8);
    const double t = static_cast<double>(part * (period / 8));
    vessel.observe();
    for (Index y = 0; y < width; ++y) {
      for (Index z = 0; z < width; ++z) {
        const double r = std::hypot(static_cast<double>(y) + 0.5 - middle,
                                    static_cast<double>(z) + 0.5 - middle);
        if (r >= radius) continue;
        const double exact = (force / (i * omega) * (1.0 - bessel(k * r / radius) / bessel(k)) *
                              std::exp(i * omega * t))
                                 .real();
        const double found = vessel.step.velocity.get({1, y, z}, 0);
        square += (found - exact) * (found - exact);
        norm_square += exact * exact;
      }
    }
  }
  return std::sqrt(square / norm_square);
}

TEST(BloodPublished, WomersleysPulsatingFlow) {
  for (const auto& [alpha, periods] : {std::pair{4.0, 3}, {12.0, 20}}) {
    const double coarse = womersley_error(8, alpha, 0.1, periods),
                 fine = womersley_error(16, alpha, 0.1, periods);
    EXPECT_LE(fine, 0.02) << alpha;
    EXPECT_GE(std::log2(coarse / fine), 1.8) << alpha;
  }
}

}  // namespace
}  // namespace goban::blood::blood_published_test
