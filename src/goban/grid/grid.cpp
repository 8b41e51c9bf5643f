#include "goban/grid/grid.hpp"

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

Grid::Grid(GridContext& context, const GridOptions& options)
    : state_(std::make_shared<GridState>()) {
  static constexpr const char* axis_name[] = {"x", "y", "z"};
  for (int a = 0; a < 3; ++a) {
    require(options.cells[a] > 0, std::string("grid has no cells along ") + axis_name[a],
            "got " + std::to_string(options.cells[a]));
    require(options.spacing.value[a] > 0,
            std::string("grid spacing along ") + axis_name[a] + " is not positive",
            "got " + std::to_string(options.spacing.value[a]));
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
}

}  // namespace goban
