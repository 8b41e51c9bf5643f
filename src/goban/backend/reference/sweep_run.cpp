#include "goban/backend/reference/sweep_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/grid/each_cell.hpp"

namespace goban::reference {
namespace {

using Kind = Stage::Kind;

bool is_written(const StageArgument& argument) {
  return argument.field && argument.access != Access::in;
}

/// What a column stage has assigned at a level.
struct Assigned {
  Index column = 0;  ///< counted from 1: that which it was assigned in last
  double value = 0;
};

std::pair<int, int> place_of(const Output& output) { return {output.parameter, output.component}; }

/// Cells of all fields that are written; of the first field where values are reduced. On faces
/// there is one more than cells.
Box box_of(const Stage& sweep) {
  Box box;
  for (const auto& argument : sweep.arguments) {
    const bool counts =
        sweep.kind == Kind::reduce ? argument.field && box.empty() : is_written(argument);
    if (counts) box = hull(box, argument.grid->box(argument.field->location));
  }
  return sweep.region ? intersection(*sweep.region, box) : box;
}

/// Positions are those of the last field that is written, else of the first.
SiteInfo site_of(const Stage& sweep, const StepClock& clock) {
  const auto of_stage = grid_of(sweep);
  const GridState& grid = *of_stage;
  const FieldRecord* where = nullptr;
  for (const auto& argument : sweep.arguments) {
    if (is_written(argument) || (argument.field && !where)) where = argument.field.get();
  }
  SiteInfo site{};
  site.extents = grid.box_cells();
  site.origin = grid.origin;
  site.spacing = grid.spacing;
  for (int a = 0; a < 3; ++a) {
    site.periodic[a] = grid.is_box_periodic(a);
    site.offset[a] = is_staggered(where->location, a) ? 0.0 : 0.5;
  }
  site.step = clock.step;
  site.time = clock.time;
  site.seed = grid.context->settings().seed;
  return site;
}

}  // namespace

SweepRun::SweepRun(const Stage& stage, std::vector<PaddedField*> fields, PaddedField* mask,
                   const StepClock& clock)
    : stage_(stage),
      fields_(std::move(fields)),
      mask_(mask),
      box_(box_of(stage)),
      grid_(grid_of(stage)),
      view_{site_of(stage, clock), {}, {}} {
  for (const auto& argument : stage.arguments) {
    view_.values.push_back(argument.parameter ? argument.parameter->value : 0);
  }
}

void SweepRun::run() {
  Reducer reducer;
  reducer.kind = stage_.reduction;
  stage_.columns ? column_after_column() : each_cell_alone(reducer);
  if (stage_.kind == Kind::reduce) stage_.target->value = reducer.value();
  for (const Result& it : results_) it.field->set(it.component, it.cell, it.value);
}

bool SweepRun::is_stored(int parameter, const Index3& cell) const {
  return fields_[static_cast<std::size_t>(parameter)]->domain().contains(cell) &&
         (!mask_ || mask_->read(stage_.name, 0, cell) != 0);
}

/// Reads a value near the cell at hand. On a finer grid the first of the cells that a cell consists
/// of counts as the cell at hand, on a coarser one the cell that it is a part of.
double SweepRun::read(int parameter, int component, const Index3& offset) const {
  const auto p = static_cast<std::size_t>(parameter);
  if (grid_->active && offset != Index3{}) return read_beside(parameter, component, offset);
  const GridState& there = *stage_.arguments[p].grid;
  Index3 cell = view_.site.index;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid_->finer == &there) cell[a] *= grid_->ratio[a];
    if (there.finer == grid_.get()) cell[a] /= there.ratio[a];
  }
  return fields_[p]->read(stage_.name, component, cell + offset);
}

/// The value beside a cell: a cell that is not active or lies beyond a face of the box has what the
/// field's condition makes of the value at hand; the condition holds halfway between both.
double SweepRun::read_beside(int parameter, int component, const Index3& offset) const {
  PaddedField& field = *fields_[static_cast<std::size_t>(parameter)];
  const FieldRecord& record = field.record();
  const Index3 here = view_.site.index, cells = grid_->active->box();
  Index3 there = here + offset;
  const BoundaryCondition* condition = nullptr;
  double distance = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double along = static_cast<double>(std::abs(offset[a])) * grid_->spacing[a];
    if (!condition) distance = std::max(distance, along);
    if (there[a] >= 0 && there[a] < cells[a]) continue;
    if (view_.site.periodic[a]) {
      there[a] = (there[a] + cells[a]) % cells[a];
      continue;
    }
    const auto& sides = record.faces[static_cast<std::size_t>(component)].sides[a];
    condition = &sides[there[a] < 0 ? 0 : 1];
    distance = along;
  }
  if (!condition) {
    if (grid_->active->find(there) >= 0) return field.read(stage_.name, component, there);
    condition = &record.inactive;
  }
  const auto own = [&](int c) { return field.read(stage_.name, c, here); };
  const auto stored = [&](double value) { return rounded(record.type, value); };
  switch (condition->kind) {
    case BoundaryCondition::Kind::constant: return stored(condition->value);
    case BoundaryCondition::Kind::wall_value:
      return stored(rounded_number(record.type, 2 * condition->value) - own(component));
    case BoundaryCondition::Kind::gradient:
      return stored(own(component) + rounded_number(record.type, condition->value * distance));
    case BoundaryCondition::Kind::mirror: return own(component);
    case BoundaryCondition::Kind::bounce_back: break;
    case BoundaryCondition::Kind::periodic:
    case BoundaryCondition::Kind::custom: require(false, "lists have no such conditions");
  }
  for (const Read& read : stage_.footprint.reads) {
    const bool comes_back =
        read.parameter == parameter &&
        Index3{read.offset[0], read.offset[1], read.offset[2]} == Index3{} - offset;
    if (comes_back) return own(read.component);
  }
  return own(component);
}

