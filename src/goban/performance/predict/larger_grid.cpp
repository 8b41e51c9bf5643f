#include "goban/performance/predict/larger_grid.hpp"

#include "goban/base/error.hpp"

namespace goban {

StraightRun on_larger_grid(const StraightRun& run, Index3 factors) {
  if (factors == Index3{1, 1, 1}) return run;
  const GridState& old = *run.grid;
  require(!old.active, "a larger grid is refused", "active cells are those of one geometry",
          "predict for the grid that there is");
  const auto grid = std::make_shared<GridState>();
  grid->context = old.context;
  grid->spacing = old.spacing;
  grid->origin = old.origin;
  grid->boundary = old.boundary;
  grid->fields = old.root->fields;
  grid->is_whole = old.is_whole;
  for (int a = 0; a < 3; ++a) grid->cells[a] = factors[a] * old.cells[a];
  StraightRun larger = run;
  larger.grid = grid;
  larger.slots = {};
  for (int slot = 0; slot < run.slots.size(); ++slot) {
    larger.slots.add(run.slots.record(slot), grid);
  }
  for (std::shared_ptr<Stage>& stage : larger.stages) {
    stage = std::make_shared<Stage>(*stage);
    if (stage->grid) stage->grid = grid;
    for (StageArgument& argument : stage->arguments) {
      if (argument.grid) argument.grid = grid;
    }
    if (!stage->region) continue;
    for (int a = 0; a < 3; ++a) {
      const Index added = grid->cells[a] - old.cells[a];
      if (stage->region->upper[a] >= old.cells[a]) stage->region->upper[a] += added;
      if (stage->region->lower[a] >= old.cells[a]) stage->region->lower[a] += added;
    }
  }
  return larger;
}

}  // namespace goban
