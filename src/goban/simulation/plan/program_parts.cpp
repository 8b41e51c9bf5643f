#include "goban/simulation/plan/program_parts.hpp"

#include <algorithm>

namespace goban {
namespace {

template <class Visit>
void visit_stages(const Program& program, Visit&& visit) {
  for (const auto& stage : program.stages()) {
    visit(*stage);
    if (stage->body) visit_stages(*stage->body, visit);
    if (stage->check) visit_stages(*stage->check, visit);
  }
}

}  // namespace

std::vector<UsedField> fields_of(const Program& program) {
  std::vector<UsedField> all;
  const auto add = [&](const std::shared_ptr<FieldRecord>& record,
                       const std::shared_ptr<GridState>& grid) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const UsedField& used) { return used.record == record; });
    if (record && grid && !known) all.push_back({record, grid});
  };
  visit_stages(program, [&](const Stage& stage) {
    for (const StageArgument& argument : stage.arguments) add(argument.field, argument.grid);
    for (const auto& name : stage.names) add(name, stage.grid);
    for (const StageArgument& argument : stage.arguments) {
      if (argument.grid) add(stage.mask, argument.grid);
    }
  });
  return all;
}

std::vector<const FieldRecord*> written_by(const Program& program) {
  std::vector<const FieldRecord*> all;
  visit_stages(program, [&](const Stage& stage) {
    for (const StageArgument& argument : stage.arguments) {
      if (argument.field && argument.access != Access::in) all.push_back(argument.field.get());
    }
    for (const auto& name : stage.names) all.push_back(name.get());
    for (const auto& field : stage.writes) all.push_back(field.get());
  });
  return all;
}

std::vector<const ParameterRecord*> numbers_written_by(const Program& program) {
  std::vector<const ParameterRecord*> all;
  visit_stages(program, [&](const Stage& stage) {
    if (stage.target) all.push_back(stage.target.get());
    for (std::size_t n = 0; n < stage.parameters.size(); ++n) {
      if (stage.parameter_access[n] != Access::in) all.push_back(stage.parameters[n].get());
    }
  });
  return all;
}

bool has_calls(const Program& program) {
  bool has_one = false;
  visit_stages(program, [&](const Stage& stage) { has_one |= stage.kind == Stage::Kind::call; });
  return has_one;
}

std::vector<CheckpointArray> arrays_of_calls(const Program& program) {
  std::vector<CheckpointArray> all;
  visit_stages(program, [&](const Stage& stage) {
    const auto* const call = stage.function.target<StatefulCall>();
    if (!call) return;
    for (CheckpointArray& array : call->arrays()) all.push_back(std::move(array));
  });
  return all;
}

std::vector<std::shared_ptr<ParameterRecord>> parameters_of(const Program& program) {
  std::vector<std::shared_ptr<ParameterRecord>> all;
  const auto add = [&](const std::shared_ptr<ParameterRecord>& parameter) {
    if (parameter && std::find(all.begin(), all.end(), parameter) == all.end()) {
      all.push_back(parameter);
    }
  };
  visit_stages(program, [&](const Stage& stage) {
    for (const StageArgument& argument : stage.arguments) add(argument.parameter);
    for (const auto& parameter : stage.parameters) add(parameter);
    add(stage.target);
    add(std::const_pointer_cast<ParameterRecord>(stage.condition.parameter));
  });
  return all;
}

}  // namespace goban
