#include "goban/simulation/run/divergence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/simulation/output/outputs.hpp"

namespace goban {

namespace {

/// Values of a field have numbers below this.
constexpr int bits_of_field = 44;

std::vector<const LiveField*> changing_fields(const Engines& engines) {
  std::vector<const LiveField*> all;
  for (const LiveField& field : engines.live_fields()) {
    if (field.changes) all.push_back(&field);
  }
  return all;
}

}  // namespace

void FiniteWatch::look(Index step) {
  const auto fields = changing_fields(engines_);
  std::map<Domain*, std::vector<Domain::NumberedField>> of_domain;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::uint64_t number = steps_.size() * fields.size() + f;
    of_domain[&domain_of(*fields[f]->grid)].push_back(
        {fields[f]->record.get(), number << bits_of_field});
  }
  for (const auto& [domain, numbered] : of_domain) domain->look_for_nonfinite(numbered);
  steps_.push_back(step);
}

void FiniteWatch::require_finite() {
  const std::vector<Index> steps = std::exchange(steps_, {});
  const auto fields = changing_fields(engines_);
  if (steps.empty() || fields.empty()) return;
  std::set<Domain*> domains;
  for (const LiveField* field : fields) domains.insert(&domain_of(*field->grid));
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 1> least{none};
  for (Domain* const domain : domains) {
    const std::uint64_t found = domain->first_nonfinite();
    if (found != Domain::none_is_nonfinite) {
      least[0] = std::min(least[0], static_cast<std::int64_t>(found));
    }
  }
  (*domains.begin())->communicator().minimum(least);
  if (least[0] == none) return;
  const auto number = static_cast<std::size_t>(least[0] >> bits_of_field);
  const LiveField& field = *fields[number % fields.size()];
  const Index value = least[0] & ((Index{1} << bits_of_field) - 1);
  const Index3 n = field.grid->domain(field.record->location).extents();
  Index3 cell{value % n[0], value / n[0] % n[1], value / (n[0] * n[1]) % n[2]};
  if (field.grid->list) cell = (*field.grid->list)[cell[0]];
  std::string where =
      fmt::format("step {}, cell ({})", steps[number / fields.size()], fmt::join(cell, ", "));
  if (field.record->components > 1) where += fmt::format(", component {}", value / product(n));
  // Before the first step none has computed anything.
  const bool is_given = steps[number / fields.size()] == 0;
  throw Error(ExitCode::diverged,
              fmt::format("field '{}' holds NaN or infinity", field.record->name), where,
              is_given ? "check what the fields begin with" : advice_);
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
  const auto snapshot = snapshot_output(fields, {}, {.name = "diverged"});
  engines.derive(*snapshot, clock);
  snapshot->open(place, std::nullopt);
  snapshot->write({.clock = {clock.step, clock.time, wall}});
}

}  // namespace goban
