#include "goban/backend/cpu/evaluator/evaluator.hpp"

#include <optional>

#include "goban/backend/cpu/column_scratch.hpp"
#include "goban/backend/cpu/evaluator/row_run.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban::cpu {

struct Evaluator::Programs {
  RowManner manner;
  std::optional<RowProgram> whole, forward, backward;
  int scratch_numbers = 0, scratch_bytes = 1;  ///< numbers of a level, and bytes of one number
};

Evaluator::Evaluator(const Stage& stage) {
  auto made = std::make_shared<Programs>();
  std::vector<bool> reads_other_grid;
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    const auto& field = stage.arguments[a].field;
    reads_other_grid.push_back(field && !map_of(stage, a).is_identity());
    if (!field) continue;
    made->manner.order = field->order;
    made->manner.stores_late |= field->in_place && stage.arguments[a].access == Access::out;
  }
  made->manner.reduces = stage.kind == Stage::Kind::reduce;
  const auto program = [&](const Graph& graph, const Footprint& footprint) {
    return RowProgram(without_branches(graph, footprint), footprint, made->manner.order[0],
                      reads_other_grid);
  };
  if (!stage.columns) {
    made->whole = program(*stage.graph, stage.footprint);
  } else {
    for (const ParameterDescription& parameter : stage.footprint.parameters) {
      if (parameter.kind != ParameterDescription::Kind::scratch) continue;
      made->scratch_numbers = parameter.components;
      made->scratch_bytes = static_cast<int>(size_of(parameter.type));
    }
    const auto& [axis, forward, backward] = *stage.columns;
    if (forward.graph) made->forward = program(*forward.graph, forward.footprint);
    if (backward.graph) made->backward = program(*backward.graph, backward.footprint);
  }
  programs_ = std::move(made);
}

void Evaluator::operator()(const SweepCall& call) const {
  const Programs& it = *programs_;
  if (call.box.empty()) return;
  if (it.whole) return RowRun(*it.whole, it.manner, call)(call.box);
  const int axis = call.column_axis;
  for_each_tile(call, it.manner.order, it.scratch_numbers * it.scratch_bytes, [&](const Box& tile) {
    const ColumnScratch scratch(tile, axis, it.manner.order, it.scratch_numbers, it.scratch_bytes);
    const auto walk = [&](const RowProgram& program, Index first, Index last, Index by) {
      const ScratchBinding here = scratch.coming_from(-by);
      SweepCall levels = call;
      levels.scratch = &here;
      RowRun run(program, it.manner, levels);
      Box level = tile;
      for (Index k = first; k != last; k += by) {
        level.lower[axis] = k;
        level.upper[axis] = k + 1;
        run(level);
      }
    };
    if (it.forward) walk(*it.forward, tile.lower[axis], tile.upper[axis], 1);
    if (it.backward) walk(*it.backward, tile.upper[axis] - 1, tile.lower[axis] - 1, -1);
  });
}

}  // namespace goban::cpu
