#include "goban/simulation/checkpointer/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/rank_values.hpp"
#include "goban/simulation/plan/program_parts.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

CheckpointArray array_of(const LiveField& field, const RunPlan& plan) {
  const FieldRecord& record = *field.record;
  CheckpointArray array{.name = record.name,
                        .type = record.type,
                        .extents = field.grid->domain(record.location).extents(),
                        .components = record.components,
                        .optional = !field.needed,
                        .constant = !field.changes && plan.adjustments.empty()};
  array.owned_by = [field](int rank) {
    const Decomposition& decomposition = decomposition_of(*field.grid);
    return values_of_rank(decomposition, *field.grid, *field.record, rank);
  };
  array.copy_out = [field](const Box& box, void* elements) {
    field.grid->storage().copy_out(*field.record, box, elements);
  };
  array.copy_in = [field](const Box& box, const void* elements) {
    field.grid->storage().copy_in(*field.record, box, elements);
  };
  return array;
}

/// Bits, because values may be infinite; the number is for human readers.
Json json_of(double value) {
  return {{"value", fmt::format("{}", value)},
          {"bits", hex_of(std::bit_cast<std::uint64_t>(value))}};
}
double number_in(const Json& json) {
  return std::bit_cast<double>(from_hex(json.at("bits").get<std::string>()));
}

Json json_of(const SimulationOutput& output) {
  return {{"schedule", output.when().state()}, {"last", output.last()}, {"state", output.state()}};
}

/// Does what reads a checkpoint. Error (no_checkpoint): its JSON is not what is expected.
template <class F>
auto understood(F&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::no_checkpoint, "the checkpoint cannot be understood", error.what());
  }
}

void restore_parameters(const Json& json, const RunPlan& plan, const Engines& engines) {
  std::vector<bool> taken(json.size(), false);
  for (const auto& parameter : parameters_of(plan, engines)) {
    // Names may repeat; then they come in the same order.
    std::size_t i = 0;
    while (i < json.size() && (taken[i] || json[i].at("name") != parameter->name)) ++i;
    if (i == json.size()) {
      throw Error(ExitCode::no_checkpoint,
                  fmt::format("parameter '{}' is not in the checkpoint", parameter->name),
                  "it was written by another program");
    }
    taken[i] = true;
    parameter->value = number_in(json[i]);
  }
}

}  // namespace

std::vector<std::shared_ptr<ParameterRecord>> parameters_of(const RunPlan& plan,
                                                            const Engines& engines) {
  auto all = engines.parameters();
  const auto add = [&](const auto& parameter) {
    if (parameter && std::find(all.begin(), all.end(), parameter) == all.end()) {
      all.push_back(parameter);
    }
  };
  add(plan.options.dt.parameter);
  for (const auto& parameter : plan.kept) add(parameter);
  return all;
}

CheckpointSubject subject_of(RunPlan& plan, const Engines& engines) {
  const GridState& grid = *plan.grid.state();
  CheckpointSubject subject;
  subject.program = plan.program.name();
  subject.cells = grid.cells;
  if (grid.active) subject.active = hex_of(grid.active->hash());
  subject.spacing = grid.spacing;
  subject.origin = grid.origin;
  subject.seed = grid.context->settings().seed;
  // Fields of several grids may share a name.
  const auto add = [&](CheckpointArray array) {
    const std::string name = array.name;
    for (int n = 2; std::any_of(subject.arrays.begin(), subject.arrays.end(),
                                [&](const auto& other) { return other.name == array.name; });
         ++n) {
      array.name = fmt::format("{} {}", name, n);
    }
    subject.arrays.push_back(std::move(array));
  };
  for (const LiveField& field : engines.live_fields()) add(array_of(field, plan));
  for (CheckpointArray& array : arrays_of_calls(plan.program)) add(std::move(array));
  for (const auto& output : plan.outputs) {
    for (CheckpointArray& array : output->arrays()) subject.arrays.push_back(std::move(array));
  }
  subject.accept = [&plan](const CheckpointState& state) {
    const auto changes = changes_since(state, plan);
    require_allowed(changes, plan.options);
    return std::all_of(changes.begin(), changes.end(), [](const auto& c) { return c.is_free; });
  };
  return subject;
}

CheckpointState state_of(const RunPlan& plan, const Engines& engines, const StepClock& clock) {
  Json parameters = Json::array();
  for (const auto& parameter : parameters_of(plan, engines)) {
    Json json = {{"name", parameter->name}};
    json.update(json_of(parameter->value));
    parameters.push_back(std::move(json));
  }
  Json outputs = Json::object();
  for (const auto& output : plan.outputs) outputs[output->name()] = json_of(*output);
  CheckpointState state{clock.step, clock.time, Json::object()};
  state.details["dt"] = json_of(clock.current_dt());
  state.details["pace"] = {{"step", clock.pace.step},
                           {"begin", json_of(clock.pace.begin)},
                           {"dt", json_of(clock.pace.dt)}};
  state.details["parameters"] = std::move(parameters);
  state.details["outputs"] = std::move(outputs);
  state.details["case"] = Json::object();
  for (const auto& [key, value] : plan.options.case_values) state.details["case"][key] = value;
  state.details["changes"] = json_of(plan.changes);
  if (plan.checkpoints) state.details["checkpoints"] = plan.checkpoints->state();
  return state;
}

std::vector<CaseChange> changes_since(const CheckpointState& state, const RunPlan& plan) {
  return understood([&] { return changes_since(state.details, state.step, plan.options); });
}

std::vector<std::string> restore_state(const CheckpointState& state, RunPlan& plan,
                                       const Engines& engines, StepClock& clock) {
  std::vector<std::string> unknown;
  understood([&] {
    restore_parameters(state.details.at("parameters"), plan, engines);
    const Json& outputs = state.details.at("outputs");
    for (const auto& output : plan.outputs) {
      const auto saved = outputs.find(output->name());
      if (saved == outputs.end()) {
        unknown.push_back(output->name());
        continue;
      }
      output->when().restore(saved->at("schedule"));
      output->set_last(saved->at("last"));
      if (!saved->at("state").is_null()) output->restore(saved->at("state"));
    }
    if (plan.checkpoints && state.details.contains("checkpoints")) {
      plan.checkpoints->restore(state.details.at("checkpoints"));
    }
    plan.changes = changes_in(state.details.at("changes"));
    if (state.details.contains("pace")) {  // earlier versions added up steps
      const Json& pace = state.details.at("pace");
      clock.pace = {pace.at("step").get<Index>(), number_in(pace.at("begin")),
                    number_in(pace.at("dt"))};
    }
  });
  for (CaseChange& change : changes_since(state, plan)) plan.changes.push_back(std::move(change));
  clock.step = state.step;
  clock.time = state.time;
  return unknown;
}

}  // namespace goban
