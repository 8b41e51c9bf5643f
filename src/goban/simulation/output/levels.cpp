#include "goban/simulation/output/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Heights of ground, centres of cells and lid in the middle of a column.
std::vector<double> nodes_of(const Vertical& vertical, Index i, Index j, Index cells) {
  std::vector<double> nodes{vertical.face({i, j, 0})};
  for (Index k = 0; k < cells; ++k) {
    nodes.push_back((vertical.face({i, j, k}) + vertical.face({i, j, k + 1})) / 2);
  }
  nodes.push_back(vertical.face({i, j, cells}));
  return nodes;
}

}  // namespace

Position on_grid(const AnyField& field, Position point) {
  if (!field.vertical() || !field.vertical()->face) return point;
  const GridState& grid = field.grid();
  const Index cells = grid.box_cells()[2];
  const Real3 at = {point.x, point.y, point.z};
  Index3 low{};
  Real3 share{};
  for (int a = 0; a < 2; ++a) {
    double column = (at[a] - grid.origin[a]) / grid.spacing[a] - 0.5;
    if (!grid.is_box_periodic(a)) column = std::clamp(column, 0.0, grid.box_cells()[a] - 1.0);
    low[a] = static_cast<Index>(std::floor(column));
    share[a] = column - static_cast<double>(low[a]);
  }
  std::vector<double> nodes(static_cast<std::size_t>(cells) + 2);
  for (int n = 0; n < 4; ++n) {
    Index3 column{};
    double weight = 1;
    for (int a = 0; a < 2; ++a) {
      const bool is_high = (n >> a & 1) != 0;
      weight *= is_high ? share[a] : 1 - share[a];
      column[a] = low[a] + (is_high ? 1 : 0);
      if (grid.is_box_periodic(a))
        column[a] = (column[a] + grid.box_cells()[a]) % grid.box_cells()[a];
    }
    if (weight == 0) continue;
    const auto one = nodes_of(*field.vertical(), column[0], column[1], cells);
    for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k] += weight * one[k];
  }
  const double height = point.z - grid.origin[2];
  require(height >= nodes.front() && height <= nodes.back(),
          fmt::format("position ({}, {}, {}) is refused", at[0], at[1], at[2]),
          fmt::format("the ground lies at {:.6g} there and the lid at {:.6g}",
                      grid.origin[2] + nodes.front(), grid.origin[2] + nodes.back()),
          "heights are meant, not levels");
  const auto next = std::clamp<std::ptrdiff_t>(
      std::upper_bound(nodes.begin(), nodes.end(), height) - nodes.begin(), 1,
      static_cast<std::ptrdiff_t>(nodes.size()) - 1);
  const auto of = static_cast<std::size_t>(next);
  const auto level = [&](std::size_t node) {
    return std::clamp(static_cast<double>(node) - 0.5, 0.0, static_cast<double>(cells));
  };
  const double part = (height - nodes[of - 1]) / (nodes[of] - nodes[of - 1]);
  point.z = grid.origin[2] + grid.spacing[2] * (level(of - 1) + part * (level(of) - level(of - 1)));
  return point;
}

std::function<Real3(Index3)> nodes_of(const AnyField& field) {
  if (!field.vertical() || !field.vertical()->face) return nullptr;
  const GridState& grid = field.grid();
  const auto column = [&grid](int axis, Index n) {
    const Index count = grid.box_cells()[axis];
    return grid.is_box_periodic(axis) ? (n + count) % count : std::clamp<Index>(n, 0, count - 1);
  };
  return [&grid, column, vertical = field.vertical()](Index3 node) -> Real3 {
    double height = 0;
    for (const Index i : {node[0] - 1, node[0]}) {
      for (const Index j : {node[1] - 1, node[1]}) {
        height += 0.25 * vertical->face({column(0, i), column(1, j), node[2]});
      }
    }
    const auto flat = [&](std::size_t a) {
      return grid.origin[a] + static_cast<double>(node[static_cast<int>(a)]) * grid.spacing[a];
    };
    return {flat(0), flat(1), grid.origin[2] + height};
  };
}

bool follows_ground(const AnyField& field, Axis normal) {
  return normal != Axis::z && field.vertical() && field.vertical()->face;
}

Array by_height(const AnyField& field, const ArrayView& plane, Axis normal, Index layer,
                std::optional<double> below) {
  const GridState& grid = field.grid();
  const int across = normal == Axis::x ? 1 : 0;
  const Index columns = grid.box_cells()[across], levels = grid.box_cells()[2];
  const auto face = [&](Index i, Index k) {
    Index3 cell{layer, layer, k};
    cell[across] = i;
    return field.vertical()->face(cell);
  };
  Index3 extents = plane.extents;
  extents[2] = levels * rows_of_level;
  const double row = grid.spacing[2] / static_cast<double>(rows_of_level);
  Array result(ElementType::float64, extents, 1, plane.name);
  const auto values = result.as<double>();
  for (Index i = 0; i < columns; ++i) {
    Index k = 0;
    for (Index n = 0; n < extents[2]; ++n) {
      const double height = (static_cast<double>(n) + 0.5) * row;
      while (k + 1 < levels && face(i, k + 1) <= height) ++k;
      Index3 cell{0, 0, k};
      cell[across] = i;
      const double value = plane.at(cell[0], cell[1], cell[2]);
      values[static_cast<std::size_t>(i + columns * n)] =
          below && height < face(i, 0) ? *below : value;
    }
  }
  return result;
}

}  // namespace goban
