#include "dendrite/model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "goban/base/mix.hpp"

namespace goban::dendrite {
namespace {

// Constants of the thin-interface limit of the thermal model (Karma, Rappel 1998).
const double a_1 = 5 * std::sqrt(2.0) / 8;
constexpr double a_2 = 47.0 / 75;

/// Largest eigenvalue of the Laplacian of stencils.hpp, on unit spacing; the five- and
/// seven-point ones have four times the number of dimensions.
constexpr double largest_isotropic = 16.0 / 3;

/// Largest ratio of the stiffness of an anisotropic interface to a_0^2: a (a + a'') between two
/// preferred directions.
double largest_stiffness(double epsilon) { return (1 - epsilon) * (1 + 15 * epsilon); }

double distance_to(const std::vector<Nucleus>& nuclei, Position position, Index3 cells) {
  double distance = std::numeric_limits<double>::infinity();
  for (const Nucleus& nucleus : nuclei) {
    distance = std::min(distance, nucleus.distance(position, cells));
  }
  return distance;
}

}  // namespace

double width_factor() { return 2 * std::atanh(0.8); }

double Nucleus::distance(Position position, Index3 cells) const {
  const Real3 p = {position.x, position.y, position.z};
  if (shape == Shape::layer) {
    return p[static_cast<std::size_t>(index_of(growth_axis(dimensions_of(cells))))] - height;
  }
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] > 1) square += (p[a] - center[a]) * (p[a] - center[a]);
  }
  return std::sqrt(square) - radius;
}

double Alloy::gradient_coefficient() const {
  return std::sqrt(3 * width * interface_energy / width_factor());
}
double Alloy::barrier() const { return 6 * interface_energy * width_factor() / width; }
double Alloy::mobility() const {
  return width_factor() * kinetic_coefficient / (3 * width * entropy);
}

double Thermal::coupling_without_kinetics(double diffusivity, double relaxation_time,
                                          double width) {
  return diffusivity * relaxation_time / (a_2 * width * width);
}
double Thermal::capillary_length() const { return a_1 * width / coupling; }

/// The steepness of the interface, per metre.
double Model::steepness() const {
  return formulation == Formulation::alloy ? width_factor() / alloy.width
                                           : 1 / (std::sqrt(2.0) * thermal.width);
}

double Model::phase_at(Position position, Index3 cells) const {
  return phase_of(steepness() * distance_to(nuclei, position, cells));
}

void Model::phases(const CellRow& row, Index3 cells, double* values) const {
  constexpr double flat = 20;  // from there on tanh is 1: such nuclei make no difference
  const double scale = steepness();
  std::vector<Nucleus> near;
  std::copy_if(nuclei.begin(), nuclei.end(), std::back_inserter(near), [&](const Nucleus& nucleus) {
    Position nearest = row.start;
    const double at = nucleus.center[static_cast<std::size_t>(row.axis)];
    (row.axis == 0   ? nearest.x
     : row.axis == 1 ? nearest.y
                     : nearest.z) = nucleus.shape == Nucleus::Shape::layer ? row.coordinate(0) : at;
    return scale * nucleus.distance(nearest, cells) <= flat;
  });
  for (Index i = 0; i < row.count; ++i) {
    values[i] = phase_of(scale * distance_to(near, row.position(i), cells));
  }
}

/// So many lengths of steepness() from the solid.
double Model::phase_of(double distance) const {
  return level() - (solid() - level()) * std::tanh(distance);
}

double Model::largest_stable_step(Index3 cells, double spacing) const {
  const double square = spacing * spacing;
  const double epsilon = anisotropy();
  double phase_rate = 0, other_rate = 0;
  if (formulation == Formulation::alloy) {
    const double a = alloy.gradient_coefficient();
    phase_rate =
        alloy.mobility() *
        (a * a / square * largest_isotropic * largest_stiffness(epsilon) + 2 * alloy.barrier());
    other_rate = 4 * dimensions_of(cells) * alloy.liquid_diffusivity / square;
  } else {
    const double diffusivity = thermal.width * thermal.width / thermal.relaxation_time;
    const double slowest = (1 - epsilon) * (1 - epsilon);
    phase_rate = (diffusivity / square * largest_isotropic * largest_stiffness(epsilon) +
                  2 / thermal.relaxation_time) /
                 slowest;
    other_rate = largest_isotropic * thermal.diffusivity / square;
  }
  return 2 / std::max(phase_rate, other_rate);
}

std::vector<Nucleus> scattered(Index count, double radius, std::uint64_t seed, Index3 cells,
                               Real3 origin, double spacing) {
  const auto along = static_cast<std::size_t>(index_of(growth_axis(dimensions_of(cells))));
  std::vector<Nucleus> nuclei;
  std::uint64_t draw = mix(seed);
  for (Index n = 0; n < count; ++n) {
    Nucleus nucleus{.center = origin, .radius = radius};
    for (std::size_t a = 0; a < 3; ++a) {
      draw = mix(draw);
      if (a == along) continue;
      nucleus.center[a] +=
          static_cast<double>(draw >> 11) * 0x1p-53 * static_cast<double>(cells[a]) * spacing;
    }
    nuclei.push_back(nucleus);
  }
  return nuclei;
}

}  // namespace goban::dendrite
