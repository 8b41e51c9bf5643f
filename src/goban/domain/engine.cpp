#include "goban/domain/engine.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <variant>

#include "goban/base/activity.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/cycle_run.hpp"
#include "goban/domain/engine_block.hpp"
#include "goban/domain/stage_check.hpp"
#include "goban/program/in_place.hpp"

namespace goban {
namespace {

bool is_straight(const Stage& stage) { return !stage.is_loop() && stage.kind != Stage::Kind::call; }

/// The grid a sweep works on; null for stages without fields.
std::shared_ptr<GridState> grid_of(const Stage& stage) {
  if (stage.grid) return stage.grid;
  for (const auto& argument : stage.arguments) {
    if (argument.grid) return argument.grid;
  }
  return nullptr;
}

/// Of the grid's cells those of the stage's region.
double share_of_grid(const Stage& stage) {
  if (!stage.region) return 1;
  const Box all{{0, 0, 0}, grid_of(stage)->cells};
  return static_cast<double>(intersection(*stage.region, all).volume()) /
         static_cast<double>(all.volume());
}

}  // namespace

Engine::Engine(Program program) : program_(std::move(program)) {
  block_ = std::make_unique<Block>(make_block(program_));
  find_live(*block_);
}

Engine::~Engine() = default;

/// Straight runs of stages on one grid become segments; loops and host calls stand between them.
Engine::Block Engine::make_block(const Program& program) {
  Block block;
  Segment* open = nullptr;
  check_in_place(program.stages());
  for (const auto& stage : program.stages()) {
    check_stage(*stage);
    if (!is_straight(*stage)) {
      open = nullptr;
      if (stage->is_loop()) {
        Loop loop{stage, std::make_unique<Block>(make_block(*stage->body)), nullptr};
        if (stage->check) loop.check = std::make_unique<Block>(make_block(*stage->check));
        block.items.push_back(Item{std::move(loop)});
      } else {
        block.items.push_back(Item{stage});
      }
      continue;
    }
    const auto grid = grid_of(*stage);
    if (!open || (grid && open->grid && grid != open->grid)) {
      block.items.push_back(Item{Segment{}});
      open = &std::get<Segment>(block.items.back().what);
    }
    if (grid && !open->grid) open->grid = grid;
    open->stages.push_back(stage);
    for (const auto& argument : stage->arguments) {
      if (argument.field) open->slots.add(argument.field, argument.grid);
    }
    if (stage->mask) open->slots.add(stage->mask, grid);
    for (const auto& name : stage->names) open->slots.add(name, grid);
  }
  // Only a block that is one segment knows what its next step reads.
  block.straight = block.items.size() == 1 &&
                   std::holds_alternative<Segment>(block.items.front().what) &&
                   std::get<Segment>(block.items.front().what).grid;
  if (block.straight) std::get<Segment>(block.items.front().what).repeats = true;
  return block;
}

/// A field that every step overwrites before it reads it is scratch. Decided where the whole
/// program, or a loop's body whose field nobody else uses, is one straight segment.
void Engine::find_live(Block& block) {
  std::map<const FieldRecord*, int> users;
  visit_segments(*block_, [&](Segment& segment) {
    for (int s = 0; s < segment.slots.size(); ++s) ++users[&segment.slots.field(s)];
  });
  auto visit_calls = [&](auto&& self, Block& b) -> void {
    for (auto& item : b.items) {
      if (auto* stage = std::get_if<std::shared_ptr<Stage>>(&item.what)) {
        for (const auto& f : (*stage)->reads) ++users[f.get()];
        for (const auto& f : (*stage)->writes) ++users[f.get()];
      } else if (auto* loop = std::get_if<Loop>(&item.what)) {
        self(self, *loop->body);
        if (loop->check) self(self, *loop->check);
      }
    }
  };
  visit_calls(visit_calls, *block_);
  auto visit_blocks = [&](auto&& self, Block& b) -> void {
    for (auto& item : b.items) {
      if (auto* segment = std::get_if<Segment>(&item.what)) {
        segment->alive.assign(static_cast<std::size_t>(segment->slots.size()), true);
        const Cycle cycle = analyze(segment->stages, segment->slots,
                                    {1, true, std::vector<bool>(segment->alive.size(), false)});
        if (!b.straight) continue;
        for (std::size_t name = 0; name < segment->alive.size(); ++name) {
          const auto& field = segment->slots.field(static_cast<int>(name));
          const auto& held = cycle.versions[static_cast<std::size_t>(cycle.held[name])];
          const bool kept =
              std::any_of(cycle.versions.begin(), cycle.versions.end(),
                          [&](const Version& v) { return v.previous == cycle.held[name]; });
          const bool written =
              std::any_of(cycle.versions.begin(), cycle.versions.end(), [&](const Version& v) {
                return v.slot == static_cast<int>(name) && v.producer >= 0;
              });
          if (held.readers.empty() && !kept && written && users[&field] == 1 && !field.is_output) {
            segment->alive[name] = false;
            scratch_.insert(&field);
          }
        }
      } else if (auto* loop = std::get_if<Loop>(&item.what)) {
        self(self, *loop->body);
        if (loop->check) self(self, *loop->check);
      }
    }
  };
  visit_blocks(visit_blocks, block);
}

std::vector<std::shared_ptr<FieldRecord>> Engine::fields() const {
  std::vector<std::shared_ptr<FieldRecord>> all;
  visit_segments(*block_, [&](Segment& segment) {
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& record = segment.slots.record(s);
      if (std::find(all.begin(), all.end(), record) == all.end()) all.push_back(record);
    }
  });
  return all;
}

