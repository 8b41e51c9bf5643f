#include "flow/regions.hpp"

#include <cmath>

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/stencil/staggered.hpp"

namespace goban::flow {
namespace {

/// What flows into a region of fluid and where it may leave.
struct Ends {
  double inflow = 0;        ///< m3/s
  double outflow_area = 0;  ///< m2
  bool holds_pressure = false;
  Index cells = 0;
};

class Regions {
 public:
  Regions(const std::vector<std::uint8_t>& types, const Model& model, const GridState& grid)
      : model_(model), grid_(grid), is_open_(types.size()) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      is_open_[i] = types[i] == staggered::cell::fluid;
    }
  }

  /// The next one, whose cells are taken; one without cells: there was none left.
  Ends next() {
    while (first_ < is_open_.size() && !is_open_[first_]) ++first_;
    Ends ends;
    if (first_ == is_open_.size()) return ends;
    take(first_);
    while (!front_.empty()) {
      const Index3 cell = at(front_.back());
      front_.pop_back();
      ++ends.cells;
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t side = 0; side < 2; ++side) visit(cell, a, side, ends);
      }
    }
    return ends;
  }

 private:
  Index3 at(std::size_t i) const {
    const auto n = static_cast<Index>(i);
    const Index3& cells = grid_.cells;
    return {n % cells[0], n / cells[0] % cells[1], n / (cells[0] * cells[1])};
  }
  void take(std::size_t i) {
    if (!is_open_[i]) return;
    is_open_[i] = false;
    front_.push_back(i);
  }
  /// The neighbour of a cell, or the side of the grid.
  void visit(Index3 cell, std::size_t a, std::size_t side, Ends& ends) {
    const Index3& cells = grid_.cells;
    const Index n = cells[a];
    const bool is_end = side == 0 ? cell[a] == 0 : cell[a] == n - 1;
    const Edge edge = model_.edges[a][side];
    if (is_end && edge != Edge::periodic) return add(cell, a, side, edge, ends);
    cell[a] = (cell[a] + (side == 0 ? n - 1 : 1)) % n;
    take(static_cast<std::size_t>((cell[2] * cells[1] + cell[1]) * cells[0] + cell[0]));
  }
  void add(Index3 cell, std::size_t a, std::size_t side, Edge edge, Ends& ends) const {
    const Real3& h = grid_.spacing;
    const double face = h[0] * h[1] * h[2] / h[a];
    if (edge == Edge::pressure) ends.holds_pressure = true;
    if (edge == Edge::outflow) ends.outflow_area += face;
    if (edge != Edge::inflow) return;
    const double speed = model_.inflow(a, side)[a].at(0) * (side == 0 ? 1 : -1);
    ends.inflow +=
        face * speed * model_.inflow_profile(grid_.position(cell, Location::cell), grid_);
  }

  const Model& model_;
  const GridState& grid_;
  std::vector<bool> is_open_;
  std::vector<std::size_t> front_;
  std::size_t first_ = 0;
};

}  // namespace

void check_regions(const std::vector<std::uint8_t>& types, const Model& model,
                   const GridState& grid) {
  std::vector<Ends> all;
  double inflow = 0, area = 0, through = 0;
  Regions regions(types, model, grid);
  for (Ends ends = regions.next(); ends.cells > 0; ends = regions.next()) {
    inflow += ends.inflow;
    through += std::abs(ends.inflow);
    area += ends.outflow_area;
    all.push_back(ends);
  }
  for (const Ends& ends : all) {
    if (ends.holds_pressure) continue;
    const double out = area > 0 ? inflow * ends.outflow_area / area : 0;
    if (std::abs(ends.inflow - out) <= 1e-9 * through) continue;
    require(ends.outflow_area > 0, "a region of fluid has an inflow and no way out",
            fmt::format("{:.3g} m3/s enter its {} cells, which solids cut off from the outflow",
                        ends.inflow, ends.cells),
            "leave a way through the solids, or make its side a wall");
    throw Error(ExitCode::usage, "a region of fluid cannot let out what enters it",
                fmt::format("{:.3g} m3/s enter its {} cells, which solids cut off from others; "
                            "outflow sides, at one mean speed, let out {:.3g} m3/s of it",
                            ends.inflow, ends.cells, out),
                "make outflow sides \"pressure 0\", which let out what arrives");
  }
}

}  // namespace goban::flow
