#include "goban/simulation/run/divergence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/simulation/output/outputs.hpp"

namespace goban {

void check_finite(const std::vector<LiveField>& fields, Index step, const std::string& advice) {
  for (const LiveField& field : fields) {
    if (!field.changes) continue;
    const auto place = field.grid->storage().find_nonfinite(*field.record);
    if (!place) continue;
    std::string where = fmt::format("step {}, cell ({})", step, fmt::join(place->index, ", "));
    if (field.record->components > 1) where += fmt::format(", component {}", place->component);
    throw Error(ExitCode::diverged,
                fmt::format("field '{}' holds NaN or infinity", field.record->name), where, advice);
  }
}

void write_diverged_fields(const RunPlan& plan, Engines& engines, const StepClock& clock,
                           const RunPlace& place, double wall) {
  std::vector<AnyField> fields;
  for (const auto& output : plan.outputs) {
    if (!output->is_snapshot()) continue;
    for (const AnyField& field : output->fields()) {
      const bool is_new = std::none_of(fields.begin(), fields.end(), [&](const AnyField& other) {
        return other.record() == field.record();
      });
      if (is_new && &field.grid() == plan.grid.state().get()) fields.push_back(field);
    }
  }
  if (fields.empty()) return;
  engines.derive(fields, false, clock);
  const auto snapshot = snapshot_output(fields, {}, {.name = "diverged"});
  snapshot->open(place, std::nullopt);
  snapshot->write({.clock = {clock.step, clock.time, wall}});
}

}  // namespace goban