std::vector<std::shared_ptr<FieldRecord>> Engine::live_fields() const {
  auto all = fields();
  std::erase_if(all, [&](const auto& field) {
    return scratch_.count(field.get()) > 0 || field->in_place_of >= 0;
  });
  return all;
}

std::vector<std::shared_ptr<const Stage>> Engine::sweeps() const {
  std::vector<std::shared_ptr<const Stage>> all;
  visit_segments(*block_, [&](Segment& segment) {
    for (const auto& stage : segment.stages) {
      if (stage->is_sweep()) all.push_back(stage);
    }
  });
  return all;
}

double Engine::bytes_per_update() const {
  double bytes = 0;
  for (const auto& stage : sweeps()) {
    double of_cell = stage->mask ? 1 : 0;
    for (const auto& argument : stage->arguments) {
      if (argument.kind != StageArgument::Kind::field) continue;
      const double once =
          static_cast<double>(argument.field->element_size()) * argument.field->components;
      of_cell += argument.access == Access::inout ? 2 * once : once;
    }
    bytes += share_of_grid(*stage) * of_cell;
  }
  return bytes;
}

double Engine::flops_per_update() const {
  double flops = 0;
  for (const auto& stage : sweeps()) {
    flops += share_of_grid(*stage) * static_cast<double>(stage->footprint.flops);
  }
  return flops;
}

const Engine::Segment* Engine::leading_segment() const {
  const Segment* leading = nullptr;
  visit_segments(*block_, [&](const Segment& segment) {
    if (!leading || segment.way.steps_per_cycle > leading->way.steps_per_cycle) leading = &segment;
  });
  return leading;
}

int Engine::steps_per_exchange() const {
  const Segment* segment = leading_segment();
  return segment ? segment->way.steps_per_cycle : 1;
}

int Engine::steps_per_pass() const {
  const Segment* segment = leading_segment();
  return segment ? segment->way.steps_per_pass : 1;
}

const std::string& Engine::pass_refusal() const {
  static const std::string none;
  const Segment* segment = leading_segment();
  return segment ? segment->pass_refusal : none;
}

