#include "lbm/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lbm/cell.hpp"

namespace goban::lbm {
namespace {

bool fills_a_layer(Edge edge) {
  return edge == Edge::moving || edge == Edge::inflow || edge == Edge::outflow ||
         edge == Edge::pressure;
}

double phase(Index3 cell, Index3 extents, std::size_t axis) {
  return 2 * std::numbers::pi * (static_cast<double>(cell[axis]) + 0.5) /
         static_cast<double>(extents[axis]);
}

}  // namespace

bool Model::is_all_fluid() const {
  for (const auto& axis : edges) {
    if (axis != std::array{Edge::periodic, Edge::periodic}) return false;
  }
  return !has_obstacles();
}

std::uint8_t Model::type_of(Index3 cell, const GridState& grid, bool is_in_solid) const {
  const auto lies_on = [&](Edge edge) {
    for (std::size_t a = 0; a < 3; ++a) {
      if ((edges[a][0] == edge && cell[a] == 0) ||
          (edges[a][1] == edge && cell[a] == grid.cells[a] - 1)) {
        return true;
      }
    }
    return false;
  };
  if (lies_on(Edge::moving)) return cell::wall;
  if (lies_on(Edge::inflow)) return cell::inflow;
  if (is_in_solid) return cell::obstacle;
  return lies_on(Edge::outflow) || lies_on(Edge::pressure) ? cell::outflow : cell::fluid;
}

std::vector<std::uint8_t> Model::types(const GridState& grid, const Box& box) const {
  SolidCells solid(solids);
  solid.show(box);
  std::vector<std::uint8_t> all;
  all.reserve(static_cast<std::size_t>(box.volume()));
  Index3 cell;
  for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2]) {
    for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1]) {
      for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) {
        const Position center = grid.position(cell, Location::cell);
        all.push_back(type_of(cell, grid, solid.covers(cell, center)));
      }
    }
  }
  return all;
}

double Model::inflow_profile(Index3 cell, Index3 extents) const {
  if (!parabolic_inflow) return 1;
  Real3 s;
  for (std::size_t a = 0; a < 3; ++a) {
    const double low = fills_a_layer(edges[a][0]) ? 1 : 0;
    const double high = static_cast<double>(extents[a]) - (fills_a_layer(edges[a][1]) ? 1 : 0);
    s[a] = (static_cast<double>(cell[a]) + 0.5 - low) / (high - low);
  }
  return parabola_between(edges, s);
}

Real3 Model::velocity_at(Index3 cell, std::uint8_t type, Index3 extents) const {
  if (type == cell::obstacle) return {};
  if (type == cell::wall) return wall_velocity;
  if (type == cell::inflow || start == Start::inflow) {
    const double part = inflow_profile(cell, extents);
    return {part * inflow_velocity[0], part * inflow_velocity[1], part * inflow_velocity[2]};
  }
  if (start == Start::uniform) return start_velocity;
  const double x = phase(cell, extents, 0), y = phase(cell, extents, 1);
  const double speed = start_velocity[0];
  if (extents[2] == 1) {
    return {speed * std::cos(x) * std::sin(y), -speed * std::sin(x) * std::cos(y), 0};
  }
  const double cosine = std::cos(phase(cell, extents, 2));
  return {speed * std::sin(x) * std::cos(y) * cosine, -speed * std::cos(x) * std::sin(y) * cosine,
          0};
}

double Model::excess_at(Index3 cell, Index3 extents) const {
  if (start != Start::taylor_green) return 0;
  const double waves =
      std::cos(2 * phase(cell, extents, 0)) + std::cos(2 * phase(cell, extents, 1));
  const double square = start_velocity[0] * start_velocity[0];
  if (extents[2] == 1) return -3 * square / 4 * waves;
  return 3 * square / 16 * waves * (std::cos(2 * phase(cell, extents, 2)) + 2);
}

std::string Model::advice_on_divergence(double lattice_speed) const {
  constexpr double high_speed = 0.15, low_tau = 0.52;
  if (lattice_speed > high_speed) {
    return fmt::format(
        "flow.speed is {:.3g} cells a step, which is high: make scheme.lattice_speed (or time.dt) "
        "smaller",
        lattice_speed);
  }
  if (tau >= low_tau) {
    return fmt::format(
        "tau is {:.4g} and flow.speed {:.3g} cells a step, as they should be: make flow.speed the "
        "largest speed of the flow, from which the time step follows",
        tau, lattice_speed);
  }
  std::string remedies = "finer cells or a larger flow.viscosity";
  if (lattice_speed < high_speed / 2) remedies += ", a larger scheme.lattice_speed";
  if (collision != Collision::smagorinsky) remedies += ", or scheme.collision = \"smagorinsky\"";
  return fmt::format("tau is {:.5g}, too near 1/2 for this flow: try {}", tau, remedies);
}

BoundarySet Model::type_boundary() const {
  return conditions_at(edges, [](auto, Edge edge) {
    const bool is_open = edge == Edge::outflow || edge == Edge::pressure;
    return constant(is_open ? cell::beyond : cell::wall);
  });
}

double odd_rate(double even, double magic) { return 1 / (magic / (1 / even - 0.5) + 0.5); }

}  // namespace goban::lbm
