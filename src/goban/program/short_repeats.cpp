#include "goban/program/short_repeats.hpp"

#include <algorithm>

#include "goban/program/program.hpp"

namespace goban {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;

bool is_the_same_in_all_rounds(const Stage& stage) {
  if (stage.kind == Stage::Kind::permute) return true;
  if (stage.kind != Stage::Kind::apply || stage.footprint.sees_step) return false;
  return std::none_of(stage.arguments.begin(), stage.arguments.end(), [](const auto& argument) {
    return argument.field && (argument.field->in_place || argument.field->has_timed_ghosts());
  });
}

bool has_several_grids(const Stages& stages) {
  const GridState* first = nullptr;
  for (const auto& stage : stages) {
    for (const auto& argument : stage->arguments) {
      if (!argument.grid) continue;
      if (!first) first = argument.grid.get();
      if (argument.grid.get() != first) return true;
    }
  }
  return false;
}

}  // namespace

Stages rounds_of_short_repeat(const Stage& repeat, std::size_t most) {
  if (repeat.kind != Stage::Kind::repeat) return {};
  Stages round, all;
  for (const auto& stage : repeat.body->stages()) {
    if (is_the_same_in_all_rounds(*stage)) {
      round.push_back(stage);
      continue;
    }
    const Stages inner = rounds_of_short_repeat(*stage, most);
    if (inner.empty()) return {};
    round.insert(round.end(), inner.begin(), inner.end());
  }
  const auto count = static_cast<std::size_t>(repeat.count);
  if (round.empty() || count > most / round.size() || !has_several_grids(round)) return {};
  for (std::size_t n = 0; n < count; ++n) all.insert(all.end(), round.begin(), round.end());
  return all;
}

}  // namespace goban
