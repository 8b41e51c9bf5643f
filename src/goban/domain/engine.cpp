#include "goban/domain/engine.hpp"

#include <algorithm>
#include <sstream>
#include <variant>

#include "goban/base/error.hpp"
#include "goban/domain/cycle_run.hpp"
#include "goban/domain/engine_block.hpp"
#include "goban/domain/pass_choice.hpp"
#include "goban/program/schedule_check.hpp"

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

void check_boundaries(const FieldRecord& field, const GridState& grid) {
  for (int a = 0; a < 3; ++a) {
    for (const auto& condition : field.boundary.sides[a]) {
      require((condition.kind == periodic_kind) == grid.is_periodic(a),
              "boundary of field '" + field.name + "' is refused",
              std::string("along ") + "xyz"[a] + " the grid is " +
                  (grid.is_periodic(a) ? "periodic" : "not periodic"),
              "periodic belongs to the grid, all other conditions to its fields");
    }
  }
}

}  // namespace

Engine::Engine(Program program) : program_(std::move(program)) {
  block_ = std::make_unique<Block>(make_block(program_));
  find_live(*block_);
  visit_segments(*block_, [](Segment& segment) {
    for (int s = 0; s < segment.slots.size(); ++s) {
      check_boundaries(segment.slots.field(s), *segment.grid);
    }
  });
}

Engine::~Engine() = default;

/// Straight runs of stages on one grid become segments; loops and host calls stand between them.
Engine::Block Engine::make_block(const Program& program) {
  Block block;
  Segment* open = nullptr;
  for (const auto& stage : program.stages()) {
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
  return block;
}

template <class Visit>
void Engine::visit_segments(Block& block, Visit&& visit) {
  for (auto& item : block.items) {
    if (auto* segment = std::get_if<Segment>(&item.what)) {
      if (segment->grid) visit(*segment);
    } else if (auto* loop = std::get_if<Loop>(&item.what)) {
      visit_segments(*loop->body, visit);
      if (loop->check) visit_segments(*loop->check, visit);
    }
  }
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
        if (!b.straight) continue;
        const Cycle cycle = analyze(segment->stages, segment->slots,
                                    {1, true, std::vector<bool>(segment->alive.size(), false)});
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
  const_cast<Engine*>(this)->visit_segments(*block_, [&](Segment& segment) {
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& record = segment.slots.record(s);
      if (std::find(all.begin(), all.end(), record) == all.end()) all.push_back(record);
    }
  });
  return all;
}

std::vector<std::shared_ptr<FieldRecord>> Engine::live_fields() const {
  auto all = fields();
  std::erase_if(all, [&](const auto& field) { return scratch_.count(field.get()) > 0; });
  return all;
}

std::vector<std::shared_ptr<const Stage>> Engine::sweeps() const {
  std::vector<std::shared_ptr<const Stage>> all;
  const_cast<Engine*>(this)->visit_segments(*block_, [&](Segment& segment) {
    for (const auto& stage : segment.stages) {
      if (stage->is_sweep()) all.push_back(stage);
    }
  });
  return all;
}

double Engine::bytes_per_update() const {
  double bytes = 0;
  for (const auto& stage : sweeps()) {
    for (const auto& argument : stage->arguments) {
      if (argument.kind != StageArgument::Kind::field) continue;
      const double once =
          static_cast<double>(argument.field->element_size()) * argument.field->components;
      bytes += argument.access == Access::inout ? 2 * once : once;
    }
    if (stage->mask) bytes += 1;
  }
  return bytes;
}

double Engine::flops_per_update() const {
  double flops = 0;
  for (const auto& stage : sweeps()) flops += static_cast<double>(stage->footprint.flops);
  return flops;
}

Schedule Engine::plan(Segment& segment, int steps) {
  const Settings& settings = segment.grid->context->settings();
  Cycle cycle = analyze(segment.stages, segment.slots, {steps, settings.recompute, segment.alive});
  return make_schedule(std::move(cycle), segment.slots, domain_of(*segment.grid).patches(),
                       {settings.overlap, settings.backend != Backend::emulated});
}

Schedule& Engine::schedule_for(Segment& segment, int steps) {
  auto at = segment.schedules.find(steps);
  if (at == segment.schedules.end()) {
    at = segment.schedules.emplace(steps, plan(segment, steps)).first;
    if (segment.grid->context->settings().backend == Backend::reference) {
      check_schedule(at->second, segment.slots);
    }
  }
  return at->second;
}

