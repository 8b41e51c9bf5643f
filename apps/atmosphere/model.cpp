#include "atmosphere/model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace goban::atmosphere {
namespace {

constexpr double reference_pressure = 1e5;  // Pa, of potential temperature

double square(double x) { return x * x; }

}  // namespace

double Terrain::at(double x, double y) const {
  const double from_x = (x - center_x) / half_width;
  const double from_y = width_y > 0 ? (y - center_y) / width_y : 0;
  switch (shape) {
    case Shape::none:
    case Shape::file: return 0;
    case Shape::bell: return height / (1 + square(from_x) + square(from_y));
    case Shape::schaer:
      return height * std::exp(-square(from_x) - square(from_y)) *
             square(std::cos(std::numbers::pi * (x - center_x) / wavelength));
  }
  return 0;
}

double Bubble::at(double x, double y, double height, double lid) const {
  if (shape == Shape::ridge) {
    return amplitude * std::sin(std::numbers::pi * height / lid) /
           (1 + square((x - center[0]) / radius[0]));
  }
  double distance = 0;
  const Real3 place{x, y, height};
  for (std::size_t a = 0; a < 3; ++a) {
    if (radius[a] > 0) distance += square((place[a] - center[a]) / radius[a]);
  }
  distance = std::sqrt(distance);
  return distance < 1 ? amplitude * (1 + std::cos(std::numbers::pi * distance)) / 2 : 0;
}

double Humidity::relative(double z) const {
  return ground - (ground - aloft) * std::pow(std::clamp(z / height, 0.0, 1.0), exponent);
}

double Model::theta(double z) const {
  if (profile) return profile->at(profile->theta, z);
  return gravity > 0 ? surface_theta * std::exp(stability * stability * z / gravity)
                     : surface_theta;
}

std::array<double, 2> Model::wind_at(double z) const {
  if (!profile) return wind;
  return {wind[0] + profile->at(profile->u, z), wind[1] + profile->at(profile->v, z)};
}

/// d(Exner)/dz = -g / (c_p theta), by Simpson's rule.
double Model::pressure(double z, double warmer) const {
  const double kappa = gas_constant / heat_capacity;
  constexpr int halves = 64;
  const double h = z / halves;
  double sum = 0;
  for (int n = 0; n <= halves; ++n) {
    const int weight = n == 0 || n == halves ? 1 : n % 2 == 1 ? 4 : 2;
    sum += weight / (theta(n * h) + warmer);
  }
  const double exner = std::pow(surface_pressure / reference_pressure, kappa) -
                       gravity / heat_capacity * sum * h / 3;
  return reference_pressure * std::pow(exner, 1 / kappa);
}

double Model::usual_sponge_rate(double lid) const {
  constexpr double without_hill = 0.2, epsilon = 1.5;
  const bool is_ridge = terrain.width_y == 0;
  const auto [u, v] = wind_at(lid);
  const double speed = is_ridge ? std::abs(u) : std::hypot(u, v);
  const double below = lid - sponge_depth;
  const double square_of_n = profile && sponge_depth > 0
                                 ? gravity * std::log(theta(lid) / theta(below)) / sponge_depth
                                 : square(stability);
  const double width =
      is_ridge ? terrain.half_width : std::min(terrain.half_width, terrain.width_y);
  const bool has_width =
      terrain.shape == Terrain::Shape::bell || terrain.shape == Terrain::Shape::schaer;
  const bool has_hill = has_width && terrain.height > 0;
  if (!has_hill || speed == 0 || !(square_of_n > 0)) return without_hill;
  return epsilon * square_of_n * width / speed;
}

double Model::speed_of_sound() const {
  const double kappa = gas_constant / heat_capacity;
  const double temperature = theta(0) * std::pow(surface_pressure / reference_pressure, kappa);
  return std::sqrt(gamma() * gas_constant * temperature);
}

int Model::usual_short_steps(double dt, Real3 spacing) const {
  const double longest = std::min(spacing[0], spacing[1]) / (2 * speed_of_sound());
  return std::max(4, 2 * static_cast<int>(std::ceil(dt / (2 * longest))));
}

double Model::largest_time_step(Index3 cells, Real3 spacing) const {
  double along_levels = 0, all = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double thinnest = a == 2 ? lowest_level * spacing[a] : spacing[a];
    const double rate = cells[a] > 1 ? 1 / square(thinnest) : 0;
    all += rate;
    if (a < 2) along_levels += rate;
  }
  const double sound =
      3 / (speed_of_sound() * std::sqrt(along_levels * (1 + 2 * divergence_damping)));
  constexpr double of_runge_kutta = 2.51;  // largest decay of a step
  const double fastest = std::max(diffusivity, kappa());
  return fastest > 0 ? std::min(sound, of_runge_kutta / (4 * fastest * all)) : sound;
}

double Levels::ground(Index i, Index j) const {
  const auto inside = [&](std::size_t a, Index n) {
    return wraps_[a] ? (n % cells_[a] + cells_[a]) % cells_[a]
                     : std::clamp<Index>(n, 0, cells_[a] - 1);
  };
  const Index column = inside(0, i), row = inside(1, j);
  if (model_.terrain.shape == Terrain::Shape::file) {
    return (*model_.terrain.columns)[static_cast<std::size_t>(column + cells_[0] * row)];
  }
  return model_.terrain.at(middle(0, column), middle(1, row));
}

double Levels::face(Index3 cell) const {
  const double top = lid(), s = static_cast<double>(cell[2]) * spacing_[2];
  const double flat = s * (model_.lowest_level + (1 - model_.lowest_level) * s / top);
  const double decay = model_.terrain_decay;
  const double share =
      decay > 0 ? std::sinh((top - flat) / decay) / std::sinh(top / decay) : 1 - flat / top;
  return flat + share * ground(cell[0], cell[1]);
}

double Levels::growth(int axis, Index3 cell) const {
  const auto a = static_cast<std::size_t>(axis);
  const auto log_scale = [&](double half) {
    std::array place{middle(0, cell[0]), middle(1, cell[1])};
    place[a] += half * spacing_[a];
    return std::log(projection_.at(place[0], place[1]).scale);
  };
  return (log_scale(0.5) - log_scale(-0.5)) / spacing_[a];
}

double Levels::slope(int axis, Index3 cell) const {
  Index3 before = cell;
  --before[static_cast<std::size_t>(axis)];
  return (face(cell) - face(before)) / spacing_[static_cast<std::size_t>(axis)];
}

}  // namespace goban::atmosphere
