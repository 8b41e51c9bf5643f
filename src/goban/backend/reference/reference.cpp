#include "goban/backend/reference/reference.hpp"

#include "goban/backend/reference/graph_evaluator.hpp"
#include "goban/base/error.hpp"
#include "goban/grid/each_cell.hpp"
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

bool is_written(const StageArgument& argument) {
  return argument.field && argument.access != Access::in;
}

/// Of the first field.
const std::shared_ptr<GridState>& grid_of(const Stage& sweep) {
  return std::find_if(sweep.arguments.begin(), sweep.arguments.end(),
                      [](const auto& argument) { return argument.field != nullptr; })
      ->grid;
}

/// Cells of all fields that are written; of the first field where values are reduced. On faces
/// there is one more than cells.
Box box_of(const Stage& sweep) {
  Box box;
  for (const auto& argument : sweep.arguments) {
    const bool counts =
        sweep.kind == Kind::reduce ? argument.field && box.empty() : is_written(argument);
    if (counts) box = hull(box, argument.grid->domain(argument.field->location));
  }
  return sweep.region ? intersection(*sweep.region, box) : box;
}

/// Positions are those of the last field that is written, else of the first.
SiteInfo site_of(const Stage& sweep, const StepClock& clock) {
  const GridState& grid = *grid_of(sweep);
  const FieldRecord* where = nullptr;
  for (const auto& argument : sweep.arguments) {
    if (is_written(argument) || (argument.field && !where)) where = argument.field.get();
  }
  SiteInfo site{};
  site.extents = grid.cells;
  site.origin = grid.origin;
  site.spacing = grid.spacing;
  for (int a = 0; a < 3; ++a) {
    site.periodic[a] = grid.is_periodic(a);
    site.offset[a] = is_staggered(where->location, a) ? 0.0 : 0.5;
  }
  site.step = clock.step;
  site.time = clock.time;
  site.seed = grid.context->settings().seed;
  return site;
}

}  // namespace

Reference::Reference(const Program& program) : program_(program) {
  each_stage(program, [&](const Stage& stage) {
    for (const Read& read : stage.footprint.reads) {
      for (std::size_t a = 0; a < 3; ++a) {
        // Of cells there is one less than of the faces that a sweep may be over.
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
  if (field) fields_.try_emplace(field.get(), grid, field, layers_);
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
  steps(program_, count, clock);
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
  }
}

void Reference::until(const Stage& stage, StepClock clock) {
  for (Index done = 0;; done = std::min(done + stage.count, stage.limit)) {
    StepClock inner = clock;
    steps(*stage.check, 1, inner);
    if (stage.condition.holds()) return;
    if (done >= stage.limit) throw not_converged(stage, done);
    steps(*stage.body, std::min(stage.count, stage.limit - done), clock);
  }
}

void Reference::sweep(const Stage& stage, const StepClock& clock) {
  std::vector<PaddedField*> fields;
  CellView view{site_of(stage, clock), {}, {}};
  const auto refresh = [&](PaddedField& field) {
    if (!field.has_ghosts()) field.make_ghosts(clock.time);
  };
  for (const auto& argument : stage.arguments) {
    fields.push_back(argument.field ? &of(argument.field) : nullptr);
    view.values.push_back(argument.parameter ? argument.parameter->value : 0);
    const bool keeps = argument.access != Access::out || !stage.covers_everything();
    if (argument.field && keeps) refresh(*fields.back());
  }
  PaddedField* const mask = stage.mask ? &of(stage.mask) : nullptr;
  if (mask) refresh(*mask);
  view.read = [&](int parameter, int component, const Index3& offset) {
    return fields[static_cast<std::size_t>(parameter)]->read(stage.name, component,
                                                             view.site.index + offset);
  };
  struct Result {
    PaddedField& field;
    int component;
    Index3 cell;
    double value;
  };
  std::vector<Result> results;  // all reads come before all writes
  Reducer reducer;
  reducer.kind = stage.reduction;
  GraphEvaluator evaluate(*stage.graph);
  each_cell(box_of(stage), [&](const Index3& cell) {
    view.site.index = cell;
    if (mask && mask->read(stage.name, 0, cell) == 0) return;
    const std::vector<double> outputs = evaluate(view);
    if (stage.kind == Kind::reduce) return reducer.add(outputs.data(), 1);
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const Output& output = stage.footprint.outputs[n];
      PaddedField& field = *fields[static_cast<std::size_t>(output.parameter)];
      if (field.domain().contains(cell)) {
        results.push_back({field, output.component, cell, outputs[n]});
      }
    }
  });
  if (stage.kind == Kind::reduce) stage.target->value = reducer.value();
  for (const Result& it : results) it.field.set(it.component, it.cell, it.value);
  for (std::size_t a = 0; a < fields.size(); ++a) {
    if (is_written(stage.arguments[a])) fields[a]->make_ghosts(clock.time);
  }
}

void Reference::sample(const Stage& stage, const StepClock& clock) {
  Samples& samples = *stage.samples;
  Samples::Record record{clock.step + 1, clock.time + clock.current_dt(), {}};
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