/// Anew when a grid was redistributed or a boundary condition changed.
void Engine::make_schedules() {
  bool is_current = !distributions_.empty();
  for (const auto& [grid, distribution] : distributions_) {
    is_current = is_current && domain_of(*grid).distribution() == distribution;
  }
  int boundary_changes = 0;
  for (const auto& field : fields()) boundary_changes += field->boundary_changes;
  if (boundary_changes != boundary_changes_) {
    is_current = false;
    visit_segments(*block_, [](Segment& segment) {
      for (const auto& stage : segment.stages) check_stage(*stage);
    });
  }
  if (!is_current) {
    boundary_changes_ = boundary_changes;
    visit_segments(*block_, [&](Segment& segment) {
      Domain& domain = domain_of(*segment.grid);
      segment.schedules.clear();
      segment.recorded = {};
      for (int s = 0; s < segment.slots.size(); ++s) domain.forget_halo(segment.slots.field(s).id);
      distributions_[segment.grid.get()] = domain.distribution();
    });
    choose_ways();
    find_halos();
  }
}

void Engine::prepare() {
  make_schedules();
  // Each time: other engines may have swapped buffers of other widths into our fields.
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    const auto& width = halos_.at(segment.grid.get());
    for (int s = 0; s < segment.slots.size(); ++s) {
      const int id = segment.slots.field(s).id;
      domain.provide(id, width[static_cast<std::size_t>(id)]);
    }
  });
}

/// Over all schedules; names that swap with each other share one width.
void Engine::find_halos() {
  halos_.clear();
  visit_segments(*block_, [&](Segment& segment) {
    auto& width = halos_[segment.grid.get()];
    width.resize(segment.grid->fields.size());
    for (int steps = 1; steps <= segment.way.steps_per_cycle; ++steps) {
      const auto slots = halo_widths(schedule_for(segment, steps).cycle);
      for (std::size_t s = 0; s < slots.size(); ++s) {
        auto& w = width[static_cast<std::size_t>(segment.slots.field(static_cast<int>(s)).id)];
        w = hull(w, slots[s]);
      }
    }
  });
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    visit_segments(*block_, [&](Segment& segment) {
      auto& width = halos_[segment.grid.get()];
      for (const auto& stage : segment.stages) {
        for (std::size_t i = 1; i < stage->names.size(); ++i) {
          auto& a = width[static_cast<std::size_t>(stage->names[i - 1]->id)];
          auto& b = width[static_cast<std::size_t>(stage->names[i]->id)];
          is_changed = is_changed || a != b;
          a = b = hull(a, b);
        }
      }
    });
  }
}

void Engine::run(Index steps, StepClock& clock) {
  prepare();
  // What runs once, to fill fields, tells nothing.
  if (!std::exchange(has_run_, true) && unbalanced() && steps > 0) {
    run_block(*block_, 1, clock);
    --steps;
  }
  for (Domain* domain = unbalanced(); domain && steps > 0; domain = unbalanced()) {
    const Index cycle = std::min<Index>(steps, steps_per_exchange());
    domain->balancing().before(*domain, *this);
    run_block(*block_, cycle, clock);
    domain->balancing().after(*domain, cycle);
    steps -= cycle;
    prepare();
  }
  run_block(*block_, steps, clock);
}

/// A grid whose cuts are still on the move.
Domain* Engine::unbalanced() {
  Domain* found = nullptr;
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    if (!found && domain.balancing().is_open(domain, *this)) found = &domain;
  });
  return found;
}

bool Engine::is_settled() {
  bool is_open = unbalanced() != nullptr;
  visit_segments(*block_, [&](Segment& segment) { is_open = is_open || segment.choice.is_open(); });
  return !is_open;
}

std::vector<const BalanceReport*> Engine::balance() const {
  std::vector<const BalanceReport*> all;
  visit_segments(*block_, [&](Segment& segment) {
    const BalanceReport* report = &domain_of(*segment.grid).balancing().report();
    const bool is_new = std::find(all.begin(), all.end(), report) == all.end();
    if (!report->outcome.empty() && is_new) all.push_back(report);
  });
  return all;
}

void Engine::synchronize() {
  visit_segments(*block_, [](Segment& segment) { domain_of(*segment.grid).synchronize(); });
}

