#include "seismic/model.hpp"

#include <algorithm>
#include <cmath>

#include "goban/stencil/finite_differences.hpp"
#include "seismic/rock_files.hpp"

namespace goban::seismic {
namespace {

Rock grown(const Layer& layer, double depth) {
  Rock rock = layer.rock;
  rock.vp += layer.per_metre.vp * depth;
  rock.vs += layer.per_metre.vs * depth;
  rock.density += layer.per_metre.density * depth;
  return rock;
}

}  // namespace

bool Rock::exists() const {
  return std::isfinite(vp) && std::isfinite(density) && vp > 0 && vs >= 0 && density > 0 &&
         3 * vp * vp >= 4 * vs * vs;
}

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
  if (files) return files->at(cell);
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) {
    if (body->contains(position)) return body->rock;
  }
  const Layer* here = &layers.front();
  for (const Layer& layer : layers) {
    if (position.z >= layer.top) here = &layer;
  }
  return grown(*here, std::max(0.0, position.z - here->top));
}

BoxFunction Medium::prepare() const {
  if (!files) return nullptr;
  return [shown = files](const Box& box) { shown->show(box); };
}

void SpeedRange::include(const Rock& rock) {
  fastest = std::max(fastest, rock.vp);
  if (rock.vs > 0 && (slowest == 0 || rock.vs < slowest)) slowest = rock.vs;
}

void each_rock(const Medium& medium, const GridOptions& grid,
               const std::function<void(const Rock&)>& visit) {
  Medium column = medium;
  column.bodies.clear();
  for (Index k = 0; k < grid.cells[2]; ++k) {
    const double z = grid.origin[2] + (static_cast<double>(k) + 0.5) * grid.spacing.value[2];
    visit(column.at({0, 0, k}, {0, 0, z}));
  }
  for (const Body& body : medium.bodies) visit(body.rock);
}

SpeedRange speeds(const Medium& medium, const GridOptions& grid, Communicator& ranks) {
  if (medium.files) return medium.files->speeds(ranks);
  SpeedRange range;
  each_rock(medium, grid, [&](const Rock& rock) { range.include(rock); });
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
