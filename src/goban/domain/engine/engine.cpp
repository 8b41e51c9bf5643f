#include "goban/domain/engine/engine.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "goban/backend/reference/reference.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/engine/between_grids.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/list_stages.hpp"
#include "goban/domain/engine/stage_check.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/program/in_place.hpp"
#include "goban/program/short_repeats.hpp"

namespace goban {
namespace {

/// Unrolling stops at this number of stages: analysing and recording longer runs costs more than
/// loops do.
constexpr std::size_t most_stages_unrolled = 1024;

bool is_straight(const Stage& stage) { return !stage.is_loop() && stage.kind != Stage::Kind::call; }

}  // namespace

void TimeSplit::add(const TimeSplit& other, double factor) {
  compute += factor * other.compute;
  halo += factor * other.halo;
  solver += factor * other.solver;
  parts.resize(std::max(parts.size(), other.parts.size()));
  for (std::size_t n = 0; n < other.parts.size(); ++n) parts[n] += factor * other.parts[n];
}

Engine::Engine(Program program)
    : program_(std::move(program)), computed_(computed_parameters(program_.stages())) {
  check_samples(program_.stages());
  cut_program();
  visit_segments(*block_, [&](const Segment& segment) {
    const bool is_asked_for =
        segment.grid->context->settings().backend == Backend::reference && !reference_;
    if (is_asked_for) reference_ = std::make_unique<reference::Reference>(program_);
  });
}

/// Waits for submitted work, so that its queues do not outlive the program and its grids.
Engine::~Engine() {
  try {
    if (!has_run_) return;
    visit_segments(*block_, [](Segment& segment) { domain_of(*segment.grid).synchronize(); });
  } catch (...) {  // nobody waits for that work any more
  }
}

/// Cuts the program twice: first with all loops, to find scratch fields, which must not depend on
/// which loops are unrolled; then with short loops unrolled.
void Engine::cut_program() {
  scratch_.clear();
  block_ = std::make_shared<Block>(make_block(program_, Repeats::are_loops));
  find_live();
  unrolled_.clear();
  Block block = make_block(program_, Repeats::may_be_unrolled);
  if (!unrolled_.empty()) {
    block_ = std::make_shared<Block>(std::move(block));
    visit_segments(*block_, [&](Segment& segment) {
      for (int s = 0; s < segment.slots.size(); ++s) {
        segment.alive.push_back(scratch_.count(&segment.slots.field(s)) == 0);
      }
    });
  }
  steps_.reset();
  make_steps();
  split_.parts.clear();
  visit_segments(*block_, [&](Segment& segment) {
    segment.number = split_.parts.size();
    split_.parts.push_back(0);
  });
}

/// Makes segments of straight runs of stages on one family of grids, including the rounds of short
/// repeats. Loops and host calls separate segments.
Engine::Block Engine::make_block(const Program& program, Repeats repeats) {
  Block block;
  Segment* open = nullptr;
  check_in_place(program.stages());
  const auto add = [&](const std::shared_ptr<Stage>& stage) {
    check_stage(*stage);
    const auto grid = grid_of(*stage);
    if (!open || (grid && open->grid && grid->root != open->grid->root)) {
      block.items.push_back(Item{Segment{}});
      open = &std::get<Segment>(block.items.back().what);
    }
    if (grid && !open->grid) open->grid = grid;
    open->written.push_back(stage);
    open->stages.push_back(stage);
    if (stage->samples) open->samples.emplace_back(stage->samples);
    for (const auto& argument : stage->arguments) {
      if (argument.field) open->slots.add(argument.field, argument.grid);
      const ParameterRecord* parameter = argument.parameter.get();
      if (parameter && computed_.count(parameter) == 0) open->settings.push_back(parameter);
    }
    if (stage->mask) open->slots.add(stage->mask, grid);
    for (const auto& name : stage->names) open->slots.add(name, grid);
  };
  const auto rounds_of = [&](const Stage& stage) {
    const std::size_t before = open ? open->written.size() : 0;
    const bool may_be = repeats == Repeats::may_be_unrolled && before < most_stages_unrolled;
    return may_be ? rounds_of_short_repeat(stage, most_stages_unrolled - before)
                  : std::vector<std::shared_ptr<Stage>>{};
  };
  for (const auto& stage : program.stages()) {
    if (is_straight(*stage)) {
      add(stage);
      continue;
    }
    check_stage(*stage);
    if (const auto rounds = rounds_of(*stage); !rounds.empty()) {
      for (const auto& one : rounds) add(one);
      unrolled_.push_back(stage.get());
      continue;
    }
    open = nullptr;
    if (stage->is_loop()) {
      Loop loop;
      loop.stage = stage;
      loop.body = std::make_shared<Block>(make_block(*stage->body, repeats));
      if (stage->check) loop.check = std::make_unique<Block>(make_block(*stage->check, repeats));
      block.items.push_back(Item{std::move(loop)});
    } else {
      block.items.push_back(Item{stage});
    }
  }
  // Only a block that is one segment knows what its next step reads.
  block.straight = block.items.size() == 1 &&
                   std::holds_alternative<Segment>(block.items.front().what) &&
                   std::get<Segment>(block.items.front().what).grid;
  if (block.straight) std::get<Segment>(block.items.front().what).repeats = true;
  return block;
}

/// Finds scratch fields: those that every step overwrites before it reads them. Only segments that
/// are a whole program, or the whole body of a loop, can tell, and only if nothing else uses the
/// field.
void Engine::find_live() {
  std::map<const FieldRecord*, int> users;
  visit_items(*block_, [&](auto& what) {
    if (auto* const segment = std::get_if<Segment>(&what)) {
      for (int s = 0; s < segment->slots.size(); ++s) ++users[&segment->slots.field(s)];
    } else if (auto* const stage = std::get_if<std::shared_ptr<Stage>>(&what)) {
      for (const auto& f : (*stage)->reads) ++users[f.get()];
      for (const auto& f : (*stage)->writes) ++users[f.get()];
    }
  });
  visit_segments(*block_, [&](Segment& segment) {
    segment.alive.assign(static_cast<std::size_t>(segment.slots.size()), true);
    const Cycle cycle = analyze(segment.stages, segment.slots,
                                {1, true, std::vector<bool>(segment.alive.size(), false)});
    for (std::size_t name = 0; segment.repeats && name < segment.alive.size(); ++name) {
      const auto& field = segment.slots.field(static_cast<int>(name));
      const int held = cycle.held[name];
      bool is_kept = false, is_written = false;
      for (const Version& v : cycle.versions) {
        is_kept = is_kept || v.previous == held;
        is_written = is_written || (v.slot == static_cast<int>(name) && v.producer >= 0);
      }
      const bool is_read = !cycle.versions[static_cast<std::size_t>(held)].readers.empty();
      if (!is_read && !is_kept && is_written && users[&field] == 1 && !field.is_output) {
        segment.alive[name] = false;
        scratch_.insert(&field);
      }
    }
  });
}

std::vector<std::shared_ptr<FieldRecord>> Engine::fields() const {
  std::vector<std::shared_ptr<FieldRecord>> all;
  visit_segments(*block_, [&](Segment& segment) {
    for (int s = 0; s < segment.slots.size(); ++s) {
      const auto& record = segment.slots.record(s);
      if (record->image_of >= 0 || record->is_table) continue;
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

const Engine::Segment* Engine::leading_segment() const {
  const Segment* leading = nullptr;
  visit_segments(*block_, [&](const Segment& segment) {
    if (!leading || segment.plan.steps_per_exchange > leading->plan.steps_per_exchange)
      leading = &segment;
  });
  return leading;
}

int Engine::steps_per_exchange() const {
  const Segment* segment = leading_segment();
  return segment ? segment->plan.steps_per_exchange : 1;
}

int Engine::steps_per_pass() const {
  const Segment* segment = leading_segment();
  return segment ? segment->plan.steps_per_pass : 1;
}

Overlap Engine::overlap() const {
  const Segment* segment = leading_segment();
  return segment ? segment->plan.overlap : Overlap::none;
}

const std::string& Engine::pass_refusal() const {
  static const std::string none;
  const Segment* segment = leading_segment();
  return segment ? segment->pass_refusal : none;
}

std::string Engine::recording_refusal() const {
  const Segment* segment = leading_segment();
  if (!segment || !domain_of(*segment->grid).some_executor().is_asynchronous()) return {};
  const char* const refusal = recording_refusal(*segment);
  return refusal ? refusal : "";
}

/// Makes schedules, and makes them again when a grid was redistributed or a boundary condition
/// changed.
void Engine::make_schedules() {
  bool is_current = !distributions_.empty();
  for (const auto& [grid, distribution] : distributions_) {
    is_current = is_current && domain_of(*grid).distribution() == distribution;
  }
  int boundary_changes = 0;
  for (const auto& field : fields()) boundary_changes += field->boundary_changes;
  if (boundary_changes != boundary_changes_) {
    is_current = false;
    const bool are_alike =
        std::none_of(unrolled_.begin(), unrolled_.end(), [](const Stage* repeat) {
          return rounds_of_short_repeat(*repeat, most_stages_unrolled).empty();
        });
    if (!are_alike) cut_program();  // ghosts have come to follow the time
    visit_segments(*block_, [](Segment& segment) {
      for (const auto& stage : segment.written) check_stage(*stage);
    });
  }
  if (!is_current) {
    boundary_changes_ = boundary_changes;
    are_compiled_ = false;
    forget_loops();
    visit_segments(*block_, [&](Segment& segment) {
      Domain& domain = domain_of(*segment.grid);
      segment.planned.clear();
      distribute(segment);
      for (int s = 0; s < segment.slots.size(); ++s) domain.forget_halo(segment.slots.field(s).id);
      distributions_[segment.grid.get()] = domain.distribution();
    });
    choose_plans();
    find_halos();
  }
}

/// Adapts the stages of a segment to the present cuts of the grids, which decide what stages
/// between two grids have to copy.
void Engine::distribute(Segment& segment) {
  Domain& domain = domain_of(*segment.grid);
  segment.stages = on_lists(with_moves(segment.written, domain), domain);
  for (const auto& stage : segment.stages) {
    for (const auto& argument : stage->arguments) {
      if (argument.field) segment.slots.add(argument.field, argument.grid);
    }
    if (stage->mask) segment.slots.add(stage->mask, grid_of(*stage));
  }
  segment.alive.resize(static_cast<std::size_t>(segment.slots.size()), false);
}

/// Redistributes grids that are cut along an axis on which stages sweep whole columns; grids may
/// have been cut before the program was known. Throws an Error (ExitCode::usage) if the settings
/// force such cuts.
void Engine::keep_columns_whole() {
  visit_segments(*block_, [](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    for (const auto& stage : segment.stages) {
      if (!stage->columns) continue;
      const auto a = static_cast<std::size_t>(index_of(stage->columns->axis));
      GridState& grid = *grid_of(*stage);
      if (decomposition_of(grid).process_grid()[a] == 1) continue;
      if (grid.number > 0) {  // it is cut anew with the root
        domain.redistribute(domain.decomposition());
        continue;
      }
      const Settings& settings = grid.context->settings();
      require(settings.cuts[a].empty() && settings.patches[a] <= 1,
              "the grid cannot be cut along " + std::string(1, "xyz"[a]),
              "stage '" + stage->name + "' sweeps columns along it", "cut the other axes");
      domain.redistribute(choose_decomposition(grid, domain.communicator().nodes()));
    }
  });
}

void Engine::prepare() {
  keep_columns_whole();
  make_schedules();
  try {
    provide_halos();
  } catch (const Error& error) {
    if (error.code() != ExitCode::resources || !choose_narrow_halos()) throw;
    provide_halos();
  }
}

/// Allocates halos. It is called before every run, as other engines may have swapped buffers with
/// narrower halos into our fields.
void Engine::provide_halos() {
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    const auto& width = halos_.at(segment.grid->root);
    for (int s = 0; s < segment.slots.size(); ++s) {
      const int id = segment.slots.field(s).id;
      domain.provide(id, width[static_cast<std::size_t>(id)]);
    }
  });
}

/// Returns the steps of the longest cycle that may run with the present halos; plans that are being
/// compared run in turns.
int Engine::longest_cycle(const Segment& segment) {
  int longest = std::max(segment.plan.steps_per_exchange, segment.choice.best().steps_per_exchange);
  if (!segment.choice.is_new()) {
    longest = std::max(longest, segment.choice.current().steps_per_exchange);
  }
  return longest;
}

/// Finds the halo widths that all schedules need. Names that are swapped with each other get the
/// same width.
void Engine::find_halos() {
  halos_.clear();
  visit_segments(*block_, [&](Segment& segment) {
    auto& width = halos_[segment.grid->root];
    width.resize(segment.grid->root->fields.size());
    for (int steps = 1; steps <= longest_cycle(segment); ++steps) {
      const bool is_next = steps <= segment.plan.steps_per_exchange;
      const auto slots = halo_widths(is_next ? planned_for(segment, steps).schedule.cycle
                                             : cycle_of(segment, steps));
      for (std::size_t s = 0; s < slots.size(); ++s) {
        auto& w = width[static_cast<std::size_t>(segment.slots.field(static_cast<int>(s)).id)];
        w = hull(w, slots[s]);
      }
    }
  });
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    visit_segments(*block_, [&](Segment& segment) {
      auto& width = halos_[segment.grid->root];
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

const Schedule& Engine::schedule() {
  prepare();
  Segment* first = nullptr;
  visit_segments(*block_, [&](Segment& segment) {
    if (!first) first = &segment;
  });
  require(first != nullptr, "program '" + program_.name() + "' has no sweeps");
  return planned_for(*first, first->plan.steps_per_exchange).schedule;
}

std::size_t Engine::bytes_needed() {
  make_schedules();
  std::size_t bytes = 0;
  for (const auto& [grid, width] : halos_) bytes += domain_of(*grid).bytes_needed(width);
  return bytes;
}

}  // namespace goban
