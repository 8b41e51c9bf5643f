#include "goban/adjoint/kept_values.hpp"

#include <algorithm>

#include "goban/adjoint/field_stages.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban::detail {
namespace {

std::shared_ptr<Stage> permutation(std::vector<FieldPointer> names,
                                   const std::shared_ptr<GridState>& grid) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::permute;
  stage->grid = grid;
  stage->names = std::move(names);
  return stage;
}

/// Whether a sweep that updates fields in place may as well write elsewhere.
bool may_write_elsewhere(const Stage& sweep) {
  return sweep.covers_everything() && !sweep.columns && sweep.handovers.empty() &&
         !sweep.footprint.branching;
}

/// The sweep, with others in place of some fields that it updates: it reads these and writes those.
std::shared_ptr<Stage> writing_elsewhere(const StepSweep& sweep,
                                         const FieldMap<FieldPointer>& others,
                                         const std::shared_ptr<GridState>& grid) {
  const Stage& stage = *sweep.stage;
  Graph graph = without_branches(*stage.graph, stage.footprint);
  const std::vector<int> roots = graph.branches().front().outputs;
  std::vector<NodeAssignment> assignments;
  for (std::size_t n = 0; n < roots.size(); ++n) {
    const Output& output = stage.footprint.outputs[n];
    const StageArgument& written = stage.arguments[static_cast<std::size_t>(output.parameter)];
    const auto other = others.find(written.field);
    if (other == others.end()) {
      if (roots[n] >= 0) assignments.push_back({written, output.component, roots[n]});
      continue;
    }
    const int value =
        roots[n] >= 0 ? roots[n]
                      : graph.add(node_reading(*written.field, output.parameter, output.component));
    assignments.push_back({argument_of(other->second, grid), output.component, value});
  }
  return assigning_stage({stage.name, &graph, &stage.arguments, offset_of(sweep), field_of(sweep)},
                         assignments);
}

}  // namespace

KeptValues::KeptValues(const StepRecord& step) : step_(step), changed_(step.changed()) {
  for (std::size_t n = 0; n < step.sweeps.size(); ++n) {
    for (const StageArgument& argument : step.sweeps[n].arguments) {
      if (argument.field && argument.access != Access::in) writers_[argument.field].push_back(n);
    }
  }
  for (const auto& [name, other] : step.renamed) name_at_end_[other] = name;
}

/// How many of the sweeps before write the field.
std::size_t KeptValues::version_before(const FieldPointer& field, std::size_t sweep) const {
  const auto found = writers_.find(field);
  if (found == writers_.end()) return 0;
  const auto& writers = found->second;
  return static_cast<std::size_t>(std::lower_bound(writers.begin(), writers.end(), sweep) -
                                  writers.begin());
}

void KeptValues::serve(std::size_t sweep, const std::vector<std::shared_ptr<Stage>>& stages,
                       const AdjointFields& fields) {
  for (const auto& stage : stages) {
    bool reads = stage->mask && changed_.count(stage->mask) > 0;
    for (const StageArgument& argument : stage->arguments) {
      reads = reads || (argument.field && !fields.has(argument.field.get()) &&
                        changed_.count(argument.field) > 0);
      require_number(argument.parameter);
    }
    for (const auto& parameter : stage->parameters) require_number(parameter);
    if (reads) served_.push_back({stage, sweep});
  }
}

void KeptValues::serve_solve(std::size_t sweep) {
  const StepSweep& solve = step_.sweeps[sweep];
  for (std::size_t n = 0; n < solve.arguments.size(); ++n) {
    const StageArgument& one = solve.arguments[n];
    if (one.field == solve.unknown() || one.field == solve.known()) continue;
    if (one.access == Access::in) require_as_it_is(solve, n, sweep + 1);
  }
  overwritten_.insert(solve.solve->writes.begin(), solve.solve->writes.end());
}

