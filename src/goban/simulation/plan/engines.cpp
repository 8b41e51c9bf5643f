#include "goban/simulation/plan/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "goban/domain/data/domain.hpp"

namespace goban {

std::string StopRule::describe() const {
  return fmt::format("{} {} {}", condition.parameter->name, condition.less ? "<" : ">",
                     condition.bound);
}

Engines::Engines(const Program& step, const std::vector<StopRule>& stops,
                 const std::vector<Program>& derived,
                 const std::vector<std::unique_ptr<SimulationOutput>>& outputs)
    : stops_(stops) {
  // What the step alone must hand on; the rest of what lives is for output.
  for (const UsedField& used : fields_of(step)) used.record->is_output = false;
  const auto needed = Engine(step).live_fields();
  for (const auto& output : outputs) {
    for (const AnyField& field : output->fields()) field.record()->is_output = true;
  }
  const auto show = [](const Engine& engine, const Program& program) {
    for (const auto& field : engine.live_fields()) field->is_output = true;
    for (const auto& used : fields_of(program)) {
      const auto written = written_by(program);
      if (std::find(written.begin(), written.end(), used.record.get()) != written.end()) {
        used.record->is_output = true;
      }
    }
  };
  for (const StopRule& rule : stops_) {
    checks_.push_back(rule.check ? std::make_unique<Engine>(*rule.check) : nullptr);
    if (rule.check) show(*checks_.back(), *rule.check);
  }
  for (const Program& program : derived) {
    Derived& one = derived_.emplace_back(Derived{program, std::make_unique<Engine>(program)});
    one.has_calls = has_calls(program);
    for (const FieldRecord* field : written_by(program)) one.writes.insert(field);
    for (const ParameterRecord* number : numbers_written_by(program)) one.writes.insert(number);
    for (const UsedField& used : fields_of(program)) one.uses.insert(used.record.get());
    for (const auto& number : parameters_of(program)) one.uses.insert(number.get());
    show(*one.engine, program);
  }
  Program sampled = step;
  sampling_.emplace(sampled, derived, outputs);
  step_ = std::make_unique<Engine>(sampled);
  const auto live = step_->live_fields();
  const auto contains = [](const auto& all, const auto& record) {
    return std::find(all.begin(), all.end(), record) != all.end();
  };
  const auto written = written_by(step);
  for (const UsedField& used : fields_of(step)) {
    if (contains(live, used.record)) {
      live_.push_back({used.record, used.grid, contains(needed, used.record),
                       contains(written, used.record.get())});
    }
  }
}

std::vector<std::shared_ptr<ParameterRecord>> Engines::parameters() const {
  std::vector<std::shared_ptr<ParameterRecord>> all;
  const auto add = [&](const std::shared_ptr<ParameterRecord>& parameter) {
    if (std::find(all.begin(), all.end(), parameter) == all.end()) all.push_back(parameter);
  };
  const auto add_program = [&](const Program& program) {
    for (const auto& parameter : parameters_of(program)) add(parameter);
  };
  add_program(step_->program());
  for (const StopRule& rule : stops_) {
    add(std::const_pointer_cast<ParameterRecord>(rule.condition.parameter));
    if (rule.check) add_program(*rule.check);
  }
  for (const Derived& derived : derived_) add_program(derived.program);
  return all;
}

std::vector<GridState*> Engines::grids() const {
  std::vector<GridState*> all;
  const auto add = [&](const Program& program) {
    for (const UsedField& used : fields_of(program)) {
      if (std::find(all.begin(), all.end(), used.grid.get()) == all.end()) {
        all.push_back(used.grid.get());
      }
    }
  };
  add(step_->program());
  for (const StopRule& rule : stops_) {
    if (rule.check) add(*rule.check);
  }
  for (const Derived& derived : derived_) add(derived.program);
  return all;
}

Index Engines::bytes_needed() { return static_cast<Index>(step_->bytes_needed()); }

Index Engines::bytes_allocated() const {
  Index bytes = 0;
  std::set<GridState*> families;
  for (GridState* grid : grids()) families.insert(grid->root);
  for (GridState* grid : families) {
    if (grid->store) bytes += static_cast<Index>(domain_of(*grid).bytes_allocated());
  }
  return bytes;
}

TimeSplit Engines::time_split() const {
  TimeSplit all = step_->time_split();
  for (const auto& check : checks_) {
    if (check) all.add(check->time_split());
  }
  for (const Derived& derived : derived_) all.add(derived.engine->time_split());
  return all;
}

void Engines::prepare() {
  step_->prepare();
  for (const auto& check : checks_) {
    if (check) check->prepare();
  }
  for (const Derived& derived : derived_) derived.engine->prepare();
}

bool Engines::holds(std::size_t index, const StepClock& clock) {
  if (checks_[index]) {
    StepClock own = clock;
    checks_[index]->run(1, own);
  }
  return stops_[index].condition.holds();
}

void Engines::derive(const SimulationOutput& output, const StepClock& clock) {
  if (output.reads_anything()) return derive(clock);
  std::set<const void*> wanted;
  for (const AnyField& field : output.fields()) wanted.insert(field.record().get());
  for (const auto& parameter : output.parameters()) wanted.insert(parameter.get());
  std::vector<Derived*> needed;
  for (auto one = derived_.rbegin(); one != derived_.rend(); ++one) {
    const auto is_wanted = [&](const void* record) { return wanted.count(record) > 0; };
    const bool may_set_some = one->has_calls && !output.parameters().empty();
    if (!may_set_some && std::none_of(one->writes.begin(), one->writes.end(), is_wanted)) continue;
    wanted.insert(one->uses.begin(), one->uses.end());
    needed.push_back(&*one);
  }
  for (auto one = needed.rbegin(); one != needed.rend(); ++one) run(**one, clock);
}

void Engines::derive(const StepClock& clock) {
  for (Derived& derived : derived_) run(derived, clock);
}

void Engines::run(Derived& derived, const StepClock& clock) {
  if (derived.step == clock.step) return;
  StepClock own = clock;
  derived.engine->run(1, own);
  derived.step = clock.step;
}

}  // namespace goban
