#include "goban/io/case/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace goban {
namespace {

constexpr double tolerance = 1e-6;  ///< largest relative difference of lengths that are equal

bool are_equal(double a, double b) { return std::abs(a - b) <= tolerance * std::abs(b); }

Index layers_along(const GridKeys& grid, std::size_t axis) {
  return grid.layers[axis][0] + grid.layers[axis][1];
}

ValueProblem problem(std::string what, std::string why, std::string suggestion) {
  return {{}, std::move(what), std::move(why), std::move(suggestion)};
}

std::optional<ValueProblem> find_cells(GridKeys& grid) {
  Index3 cells{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double h = (*grid.spacing)[a];
    const double inside = grid.size[a] == 0 ? 1 : std::round(grid.size[a] / h);
    if (grid.size[a] != 0 && (inside < 1 || !are_equal(inside * h, grid.size[a]))) {
      return problem(
          "grid.size is no whole number of cells",
          fmt::format("{:.6g} of {:.6g} along {}", grid.size[a] / h, h, "xyz"[a]),
          fmt::format("a spacing of {:.9g} would fit", grid.size[a] / std::max(inside, 1.0)));
    }
    cells[a] = static_cast<Index>(inside) + layers_along(grid, a);
  }
  if (grid.cells && *grid.cells != cells) {
    return problem(
        "grid.cells, grid.spacing and grid.size contradict each other",
        fmt::format("spacing and size make {} x {} x {} cells", cells[0], cells[1], cells[2]),
        "leave one of them out");
  }
  grid.cells = cells;
  return std::nullopt;
}

std::optional<ValueProblem> find_spacing(GridKeys& grid) {
  Real3 spacing{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < 3; ++a) {
    const Index inside = (*grid.cells)[a] - layers_along(grid, a);
    if (inside < 1 || (grid.size[a] == 0 && inside > 1)) {
      return problem(
          "grid.cells and grid.size contradict each other",
          fmt::format("{} cells for a length of {:.6g} along {}", inside, grid.size[a], "xyz"[a]),
          "a length of 0 is one cell");
    }
    spacing[a] = grid.size[a] / static_cast<double>(inside);
    if (spacing[a] > 0) least = std::min(least, spacing[a]);
  }
  if (!std::isfinite(least)) {
    return problem("grid.size is 0", "cells have no width", "give the length of one axis");
  }
  for (double& h : spacing) {
    if (h == 0 || are_equal(h, least)) h = least;  // cubes are cubes to the last bit
  }
  grid.spacing = spacing;
  return std::nullopt;
}

}  // namespace

std::optional<ValueProblem> complete(GridKeys& grid) {
  if (!grid.cells && !grid.spacing) {
    return problem("the grid has no cells", "grid.size says how large it is, not how fine",
                   "add spacing = 0.01 or cells = [100, 100, 100] under [grid]");
  }
  const auto wrong = grid.spacing ? find_cells(grid) : find_spacing(grid);
  if (wrong) return wrong;
  for (std::size_t a = 0; a < 3; ++a) {
    grid.origin[a] -= static_cast<double>(grid.layers[a][0]) * (*grid.spacing)[a];
  }
  return std::nullopt;
}

}  // namespace goban