/// What this argument of a solve, whose stages cannot read it elsewhere, has when the step is over.
void KeptValues::require_as_it_is(const StepSweep& solve, std::size_t argument,
                                  std::size_t behind) {
  const StageArgument& one = solve.arguments[argument];
  const StageArgument& named = solve.stage->arguments[argument];
  const std::string refused = "no derivatives of '" + solve.stage->name + "'";
  const std::string suggestion = "use another one there";
  if (one.parameter) {
    require(one.parameter == named.parameter, refused,
            "the step computes '" + named.parameter->name + "', which it reads, several times",
            suggestion);
    return require_number(one.parameter);
  }
  const auto renamed = name_at_end_.find(one.field);
  const auto writers = writers_.find(one.field);
  require(
      named.field == one.field && (renamed == name_at_end_.end() || renamed->second == one.field),
      refused, "the step exchanges the name of '" + named.field->name + "', which it reads",
      suggestion);
  require(writers == writers_.end() || writers->second.back() < behind, refused,
          "the step writes '" + one.field->name + "', which it reads, once more behind it",
          suggestion);
  read_as_they_are_.insert(one.field);
}

void KeptValues::require_number(const std::shared_ptr<ParameterRecord>& number) {
  if (!number) return;
  const auto writers = step_.writers.find(number.get());
  if (writers == step_.writers.end()) {
    numbers_read_.insert(number.get());
    return;
  }
  for (const std::size_t writer : writers->second) {
    if (!numbers_.insert(writer).second) continue;
    for (const StageArgument& argument : step_.sweeps[writer].arguments) {
      if (argument.access != Access::out) require_number(argument.parameter);
    }
  }
}

bool KeptValues::reads_handed() const {
  return std::any_of(step_.handed.begin(), step_.handed.end(),
                     [&](const auto& one) { return numbers_read_.count(one.first.get()) > 0; });
}

std::vector<std::shared_ptr<Stage>> KeptValues::place(AdjointFields& fields) {
  std::vector<std::shared_ptr<Stage>> again, copies;
  for (const std::size_t sweep : numbers_) {
    const StepSweep& one = step_.sweeps[sweep];
    auto stage = std::make_shared<Stage>(*one.stage);
    if (!one.computes_numbers()) stage->arguments = one.arguments;
    stage->mask = one.mask;
    served_.push_back({stage, sweep});
    again.push_back(std::move(stage));
  }
  for (const FieldPointer& field : read_as_they_are_) {
    const auto writers = writers_.find(field);
    place_of(field, writers == writers_.end() ? 0 : writers->second.size(), fields);
    reads_changed_ = reads_changed_ || writers != writers_.end();
  }
  FieldMap<FieldPointer> copied;
  for (const Served& one : served_) {
    const auto replace = [&](FieldPointer& field) {
      if (!field || changed_.count(field) == 0) return;
      reads_changed_ = true;
      field = place_of(field, version_before(field, one.sweep), fields);
      if (overwritten_.count(field) == 0) return;
      FieldPointer& copy = copied[field];
      if (!copy) {
        copy = fields.make_copy(*field);
        copies.push_back(copying_stage(field, copy, fields.grid()));
      }
      field = copy;
    };
    for (StageArgument& argument : one.stage->arguments) replace(argument.field);
    replace(one.stage->mask);
  }
  served_.clear();
  copies.insert(copies.end(), again.begin(), again.end());
  return copies;
}

/// The name by which the value is read when the step is over.
FieldPointer KeptValues::place_of(const FieldPointer& field, std::size_t version,
                                  AdjointFields& fields) {
  const auto writers = writers_.find(field);
  if (writers != writers_.end() && version < writers->second.size()) {
    return keep({writers->second[version], field}, fields);
  }
  const auto renamed = name_at_end_.find(field);
  const FieldPointer& name = renamed == name_at_end_.end() ? field : renamed->second;
  if (const auto later = overwriting_of(name)) keep(*later, fields);
  return name;
}

FieldPointer KeptValues::keep(const Overwriting& overwriting, AdjointFields& fields) {
  auto& spares = spares_[overwriting];
  if (spares.empty()) spares.push_back(fields.make_copy(*overwriting.field));
  return spares.front();
}

