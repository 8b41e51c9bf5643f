#include "goban/stencil/columns.hpp"

#include <algorithm>

namespace goban {
namespace {

void add_sweep(Footprint& whole, const Footprint& sweep) {
  whole.reads.insert(whole.reads.end(), sweep.reads.begin(), sweep.reads.end());
  std::sort(whole.reads.begin(), whole.reads.end());
  whole.reads.erase(std::unique(whole.reads.begin(), whole.reads.end()), whole.reads.end());
  for (std::size_t n = 0; n < whole.outputs.size(); ++n) {
    whole.outputs[n].fewest_assignments += sweep.outputs[n].fewest_assignments;
    whole.outputs[n].most_assignments += sweep.outputs[n].most_assignments;
  }
  whole.flops += sweep.flops;
  whole.integer_operations += sweep.integer_operations;
  whole.special_functions += sweep.special_functions;
  whole.paths = std::max(whole.paths, sweep.paths);
  whole.branching = whole.branching || sweep.branching;
  whole.sees_step = whole.sees_step || sweep.sees_step;
  if (whole.error != TraceError::none) return;
  whole.error = sweep.error;
  whole.error_output = sweep.error_output;
}

/// What the second sweep reads of scratch, somebody has assigned.
void check_scratch(Footprint& whole, const Footprint& first, const Footprint& second) {
  for (std::size_t n = 0; n < second.outputs.size(); ++n) {
    const Output& output = second.outputs[n];
    const bool by_first = first.outputs[n].most_assignments > 0;
    const bool by_any = by_first || output.most_assignments > 0;
    const bool is_unwritten =
        (output.needs_first && !by_first) || (output.needs_any_before && !by_any);
    if (!is_unwritten || whole.error != TraceError::none) continue;
    whole.error = TraceError::unwritten_scratch;
    whole.error_output = output;
  }
}

/// Fields are assigned once by the two sweeps together, all their components by the same one.
void check_together(Footprint& whole, const Footprint& forward) {
  for (const Output& output : whole.outputs) {
    if (whole.error != TraceError::none) return;
    const auto p = static_cast<std::size_t>(output.parameter);
    if (whole.parameters[p].kind != ParameterDescription::Kind::field) continue;
    const bool keeps = whole.parameters[p].access == Access::inout;
    const bool is_split =
        std::any_of(forward.outputs.begin(), forward.outputs.end(), [&](const Output& other) {
          const auto n = static_cast<std::size_t>(&output - whole.outputs.data());
          return other.parameter == output.parameter &&
                 other.most_assignments != forward.outputs[n].most_assignments;
        });
    if (output.most_assignments > 1) whole.error = TraceError::assigned_twice;
    if (is_split || (!keeps && output.fewest_assignments == 0)) {
      whole.error = TraceError::unassigned_output;
    }
    whole.error_output = output;
  }
}

}  // namespace

Footprint together(const Footprint& forward, const Footprint& backward) {
  if (forward.parameters.empty()) return together(backward, forward);
  Footprint whole = forward;
  if (!backward.parameters.empty()) {
    add_sweep(whole, backward);
    check_scratch(whole, forward, backward);
  }
  check_together(whole, forward);
  std::erase_if(whole.outputs, [&](const Output& output) {
    return whole.parameters[static_cast<std::size_t>(output.parameter)].kind ==
           ParameterDescription::Kind::scratch;
  });
  return whole;
}

}  // namespace goban