bool Engine::can_pass(const Schedule& schedule, std::string* why) const {
  if (!schedule.computes_ahead) {
    *why = "stages exchange halos in between";
    return false;
  }
  for (const auto& instance : schedule.cycle.instances) {
    if (instance.stage->kind == Stage::Kind::reduce) {
      *why = "the step contains a reduction";
      return false;
    }
    if (instance.stage->is_sweep() && !instance.stage->covers_everything()) {
      *why = "stage '" + instance.stage->name + "' updates only part of the grid";
      return false;
    }
    for (const auto& argument : instance.stage->arguments) {
      if (!argument.field) continue;
      for (const auto& side : argument.field->boundary.sides) {
        for (const auto& condition : side) {
          if (condition.kind == BoundaryCondition::Kind::custom) {
            *why = "field '" + argument.field->name + "' has a custom boundary condition";
            return false;
          }
        }
      }
    }
  }
  return true;
}

/// R and T: forced by the settings, otherwise as large as the patches allow up to what pays.
void Engine::choose_steps() {
  bool found = false;
  visit_segments(*block_, [&](Segment& segment) {
    const Settings& settings = segment.grid->context->settings();
    Domain& domain = domain_of(*segment.grid);
    const bool can_run_passes =
        settings.backend == Backend::cpu || settings.backend == Backend::scalar;
    int pass = settings.temporal_blocking;
    if (pass < 0) {
      double bytes = 0;
      for (int s = 0; s < segment.slots.size(); ++s) {
        bytes += static_cast<double>(product(segment.grid->cells)) *
                 segment.slots.field(s).components *
                 static_cast<double>(segment.slots.field(s).element_size());
      }
      pass = suggested_pass(segment.stages, bytes / domain.decomposition().patches());
    }
    if (!can_run_passes) pass = 1;
    if (settings.overlap != Overlap::none && settings.temporal_blocking < 2) pass = 1;
    int steps = settings.steps_per_exchange;
    if (steps > 0 && settings.temporal_blocking < 0) pass = 1;
    if (steps == 0) {
      steps = std::max(1, pass);
      // Take the largest cycle whose halo fits the smallest patch.
      while (steps > 1) {
        try {
          const Schedule trial = plan(segment, steps);
          std::string why;
          if (pass > 1 && !can_pass(trial, &why)) {
            pass_refusal_ = why;
            steps = 1;
          }
          break;
        } catch (const Error&) {
          --steps;
        }
      }
      pass = std::min(pass, steps);
    }
    if (pass > 1) {
      std::string why;
      if (!can_pass(plan(segment, steps), &why)) {
        pass_refusal_ = why;
        require(settings.temporal_blocking < 2 || !why.empty(), "temporal blocking is refused",
                why);
        pass = 1;
      }
    }
    if (!found || steps > steps_per_cycle_) {
      steps_per_cycle_ = steps;
      steps_per_pass_ = std::max(1, pass);
    }
    found = true;
  });
}

void Engine::prepare() {
  if (prepared_) return;
  prepared_ = true;
  choose_steps();
  // Names that swap with each other share one width over all schedules.
  std::map<GridState*, std::vector<Extents>> halo;
  visit_segments(*block_, [&](Segment& segment) {
    auto& width = halo[segment.grid.get()];
    width.resize(segment.grid->fields.size());
    for (int steps = 1; steps <= steps_per_cycle_; ++steps) {
      const Schedule& schedule = schedule_for(segment, steps);
      const auto slots = halo_widths(schedule.cycle);
      for (std::size_t s = 0; s < slots.size(); ++s) {
        auto& w = width[static_cast<std::size_t>(segment.slots.field(static_cast<int>(s)).id)];
        w = hull(w, slots[s]);
      }
    }
  });
  for (std::size_t round = 0; round < 8; ++round) {
    visit_segments(*block_, [&](Segment& segment) {
      auto& width = halo[segment.grid.get()];
      for (const auto& stage : segment.stages) {
        for (std::size_t i = 1; i < stage->names.size(); ++i) {
          auto& a = width[static_cast<std::size_t>(stage->names[i - 1]->id)];
          auto& b = width[static_cast<std::size_t>(stage->names[i]->id)];
          a = b = hull(a, b);
        }
      }
    });
  }
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    const auto& width = halo[segment.grid.get()];
    for (int s = 0; s < segment.slots.size(); ++s) {
      const int id = segment.slots.field(s).id;
      domain.provide(id, width[static_cast<std::size_t>(id)]);
    }
  });
}

