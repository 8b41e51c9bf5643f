#include "seismic/model.hpp"

#include <algorithm>
#include <cmath>

#include "goban/stencil/finite_differences.hpp"

namespace goban::seismic {
namespace {

Rock grown(const Layer& layer, double depth) {
  Rock rock = layer.rock;
  rock.vp += layer.per_metre.vp * depth;
  rock.vs += layer.per_metre.vs * depth;
  rock.density += layer.per_metre.density * depth;
  return rock;
}

void include(SpeedRange& range, const Rock& rock) {
  range.fastest = std::max(range.fastest, rock.vp);
  if (rock.vs > 0 && (range.slowest == 0 || rock.vs < range.slowest)) range.slowest = rock.vs;
}

}  // namespace

bool Body::contains(Position position) const {
  const Real3 p = {position.x, position.y, position.z};
  double distance = 0;
  bool inside = true;
  for (std::size_t a = 0; a < 3; ++a) {
    inside = inside && p[a] >= lower[a] && p[a] < upper[a];
    const double part = (p[a] - center[a]) / semi_axes[a];
    distance += part * part;
  }
  return shape == Shape::box ? inside : distance < 1;
}

Rock Medium::at(Index3 cell, Position position) const {
  if (!cells.empty()) {
    return cells[static_cast<std::size_t>(cell[0] + extents[0] * (cell[1] + extents[1] * cell[2]))];
  }
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) {
    if (body->contains(position)) return body->rock;
  }
  const Layer* here = &layers.front();
  for (const Layer& layer : layers) {
    if (position.z >= layer.top) here = &layer;
  }
  return grown(*here, std::max(0.0, position.z - here->top));
}

SpeedRange speeds(const Medium& medium, const GridOptions& grid) {
  SpeedRange range;
  for (const Rock& rock : medium.cells) include(range, rock);
  if (!medium.cells.empty()) return range;
  Medium column = medium;
  column.bodies.clear();
  for (Index k = 0; k < grid.cells[2]; ++k) {
    const double z = grid.origin[2] + (static_cast<double>(k) + 0.5) * grid.spacing.value[2];
    include(range, column.at({0, 0, k}, {0, 0, z}));
  }
  for (const Body& body : medium.bodies) include(range, body.rock);
  return range;
}

double largest_stable_step(double vp, const Model& model, Real3 spacing) {
  double sum = 0, squares = 0;
  for (int j = 1; j <= model.order / 2; ++j) {
    sum += std::abs(finite_differences::staggered(model.order / 2, j));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (model.dimensions == 3 || a != 1) squares += 1 / (spacing[a] * spacing[a]);
  }
  const double step = 1 / (vp * sum * std::sqrt(squares));
  return model.has_surface() ? 0.97 * step : step;
}

double wave_number(double k, double h, int order) {
  double sum = 0;
  for (int j = 1; j <= order / 2; ++j) {
    sum += finite_differences::staggered(order / 2, j) * std::sin((2 * j - 1) * k * h / 2);
  }
  return 2 * sum / h;
}

double discrete_frequency(double c, Real3 k, Real3 spacing, double dt, int order) {
  double squares = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    squares += std::pow(wave_number(k[a], spacing[a], order), 2);
  }
  return 2 / dt * std::asin(c * dt / 2 * std::sqrt(squares));
}

}  // namespace goban::seismic