void Engine::run_block(Block& block, Index steps, StepClock& clock) {
  if (block.straight) {
    auto& segment = std::get<Segment>(block.items.front().what);
    while (steps > 0 && segment.choice.is_open() && !unbalanced()) {
      steps -= take_turn(segment, steps, clock);
    }
    run_straight(segment, steps, clock);
    return;
  }
  for (; steps > 0; --steps) {
    for (auto& item : block.items) {
      StepClock inner = clock;
      if (auto* segment = std::get_if<Segment>(&item.what)) {
        if (segment->grid) {
          run_cycles(*segment, 1, 1, inner);
        } else {
          const Doing call(Activity::call);
          for (const auto& stage : segment->stages) stage->function();
        }
      } else if (auto* loop = std::get_if<Loop>(&item.what)) {
        run_loop(*loop, inner);
      } else {
        const auto& stage = std::get<std::shared_ptr<Stage>>(item.what);
        const Doing call(Activity::call);
        stage->function();
      }
    }
    clock.time += clock.current_dt();
    ++clock.step;
  }
}

/// That are recorded: one launch a device for all of them, as short steps would wait for the host.
int Engine::cycles_at_once(const Segment& segment) {
  constexpr int steps = 16;
  return std::max(1, steps / segment.way.steps_per_cycle);
}

/// Cycles as long as chosen and, at the end, a shorter one.
void Engine::run_straight(Segment& segment, Index steps, StepClock& clock) {
  const int longest = segment.way.steps_per_cycle;
  const int together = cycles_at_once(segment);
  while (steps > 0) {
    const int cycle = static_cast<int>(std::min<Index>(steps, longest));
    const bool fits = steps >= Index{together} * cycle && is_recordable(segment);
    run_cycles(segment, cycle, fits ? together : 1, clock);
    steps -= Index{cycle} * (fits ? together : 1);
  }
}

void Engine::run_loop(Loop& loop, StepClock& clock) {
  const Stage& stage = *loop.stage;
  if (stage.kind == Stage::Kind::repeat) {
    run_block(*loop.body, stage.count, clock);
    return;
  }
  for (Index done = 0;; done = std::min(done + stage.count, stage.limit)) {
    StepClock inner = clock;
    run_block(*loop.check, 1, inner);
    if (stage.condition.holds()) return;
    if (done >= stage.limit) {
      throw Error(ExitCode::diverged, "'" + stage.name + "' did not converge",
                  "after " + std::to_string(done) + " steps " + stage.condition.parameter->name +
                      " is " + std::to_string(stage.condition.parameter->value),
                  "raise the limit or loosen the tolerance");
    }
    run_block(*loop.body, std::min(stage.count, stage.limit - done), clock);
  }
}

void Engine::run_cycles(Segment& segment, int steps, int cycles, StepClock& clock) {
  const Doing doing(std::exchange(segment.has_run, true) ? Activity::sweep : Activity::tuning);
  Domain& domain = domain_of(*segment.grid);
  const Schedule& schedule = schedule_for(segment, steps);
  if (!is_recordable(segment)) {
    domain.after_replay();
    for (int n = 0; n < cycles; ++n) submit_cycle(segment, schedule, steps, clock);
    return;
  }
  std::vector<double> values;
  const auto computed = computed_parameters(segment.stages);
  for (const auto& stage : segment.stages) {
    for (const auto& argument : stage->arguments) {
      const ParameterRecord* parameter = argument.parameter.get();
      if (parameter && computed.count(parameter) == 0) values.push_back(parameter->value);
    }
  }
  int number = 0;
  segment.recorded.run(
      domain, {steps, segment.way.steps_per_pass, cycles}, values,
      [&] {
        for (int n = 0; n < cycles; ++n) submit_cycle(segment, schedule, steps, clock, &number);
      },
      [&](Recording& recording) {
        for (int n = 0; n < cycles; ++n) {
          CycleRun run(domain, segment.slots, schedule, clock, split_);
          run.number_sweeps(number);
          run.change(recording);
        }
      });
}

