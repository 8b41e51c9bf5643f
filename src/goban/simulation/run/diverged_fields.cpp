#include "goban/simulation/run/diverged_fields.hpp"

#include <algorithm>

#include "goban/simulation/output/snapshot_output.hpp"

namespace goban {

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
  SnapshotOutput snapshot(fields, {}, {.name = "diverged"});
  snapshot.open(place, std::nullopt);
  snapshot.write({.clock = {clock.step, clock.time, wall}});
}

}  // namespace goban
