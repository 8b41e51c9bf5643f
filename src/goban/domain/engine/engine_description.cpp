// How an engine runs its program, in words.

#include <algorithm>
#include <set>
#include <sstream>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/plan_report.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/lowering/lower.hpp"
#include "goban/performance/model/step_prediction.hpp"

namespace goban {
namespace {

/// Describes the grid of a field if it is not the finest one.
std::string on_coarser(const GridState& grid) {
  if (grid.number == 0) return "";
  const auto& [x, y, z] = grid.cells;
  return ", on " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z) +
         " cells";
}

/// Describes the number of active cells, how evenly patches share them, and how many cells they
/// read of each other.
std::string describe_list(GridState& grid) {
  const Domain& domain = domain_of(grid);
  const int patches = domain.decomposition(grid.number).patches();
  const Index3 box = grid.active->box();
  const auto cells = static_cast<double>(grid.active->size());
  std::ostringstream text;
  text << "  active cells " << grid.active->size() << " of " << box[0] << " x " << box[1] << " x "
       << box[2] << ", " << patches << " patches";
  if (const Index parts = std::ssize(grid.list->parts()) - 1; parts > 1) {
    text << ", the list in " << parts << " parts";
  }
  const ListCut* const cut = domain.list_cut(grid.number);
  if (cut && patches > 1) {
    text << ", the largest " << 100 * cut->imbalance << " % above the mean, read of others "
         << 100 * static_cast<double>(cut->read) / cells << " % of the cells, by a patch at most "
         << cut->most_read;
  }
  return text.str() + "\n";
}

/// Writes a line for every bundle of sweeps.
std::string bundles_in(const CommandList& list, const Cycle& cycle, bool are_launches) {
  std::string text;
  for (std::size_t i = 0; i < list.commands.size(); ++i) {
    const int bundled = list.commands[i].bundled;
    if (bundled == 0) continue;
    std::string names;
    for (std::size_t n = i; n <= i + static_cast<std::size_t>(bundled); ++n) {
      const auto instance =
          static_cast<std::size_t>(std::get<Sweep>(list.commands[n].what).instance);
      names += (names.empty() ? "" : " + ") + cycle.instances[instance].stage->name;
    }
    text += (are_launches ? "  one launch: " : "  tile by tile: ") + names + "\n";
  }
  return text;
}

}  // namespace

std::string Engine::describe() {
  std::ostringstream text;
  make_schedules();
  text << "program " << program_.name() << "\n";
  visit_segments(*block_, [&](Segment& segment) {
    std::set<const void*> graphs;  // rounds of unrolled loops come again
    for (const auto& stage : segment.stages) {
      if (!stage->is_sweep() || !graphs.insert(stage->graph.get()).second) continue;
      text << "  stage " << stage->name << ": " << stage->footprint.reads.size() << " reads, "
           << stage->footprint.flops << " flops\n";
    }
    if (segment.grid->active) text << describe_list(*segment.grid);
    for (const SampleMemory& memory : segment.samples) {
      text << "  samples " << memory.samples().bytes() << " bytes of "
           << memory.samples().fields().size() << " fields\n";
    }
    const Schedule& schedule = planned_for(segment, segment.plan.steps_per_exchange).schedule;
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& field = segment.slots.field(s);
      const auto& w = halos_.at(segment.grid->root)[static_cast<std::size_t>(field.id)];
      if (field.is_table) {
        text << "  table of goban's own: " << name_of(field.type) << " x " << field.components
             << "\n";
        continue;
      }
      text << "  field " << field.name << ": " << name_of(field.type) << " x " << field.components
           << ", halo x " << w.low[0] << "+" << w.high[0] << " y " << w.low[1] << "+" << w.high[1]
           << " z " << w.low[2] << "+" << w.high[2] << (scratch_.count(&field) ? ", scratch" : "")
           << (field.in_place ? ", in place" : "") << on_coarser(*segment.slots.grid(s)) << "\n";
    }
    const Domain& domain = domain_of(*segment.grid);
    Bindings bindings = domain.bindings_with(halos_.at(segment.grid.get()));
    const int steps_per_pass = schedule.cycle.steps > 1 ? segment.plan.steps_per_pass : 1;
    const CommandList list = lower(schedule, segment.slots, bindings, steps_per_pass);
    const Work work = work_of(list, schedule, segment.slots);
    const auto patches = std::max(1.0, static_cast<double>(schedule.patches.size()));
    text << "  steps per exchange " << schedule.cycle.steps << ", redundant work "
         << (work.owned > 0 ? work.cells / work.owned - 1 : 0) * 100
         << " %, halo bytes per patch and cycle " << work.halo_bytes / patches << "\n"
         << "  commands per cycle " << list.commands.size() << ", " << work.bytes << " bytes, "
         << work.flops << " flops\n";
    if (!bindings.is_asynchronous) {
      text << bundles_in(list, schedule.cycle, false);
      return;
    }
    bindings.state = list.after;  // when halos that stay have been made
    bindings.before = list.hazards;
    const CommandList later = lower(schedule, segment.slots, bindings, steps_per_pass);
    text << bundles_in(later, schedule.cycle, true);
  });
  text << "  steps per pass through cache " << steps_per_pass();
  if (!pass_refusal().empty()) text << " (" << pass_refusal() << ")";
  if (const auto all = plans(); !all.empty()) text << "\n  plans to run a step: " << text_of(all);
  bool has_devices = false;
  visit_segments(*block_, [&](Segment& segment) {
    has_devices = has_devices || domain_of(*segment.grid).some_executor().is_asynchronous();
  });
  const auto describe_loop = [&](Loop& loop) {
    if (!has_devices) return;
    const std::string why = loop.refusal.empty() ? device_refusal(loop) : loop.refusal;
    text << "\n  loop " << loop.stage->name
         << (why.empty() ? " is repeated by the device" : " takes the host (" + why + ")");
    int most = 1;
    for (const auto& one : loop.recorded) most = std::max(most, one->rounds);
    if (most > 1) text << ", " << most << " rounds in a body";
  };
  if (steps_) describe_loop(*steps_);
  for (const Stage* repeat : unrolled_) {
    text << "\n  loop " << repeat->name << " is unrolled, " << repeat->count << " rounds";
  }
  visit_items(*block_, [&](auto& what) {
    if (auto* const loop = std::get_if<Loop>(&what)) describe_loop(*loop);
  });
  const std::string unrecorded = recording_refusal();
  if (!unrecorded.empty()) text << "\n  cycles are not recorded (" << unrecorded << ")";
  const SweepWork work = work_per_update();
  text << "\n  " << work.bytes << " bytes and " << work.flops << " flops per update\n";
  return text.str();
}

}  // namespace goban