void Engine::run(Index steps, StepClock& clock) {
  prepare();
  run_block(*block_, steps, clock, steps_per_cycle_);
}

void Engine::run_block(Block& block, Index steps, StepClock& clock, int most) {
  if (block.straight) {
    auto& segment = std::get<Segment>(block.items.front().what);
    while (steps > 0) {
      const int cycle = static_cast<int>(std::min<Index>(steps, most));
      run_cycle(segment, cycle, clock);
      steps -= cycle;
    }
    return;
  }
  for (; steps > 0; --steps) {
    for (auto& item : block.items) {
      StepClock inner = clock;
      if (auto* segment = std::get_if<Segment>(&item.what)) {
        if (segment->grid) {
          run_cycle(*segment, 1, inner);
        } else {
          for (const auto& stage : segment->stages) stage->function();
        }
      } else if (auto* loop = std::get_if<Loop>(&item.what)) {
        run_loop(*loop, inner);
      } else {
        const auto& stage = std::get<std::shared_ptr<Stage>>(item.what);
        stage->function();
      }
    }
    clock.time += clock.current_dt();
    ++clock.step;
  }
}

void Engine::run_loop(Loop& loop, StepClock& clock) {
  const Stage& stage = *loop.stage;
  if (stage.kind == Stage::Kind::repeat) {
    run_block(*loop.body, stage.count, clock, steps_per_cycle_);
    return;
  }
  for (Index done = 0;; done += stage.count) {
    StepClock inner = clock;
    run_block(*loop.check, 1, inner, 1);
    if (stage.condition.holds()) return;
    if (done >= stage.limit) {
      throw Error(ExitCode::diverged, "'" + stage.name + "' did not converge",
                  "after " + std::to_string(done) + " steps " + stage.condition.parameter->name +
                      " is " + std::to_string(stage.condition.parameter->value),
                  "raise the limit or loosen the tolerance");
    }
    run_block(*loop.body, std::min(stage.count, stage.limit - done), clock, steps_per_cycle_);
  }
}

void Engine::run_cycle(Segment& segment, int steps, StepClock& clock) {
  Domain& domain = domain_of(*segment.grid);
  CycleRun run(domain, segment.slots, schedule_for(segment, steps), clock, split_);
  if (steps_per_pass_ > 1 && steps > 1) {
    run.in_passes(steps_per_pass_);
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
  return schedule_for(*first, block_->straight ? steps_per_cycle_ : 1);
}

std::size_t Engine::bytes_needed() {
  choose_steps();
  std::map<GridState*, std::vector<Extents>> halo;
  visit_segments(*block_, [&](Segment& segment) {
    auto& width = halo[segment.grid.get()];
    width.resize(segment.grid->fields.size());
    const Schedule schedule = plan(segment, block_->straight ? steps_per_cycle_ : 1);
    const auto slots = halo_widths(schedule.cycle);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      auto& w = width[static_cast<std::size_t>(segment.slots.field(static_cast<int>(s)).id)];
      w = hull(w, slots[s]);
    }
  });
  std::size_t bytes = 0;
  for (const auto& [grid, width] : halo) bytes += domain_of(*grid).bytes_needed(width);
  return bytes;
}

std::string Engine::describe() {
  std::ostringstream text;
  choose_steps();
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
    const Schedule schedule = plan(segment, block_->straight ? steps_per_cycle_ : 1);
    const auto width = halo_widths(schedule.cycle);
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& field = segment.slots.field(s);
      const auto& w = width[static_cast<std::size_t>(s)];
      text << "  field " << field.name << ": " << name_of(field.type) << " x " << field.components
           << ", halo x " << w.low[0] << "+" << w.high[0] << " y " << w.low[1] << "+" << w.high[1]
           << " z " << w.low[2] << "+" << w.high[2] << (scratch_.count(&field) ? ", scratch" : "")
           << "\n";
    }
    text << "  steps per exchange " << schedule.cycle.steps << ", redundant work "
         << schedule.redundancy() * 100 << " %, halo bytes per patch and cycle "
         << schedule.halo_bytes(segment.slots) << "\n";
  });
  text << "  steps per pass through cache " << steps_per_pass_;
  if (!pass_refusal_.empty()) text << " (" << pass_refusal_ << ")";
  text << "\n  " << bytes_per_update() << " bytes and " << flops_per_update()
       << " flops per update\n";
  return text.str();
}

}  // namespace goban