/// What a cycle submits depends on which cycle it is in numbers alone, and on no result.
bool Engine::is_recordable(const Segment& segment) {
  const Domain& domain = domain_of(*segment.grid);
  if (domain.has_messages() && !domain.ways().can_be_recorded()) return false;
  if (domain.busy_times().are_kept()) return false;  // recorded work tells no times
  for (Executor* executor : domain.executors()) {
    if (!executor->records()) return false;
  }
  const auto computed = computed_parameters(segment.stages);
  for (const auto& stage : segment.stages) {
    if (stage->kind == Stage::Kind::permute || stage->kind == Stage::Kind::compute) continue;
    if (stage->kind != Stage::Kind::apply) return false;
    if (segment.way.steps_per_pass > 1 && changes_with_step(*stage, computed)) return false;
    for (const auto& argument : stage->arguments) {
      if (!argument.field) continue;
      if (argument.field->boundary.has_custom() || argument.field->in_place) return false;
    }
  }
  return true;
}

void Engine::submit_cycle(Segment& segment, const Schedule& schedule, int steps, StepClock& clock,
                          int* number) {
  Domain& domain = domain_of(*segment.grid);
  CycleRun run(domain, segment.slots, schedule, clock, split_);
  if (number) run.number_sweeps(*number);
  // Devices have kernels for some lengths alone.
  const bool fits = !domain.some_executor().device_memory() || steps == segment.way.steps_per_pass;
  if (segment.way.steps_per_pass > 1 && steps > 1 && fits) {
    run.in_passes(segment.way.steps_per_pass);
  } else {
    run.in_order();
  }
}

const Schedule& Engine::schedule() {
  prepare();
  Segment* first = nullptr;
  visit_segments(*block_, [&](Segment& segment) {
    if (!first) first = &segment;
  });
  require(first != nullptr, "program '" + program_.name() + "' has no sweeps");
  return schedule_for(*first, first->way.steps_per_cycle);
}

std::size_t Engine::bytes_needed() {
  make_schedules();
  std::size_t bytes = 0;
  for (const auto& [grid, width] : halos_) bytes += domain_of(*grid).bytes_needed(width);
  return bytes;
}

std::string Engine::describe() {
  std::ostringstream text;
  make_schedules();
  text << "program " << program_.name() << "\n";
  visit_segments(*block_, [&](Segment& segment) {
    for (const auto& stage : segment.stages) {
      if (!stage->is_sweep()) continue;
      text << "  stage " << stage->name << ": " << stage->footprint.reads.size() << " reads, "
           << stage->footprint.flops << " flops";
      text << (stage->footprint.branching
                   ? ", branches on values: one cell at a time"
                   : ", " + std::to_string(stage->kernels.pack_width) + " cells a pack");
      if (!stage->constant_footprint) text << ", footprint known at run time only";
      text << "\n";
    }
    const Schedule& schedule = schedule_for(segment, segment.way.steps_per_cycle);
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& field = segment.slots.field(s);
      const auto& w = halos_.at(segment.grid.get())[static_cast<std::size_t>(field.id)];
      text << "  field " << field.name << ": " << name_of(field.type) << " x " << field.components
           << ", halo x " << w.low[0] << "+" << w.high[0] << " y " << w.low[1] << "+" << w.high[1]
           << " z " << w.low[2] << "+" << w.high[2] << (scratch_.count(&field) ? ", scratch" : "")
           << (field.in_place ? ", in place" : "") << "\n";
    }
    text << "  steps per exchange " << schedule.cycle.steps << ", redundant work "
         << schedule.redundancy() * 100 << " %, halo bytes per patch and cycle "
         << schedule.halo_bytes(segment.slots) << "\n";
  });
  text << "  steps per pass through cache " << steps_per_pass();
  if (!pass_refusal().empty()) text << " (" << pass_refusal() << ")";
  text << "\n  " << bytes_per_update() << " bytes and " << flops_per_update()
       << " flops per update\n";
  return text.str();
}

}  // namespace goban
