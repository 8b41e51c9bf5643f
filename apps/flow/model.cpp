#include "flow/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "goban/stencil/staggered.hpp"

namespace goban::flow {

bool Model::has(Edge edge, std::size_t axis) const {
  return edges[axis][0] == edge || edges[axis][1] == edge;
}

bool Model::has(Edge edge) const { return has(edge, 0) || has(edge, 1) || has(edge, 2); }

TimeValue3 Model::inflow(std::size_t axis, std::size_t side) const {
  const auto& own = inflow_speed[axis][side];
  if (!own) return inflow_velocity;
  TimeValue3 velocity;
  velocity[axis] = own->times(side == 0 ? 1 : -1);
  return velocity;
}

TimeValue3 Model::any_inflow() const {
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (edges[a][side] == Edge::inflow) return inflow(a, side);
    }
  }
  return {};
}

bool Model::has_several_inflows() const {
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (edges[a][side] == Edge::inflow && inflow(a, side) != any_inflow()) return true;
    }
  }
  return false;
}

bool Model::is_parabolic(std::size_t axis) const {
  return parabolic_inflow && is_parabola_along(edges, axis);
}

double Model::inflow_profile(Position position, const GridState& grid) const {
  if (!parabolic_inflow) return 1;
  Real3 s = {position.x, position.y, position.z};
  for (std::size_t a = 0; a < 3; ++a) {
    s[a] = (s[a] - grid.origin[a]) / (static_cast<double>(grid.cells[a]) * grid.spacing[a]);
  }
  return parabola_between(edges, s);
}

Real3 Model::explicit_part(double diffusivity) const {
  Real3 part{diffusivity, diffusivity, diffusivity};
  if (implicit_axis) part[static_cast<std::size_t>(index_of(*implicit_axis))] = 0;
  return part;
}

double Model::largest_diffusive_step(Real3 spacing, double subgrid) const {
  const auto rate = [&](double diffusivity, double of_eddies) {
    const Real3 part = explicit_part(diffusivity);
    double sum = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a) {
      sum += (part[a] + of_eddies) / (spacing[a] * spacing[a]);
    }
    return sum;
  };
  double most = rate(viscosity, 2 * subgrid);
  for (const Scalar& scalar : scalars) {
    most = std::max(most, rate(scalar.diffusivity, subgrid / turbulent_prandtl));
  }
  return largest_decay(scheme) / (4 * most);
}

double Model::time_step(double rate, Real3 spacing, double subgrid) const {
  return std::min(courant / std::max(rate, least_rate(spacing)),
                  stability * largest_diffusive_step(spacing, subgrid));
}

double Model::mixing_length(Position position, const GridState& grid) const {
  const Real3 p = {position.x, position.y, position.z};
  double size = 1, nearest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a) {
    size *= grid.spacing[a];
    const double from_low = p[a] - grid.origin[a];
    const double length = static_cast<double>(grid.cells[a]) * grid.spacing[a];
    const auto is_wall = [](Edge edge) { return edge == Edge::wall || edge == Edge::moving; };
    if (is_wall(edges[a][0])) nearest = std::min(nearest, from_low);
    if (is_wall(edges[a][1])) nearest = std::min(nearest, length - from_low);
  }
  const double free = smagorinsky * std::pow(size, 1.0 / dimensions);
  if (friction_velocity == 0) return free;
  return free * (1 - std::exp(-nearest * friction_velocity / (25 * viscosity)));
}

double Model::least_rate(Real3 spacing) const {
  const double finest =
      *std::min_element(spacing.begin(), spacing.begin() + static_cast<std::ptrdiff_t>(dimensions));
  return speed / finest;
}

BoundarySet Model::velocity_boundary(Axis axis) const {
  const auto own = static_cast<std::size_t>(index_of(axis));
  const auto held = [](const TimeValue& value) {
    return wall_value(value.varies() ? BoundaryNumber(value) : BoundaryNumber(value.at(0)));
  };
  BoundarySet all = conditions_at(edges, [&](std::size_t a, Edge edge) {
    const bool flows = edge == Edge::inflow || edge == Edge::outflow || edge == Edge::pressure;
    if (a == own) return flows ? mirror : wall_value(0);
    if (edge == Edge::slip || edge == Edge::outflow) return mirror;
    return edge == Edge::moving ? held(wall_velocity[own]) : wall_value(0);
  });
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (a == own || edges[a][side] != Edge::inflow) continue;
      all.sides[a][side] = held(inflow(a, side)[own]);
    }
  }
  return all;
}

BoundarySet Model::type_boundary() const {
  return conditions_at(edges, [](std::size_t, Edge edge) {
    return edge == Edge::pressure ? mirror : constant(staggered::cell::beyond);
  });
}

BoundarySet Model::pressure_boundary() const {
  return conditions_at(edges, [](std::size_t, Edge edge) {
    return edge == Edge::pressure ? wall_value(0) : mirror;
  });
}

BoundarySet Model::subgrid_boundary() const {
  return conditions_at(edges, [](std::size_t, Edge edge) {
    return edge == Edge::wall || edge == Edge::moving ? wall_value(0) : mirror;
  });
}

BoundarySet Model::mirrors() const {
  return conditions_at(edges, [](std::size_t, Edge) { return mirror; });
}

}  // namespace goban::flow