/// What overwrites the value that a name stands for when a step begins, in this step or, as it gets
/// other names, in a later one.
std::optional<KeptValues::Overwriting> KeptValues::overwriting_of(FieldPointer name) const {
  FieldSet seen;
  while (seen.insert(name).second) {
    const auto writers = writers_.find(name);
    if (writers != writers_.end()) return Overwriting{writers->second.front(), name};
    const auto renamed = name_at_end_.find(name);
    if (renamed != name_at_end_.end()) name = renamed->second;
  }
  return {};
}

bool KeptValues::keeps(const std::vector<FieldPointer>& fields) const {
  return std::all_of(fields.begin(), fields.end(), [&](const FieldPointer& field) {
    const auto overwriting = overwriting_of(field);
    return overwriting ? spares_.count(*overwriting) > 0 : overwritten_.count(field) == 0;
  });
}

std::vector<FieldPointer> KeptValues::fields() const {
  std::vector<FieldPointer> all;
  for (const auto& [overwriting, spares] : spares_) all.push_back(overwriting.field);
  return all;
}

/// Writes a program.
class KeptValues::Recording {
 public:
  Recording(const KeptValues& kept, const std::shared_ptr<GridState>& grid)
      : kept_(kept), grid_(grid) {}

  Program make(std::size_t steps) {
    for (const auto& [overwriting, spares] : kept_.spares_) {
      if (steps == 1) continue;
      std::vector<FieldPointer> names(spares.begin(),
                                      spares.begin() + static_cast<std::ptrdiff_t>(steps));
      std::reverse(names.begin() + 1, names.end());
      program_.add(permutation(std::move(names), member_of(grid_, overwriting.field->grid)));
    }
    for (const StepItem& item : kept_.step_.items) {
      item.sweep < 0 ? void(program_.add(item.stage)) : add_sweep(item);
    }
    return std::move(program_);
  }

 private:
  /// With what has to happen where it overwrites what is kept.
  void add_sweep(const StepItem& item) {
    const auto number = static_cast<std::size_t>(item.sweep);
    const StepSweep& sweep = kept_.step_.sweeps[number];
    FieldMap<FieldPointer> elsewhere;
    for (std::size_t n = 0; n < sweep.arguments.size(); ++n) {
      const StageArgument& written = sweep.arguments[n];
      if (!written.field || written.access == Access::in) continue;
      const auto found = kept_.spares_.find({number, written.field});
      if (found == kept_.spares_.end()) continue;
      const FieldPointer &name = item.stage->arguments[n].field, &spare = found->second.front();
      if (written.access == Access::inout && !sweep.solve && may_write_elsewhere(*item.stage)) {
        elsewhere[name] = spare;
        continue;
      }
      const auto grid = member_of(grid_, name->grid);
      if (!sweep.renews(written)) program_.add(copying_stage(name, spare, grid));
      program_.add(permutation({name, spare}, grid));
    }
    if (sweep.solve) return;
    program_.add(elsewhere.empty() ? item.stage : writing_elsewhere(sweep, elsewhere, grid_));
    for (const auto& [name, spare] : elsewhere) program_.add(permutation({name, spare}, grid_));
  }

  const KeptValues& kept_;
  std::shared_ptr<GridState> grid_;
  Program program_{"recorded step"};
};

Program KeptValues::recording(Index steps, AdjointFields& fields) {
  const auto count = static_cast<std::size_t>(steps);
  for (auto& [overwriting, spares] : spares_) {
    while (spares.size() < count) spares.push_back(fields.make_copy(*overwriting.field));
    for (const FieldPointer& spare : spares) spare->is_output = true;
  }
  return Recording(*this, fields.grid()).make(count);
}

std::vector<std::shared_ptr<Stage>> KeptValues::undoing(const Program& recording) const {
  std::vector<std::shared_ptr<Stage>> stages;
  for (auto stage = recording.stages().rbegin(); stage != recording.stages().rend(); ++stage) {
    if ((*stage)->kind != Stage::Kind::permute) continue;
    std::vector<FieldPointer> names((*stage)->names.rbegin(), (*stage)->names.rend());
    stages.push_back(permutation(std::move(names), (*stage)->grid));
  }
  return stages;
}

}  // namespace goban::detail
