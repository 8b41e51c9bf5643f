#include "goban/grid/grid.hpp"

#include <cmath>

#include "goban/base/error.hpp"

namespace goban {

GridContext::~GridContext() = default;

Box GridState::domain(Location location) const {
  Box box{{0, 0, 0}, cells};
  for (int a = 0; a < 3; ++a) {
    if (is_staggered(location, a) && !is_periodic(a)) ++box.upper[a];
  }
  return box;
}

Grid Grid::coarsened(Index3 ratio, const CoarseningOptions& options) const {
  require(!state_->active, "grid cannot be coarsened", "it has active cells alone",
          "make a grid of the whole box");
  require(ratio != Index3{1, 1, 1}, "grid cannot be coarsened", "the ratio is 1 along every axis",
          "put cells together along one axis at least");
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string refused = "grid cannot be coarsened along " + std::string(1, "xyz"[a]);
    require(ratio[a] == 1 || ratio[a] == 2, refused,
            "the ratio is " + std::to_string(ratio[a]) + ", it may be 1 or 2",
            "coarsen the coarser grid once more");
    require(state_->cells[a] % ratio[a] == 0, refused,
            "its " + std::to_string(state_->cells[a]) + " cells cannot be put together in twos",
            "choose an even number of cells, or the ratio 1 there");
    require(options.patches[a] >= 0 && options.patches[a] <= state_->cells[a] / ratio[a], refused,
            std::to_string(options.patches[a]) + " patches of " +
                std::to_string(state_->cells[a] / ratio[a]) + " cells were asked for",
            "ask for fewer");
  }
  return Grid(member_of(state_, state_->add_coarser(ratio, options).number));
}

Grid::Grid(GridContext& context, const GridOptions& options)
    : state_(std::make_shared<GridState>()) {
  static constexpr const char* axis_name[] = {"x", "y", "z"};
  for (int a = 0; a < 3; ++a) {
    require(options.cells[a] > 0, std::string("grid has no cells along ") + axis_name[a],
            "got " + std::to_string(options.cells[a]));
    const double spacing = options.spacing.value[a], origin = options.origin[a];
    require(spacing > 0 && std::isfinite(spacing),
            std::string("grid spacing along ") + axis_name[a] + " is not positive and finite",
            "got " + std::to_string(spacing));
    require(std::isfinite(origin),
            std::string("grid origin along ") + axis_name[a] + " is not a finite number",
            "got " + std::to_string(origin));
    const auto& sides = options.boundary.sides[a];
    require((sides[0].kind == periodic_kind) == (sides[1].kind == periodic_kind),
            std::string("boundary along ") + axis_name[a] + " is periodic on one side only",
            "both sides belong together", "make both periodic or neither");
  }
  constexpr double most = 9.0e18;
  require(static_cast<double>(options.cells[0]) * static_cast<double>(options.cells[1]) *
                  static_cast<double>(options.cells[2]) <
              most,
          "grid has too many cells", "their number does not fit 63 bits");
  state_->context = &context;
  state_->cells = options.cells;
  state_->spacing = options.spacing.value;
  state_->origin = options.origin;
  state_->boundary = options.boundary;
  const int parts = context.settings().parts;
  require(options.active || parts == 0, "run.parts = " + std::to_string(parts) + " is refused",
          "the grid has all cells of its box", "leave it out");
  if (!options.active) return;
  state_->active = state_->list = options.active.list(options.cells);
  state_->cells = {state_->active->size(), 1, 1};
}

}  // namespace goban
