#include "goban/backend/reference/reference.hpp"

#include <algorithm>

#include "goban/backend/reference/sweep_run.hpp"
#include "goban/base/error.hpp"
#include "goban/program/samples.hpp"

namespace goban::reference {
namespace {

using Kind = Stage::Kind;

/// Calls visit(stage) for all stages, those in loops included.
template <class Visit>
void each_stage(const Program& program, Visit&& visit) {
  for (const auto& stage : program.stages()) {
    visit(*stage);
    if (stage->body) each_stage(*stage->body, visit);
    if (stage->check) each_stage(*stage->check, visit);
  }
}

}  // namespace

Reference::Reference(const Program& program) : program_(program) {
  each_stage(program, [&](const Stage& stage) {
    for (const Read& read : stage.footprint.reads) {
      for (std::size_t a = 0; a < 3; ++a) {
        // There is one cell less than there are faces, and a sweep may be over faces.
        layers_.low[a] = std::max<Index>(layers_.low[a], -read.offset[a]);
        layers_.high[a] = std::max<Index>(layers_.high[a], read.offset[a] + 1);
      }
    }
    if (stage.mask) layers_.high = hull(layers_, {{}, {1, 1, 1}}).high;
  });
  each_stage(program, [&](const Stage& stage) {
    for (const auto& argument : stage.arguments) add(argument.field, argument.grid);
    if (stage.mask) add(stage.mask, grid_of(stage));
    for (const auto& name : stage.names) add(name, stage.grid);
  });
}

void Reference::add(const std::shared_ptr<FieldRecord>& field,
                    const std::shared_ptr<GridState>& grid) {
  const auto is_it = [&](const auto& known) { return known.first == field.get(); };
  if (!field || std::any_of(fields_.begin(), fields_.end(), is_it)) return;
  fields_.emplace_back(field.get(), PaddedField(grid, field, layers_));
}

PaddedField& Reference::of(const std::shared_ptr<FieldRecord>& field) {
  return std::find_if(fields_.begin(), fields_.end(),
                      [&](const auto& known) { return known.first == field.get(); })
      ->second;
}

void Reference::take() {
  for (auto& [record, field] : fields_) {
    if (record->in_place_of < 0) field.take();
  }
}

void Reference::put() {
  for (auto& [record, field] : fields_) {
    if (record->in_place_of < 0) field.put();
  }
}

void Reference::run(Index count, StepClock& clock) {
  take();
  try {
    steps(program_, count, clock);
  } catch (...) {  // a loop that did not converge leaves what it has reached
    put();
    throw;
  }
  put();
}

void Reference::steps(const Program& program, Index count, StepClock& clock) {
  for (; count > 0; --count) {
    for (const auto& one : program.stages()) stage(*one, clock);
    clock.advance();
  }
}

void Reference::stage(const Stage& stage, StepClock& clock) {
  StepClock inner = clock;
  switch (stage.kind) {
    case Kind::apply:
    case Kind::reduce: return sweep(stage, clock);
    case Kind::permute:
      for (std::size_t i = 1; i < stage.names.size(); ++i) {
        of(stage.names[i - 1]).swap_values(of(stage.names[i]));
      }
      return;
    case Kind::compute: return stage.compute(clock.time);
    case Kind::sample: return sample(stage, clock);
    case Kind::call:
      put();
      stage.function();
      return take();
    case Kind::repeat: return steps(*stage.body, stage.count, inner);
    case Kind::until: return until(stage, clock);
    case Kind::move: return;  // of engines, where grids are cut
  }
}

void Reference::until(const Stage& stage, StepClock clock) {
  for (Index done = 0;; done = std::min(done + stage.count, stage.limit)) {
    StepClock inner = clock;
    steps(*stage.check, 1, inner);
    if (stage.condition.holds()) return;
    if (done >= stage.limit || stage.condition.is_lost()) throw not_converged(stage, done);
    steps(*stage.body, std::min(stage.count, stage.limit - done), clock);
  }
}

void Reference::sweep(const Stage& stage, const StepClock& clock) {
  const auto refresh = [&](PaddedField& field) {
    if (!field.has_ghosts()) field.make_ghosts(clock.time);
  };
  std::vector<PaddedField*> fields;
  for (const auto& argument : stage.arguments) {
    fields.push_back(argument.field ? &of(argument.field) : nullptr);
    const bool keeps = argument.access != Access::out || !stage.covers_everything();
    if (argument.field && keeps) refresh(*fields.back());
  }
  PaddedField* const mask = stage.mask ? &of(stage.mask) : nullptr;
  if (mask) refresh(*mask);
  SweepRun(stage, fields, mask, clock).run();
  for (const auto& argument : stage.arguments) {
    const bool is_written = argument.field && argument.access != Access::in;
    if (is_written) of(argument.field).make_ghosts(clock.time);
  }
}

void Reference::sample(const Stage& stage, const StepClock& clock) {
  Samples& samples = *stage.samples;
  Samples::Record record{clock.step + 1, clock.end_of_step(), {}};
  record.values.resize(samples.bytes());
  for (const Samples::Part& part : samples.parts()) {
    PaddedField& field = of(samples.fields()[part.field]);
    if (!field.has_ghosts()) field.make_ghosts(clock.time);
    const auto elements = field.elements(part.box);
    std::copy(elements.begin(), elements.end(),
              record.values.begin() + static_cast<std::ptrdiff_t>(part.first));
  }
  samples.records().push_back(std::move(record));
}

}  // namespace goban::reference