void SweepRun::each_cell_alone(Reducer& reducer) {
  view_.read = [&](int parameter, int component, const Index3& offset, bool) {
    return read(parameter, component, offset);
  };
  GraphEvaluator evaluate(*stage_.graph);
  each_cell(box_, [&](const Index3& cell) {
    if (grid_->active && grid_->active->find(cell) < 0) return;
    view_.site.index = cell;
    if (mask_ && mask_->read(stage_.name, 0, cell) == 0) return;
    const auto& outputs = evaluate(view_);
    if (stage_.kind == Kind::reduce) return reducer.add(&*outputs.front(), 1);
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const auto [parameter, component] = place_of(stage_.footprint.outputs[n]);
      if (!is_stored(parameter, cell)) continue;
      results_.push_back(
          {fields_[static_cast<std::size_t>(parameter)], component, cell, *outputs[n]});
    }
  });
}

/// Forward from the first level to the last, then backward. What a sweep assigns at a level,
/// scratch and fields, is there for whatever comes later at that level; scratch for the next one,
/// too.
void SweepRun::column_after_column() {
  const ColumnSweeps& columns = *stage_.columns;
  const auto axis = static_cast<std::size_t>(index_of(columns.axis));
  const Index levels = box_.upper[axis] - box_.lower[axis];
  // By parameter and component, then by level; a number stands for the column that it belongs to.
  std::map<std::pair<int, int>, std::vector<Assigned>> assigned;
  for (const RecordedSweep* recorded : {&columns.forward, &columns.backward}) {
    for (const Output& output : recorded->footprint.outputs) {
      assigned[place_of(output)].resize(static_cast<std::size_t>(levels));
    }
  }
  Index column = 0, step = 1;
  view_.read = [&](int parameter, int component, const Index3& offset, bool before) {
    const Index level = view_.site.index[axis] - box_.lower[axis] - (before ? step : 0);
    const auto found = assigned.find({parameter, component});
    if (found != assigned.end() && level >= 0 && level < levels) {
      const Assigned& there = found->second[static_cast<std::size_t>(level)];
      if (there.column == column) return there.value;
    }
    const bool is_scratch = !fields_[static_cast<std::size_t>(parameter)];
    return is_scratch ? 0.0 : read(parameter, component, offset);
  };
  const auto sweep = [&](const RecordedSweep& recorded, GraphEvaluator& evaluate, Index3 cell,
                         Index first, Index last) {
    for (cell[axis] = first; cell[axis] != last; cell[axis] += step) {
      view_.site.index = cell;
      const auto& outputs = evaluate(view_);
      for (std::size_t n = 0; n < outputs.size(); ++n) {
        if (!outputs[n]) continue;
        const auto [parameter, component] = place_of(recorded.footprint.outputs[n]);
        PaddedField* const field = fields_[static_cast<std::size_t>(parameter)];
        if (field && !is_stored(parameter, cell)) continue;
        const double value = field ? field->as_stored(*outputs[n]) : *outputs[n];
        const auto level = static_cast<std::size_t>(cell[axis] - box_.lower[axis]);
        assigned[{parameter, component}][level] = {column, value};
        if (field) results_.push_back({field, component, cell, value});
      }
    }
  };
  std::optional<GraphEvaluator> forward, backward;
  if (columns.forward.graph) forward.emplace(*columns.forward.graph);
  if (columns.backward.graph) backward.emplace(*columns.backward.graph);
  Box feet = box_;
  feet.upper[axis] = std::min(feet.lower[axis] + 1, feet.upper[axis]);
  const Index low = box_.lower[axis], high = box_.upper[axis];
  each_cell(feet, [&](const Index3& foot) {
    ++column;
    step = 1;
    if (forward) sweep(columns.forward, *forward, foot, low, high);
    step = -1;
    if (backward) sweep(columns.backward, *backward, foot, high - 1, low - 1);
  });
}

}  // namespace goban::reference
