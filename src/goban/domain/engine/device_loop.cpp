#include "goban/domain/engine/device_loop.hpp"

#include <algorithm>
#include <variant>

namespace goban {
namespace {

bool uses_numbers(const Stage& stage, const DeviceNumbers& numbers) {
  return numbers.find(stage.target.get()) ||
         std::any_of(stage.arguments.begin(), stage.arguments.end(),
                     [&](const auto& argument) { return numbers.find(argument.parameter.get()); });
}

}  // namespace

std::string device_loop_refusal(const Stage& stage) {
  const std::string name = "'" + stage.name + "' ";
  if (stage.kind == Stage::Kind::sample) return name + "takes samples";
  if (stage.kind == Stage::Kind::compute) {
    if (stage.is_check) return "";
    if (stage.timed_function) return name + "sees the time";
    return stage.as_sweep ? "" : name + "is a scalar stage of the host, which takes no `auto`";
  }
  if (stage.footprint.sees_step) return name + "sees the step, the time or random numbers";
  for (const StageArgument& argument : stage.arguments) {
    if (!argument.field) continue;
    if (argument.field->in_place) return name + "works in place";
    if (argument.field->has_timed_ghosts()) {
      return "ghosts of '" + argument.field->name + "' are made by the host or follow the time";
    }
  }
  return "";
}

std::string device_loop_refusal(const CommandList& list, const Cycle& cycle,
                                const DeviceNumbers& numbers) {
  const auto uses = [&](int instance) {
    return uses_numbers(*cycle.instances[static_cast<std::size_t>(instance)].stage, numbers);
  };
  for (const Command& command : list.commands) {
    if (const auto* sweep = std::get_if<Sweep>(&command.what)) {
      if (command.stream != Stream::compute && uses(sweep->instance)) {
        return "sweeps beside others take numbers that it computes";
      }
    } else if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) {
      const bool any = std::any_of(pass->steps.begin(), pass->steps.end(),
                                   [&](const auto& step) { return uses(step.sweep.instance); });
      if (any) return "several steps in one pass take numbers that it computes";
    } else if (const auto* reduce = std::get_if<Reduce>(&command.what)) {
      if (reduce->partials.size() != 1 || reduce->partials.front().step >= 0) {
        return "a reduction has several parts";
      }
    } else if (std::holds_alternative<Post>(command.what) ||
               std::holds_alternative<Arrive>(command.what) ||
               std::holds_alternative<RankBarrier>(command.what) ||
               std::holds_alternative<DeviceBarrier>(command.what)) {
      return "halos come from other devices";
    } else if (std::holds_alternative<MoveInPlace>(command.what) ||
               std::holds_alternative<BeginSample>(command.what) ||
               std::holds_alternative<Sample>(command.what)) {
      return "the host takes part in every step";
    }
  }
  return "";
}

}  // namespace goban
