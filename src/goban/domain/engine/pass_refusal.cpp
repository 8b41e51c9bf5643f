#include "goban/domain/engine/pass_refusal.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace goban {

std::string refusal_of(const Schedule& schedule, const ParameterRecord* dt) {
  if (!schedule.computes_ahead) return "stages exchange halos in between";
  const std::array<int, 3>* order = nullptr;
  const auto& instances = schedule.cycle.instances;
  const bool has_sweeps = std::any_of(instances.begin(), instances.end(),
                                      [](const auto& it) { return it.stage->is_sweep(); });
  if (!has_sweeps) return "nothing is computed";
  std::set<const ParameterRecord*> reduced;
  for (const auto& instance : instances) {
    const Stage& stage = *instance.stage;
    if (stage.columns) return "stage '" + stage.name + "' sweeps columns";
    if (stage.kind == Stage::Kind::reduce) reduced.insert(stage.target.get());
    for (const auto& argument : stage.arguments) {
      if (!argument.field) continue;
      if (!order) order = &argument.field->order;
      if (argument.field->order != *order) return "its stages have different memory layouts";
      if (argument.field->in_place) return "field '" + argument.field->name + "' is in place";
      if (argument.field->has_timed_ghosts()) {
        return "field '" + argument.field->name +
               "' has a boundary condition that is custom or varies";
      }
    }
  }
  if (reduced.count(dt) > 0) return "the time step follows a reduction";
  for (const auto& instance : instances) {
    const Stage& stage = *instance.stage;
    std::vector<std::shared_ptr<ParameterRecord>> used = stage.parameters;
    for (const auto& argument : stage.arguments) used.push_back(argument.parameter);
    for (const auto& parameter : used) {
      if (parameter && reduced.count(parameter.get()) > 0) {
        return "stage '" + stage.name + "' depends on what is reduced in the same step";
      }
    }
  }
  return {};
}

}  // namespace goban
