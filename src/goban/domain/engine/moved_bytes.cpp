#include "goban/domain/engine/moved_bytes.hpp"

#include <algorithm>

#include "goban/lowering/bundles.hpp"

namespace goban {
namespace {

double cells_of(const GridState& grid) { return static_cast<double>(product(grid.cells)); }

}  // namespace

double share_of_grid(const Stage& stage) {
  const auto grid = grid_of(stage);
  const Box all{{0, 0, 0}, grid->cells};
  const Box its = stage.region ? intersection(*stage.region, all) : all;
  return static_cast<double>(its.volume()) / cells_of(*grid->root);
}

MovedBytes::MovedBytes(const std::vector<std::shared_ptr<Stage>>& stages, bool is_asynchronous)
    : is_asynchronous_(is_asynchronous) {
  for (const auto& stage : stages) {
    for (const Read& read : stage->footprint.reads) {
      const auto& field = stage->arguments[static_cast<std::size_t>(read.parameter)].field;
      if (read.offset != std::array{0, 0, 0}) read_beside_.insert(field.get());
    }
  }
}

double MovedBytes::of(const Stage& stage) {
  if (!stage.is_sweep()) {
    latest_ = nullptr;
    return 0;
  }
  if (!stands_beside_others(stage)) {
    known_.clear();
    written_.clear();
  }
  double bytes = stage.mask ? 1 : 0;
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    const StageArgument& argument = stage.arguments[a];
    if (!argument.field) continue;
    const double once = static_cast<double>(argument.field->element_size()) *
                        cells_of(*argument.grid) / cells_of(*grid_of(stage));
    bytes += once * (components_moved(stage, a) - known_before(stage, a));
  }
  latest_ = &stage;
  return share_of_grid(stage) * bytes;
}

bool MovedBytes::stands_beside_others(const Stage& stage) const {
  if (!latest_ || stage.kind != Stage::Kind::reduce) return false;
  if (is_asynchronous_ && product(grid_of(stage)->cells) >= most_cells_reduced_together) {
    return false;
  }
  return grid_of(stage) == grid_of(*latest_) && stage.region == latest_->region &&
         !latest_->columns &&
         std::none_of(written_.begin(), written_.end(),
                      [&](const FieldRecord* field) { return read_beside_.count(field) > 0; });
}

/// Components that are at hand; from now on all that it moves are.
int MovedBytes::known_before(const Stage& stage, std::size_t a) {
  const StageArgument& argument = stage.arguments[a];
  if (argument.access != Access::in) written_.insert(argument.field.get());
  std::set<int> components;
  for (const Read& read : stage.footprint.reads) {
    if (static_cast<std::size_t>(read.parameter) == a) components.insert(read.component);
  }
  for (int c = 0; argument.access != Access::in && c < argument.field->components; ++c) {
    components.insert(c);
  }
  int found = 0;
  for (const int c : components) found += known_.insert({argument.field.get(), c}).second ? 0 : 1;
  return stage.kind == Stage::Kind::reduce ? found : 0;
}

}  // namespace goban
