#include "goban/adjoint/step_numbers.hpp"

#include <algorithm>

#include "goban/program/program.hpp"

namespace goban::detail {

StepNumbers::Number StepNumbers::read(const Number& parameter) {
  const auto found = present_.find(parameter.get());
  if (found != present_.end()) return found->second;
  read_at_begin_.insert(parameter.get());
  return parameter;
}

StepNumbers::Number StepNumbers::write(const Number& parameter) {
  auto& present = present_[parameter.get()];
  const bool is_first = !present;
  const bool is_handed = read_at_begin_.count(parameter.get()) > 0;
  present =
      is_first && !is_handed
          ? parameter
          : std::make_shared<ParameterRecord>(ParameterRecord{parameter->name, parameter->value});
  if (!is_handed) return present;
  const auto known = std::find_if(handed_.begin(), handed_.end(),
                                  [&](const auto& one) { return one.first == parameter; });
  if (known == handed_.end()) {
    handed_.emplace_back(parameter, present);
  } else {
    known->second = present;
  }
  return present;
}

std::shared_ptr<Stage> copying_stage(const std::shared_ptr<ParameterRecord>& from,
                                     const std::shared_ptr<ParameterRecord>& to) {
  Program copy("copy of " + from->name);
  copy.compute([](auto value, auto& held) { held = value; }, in(Parameter<double>(from)),
               out(Parameter<double>(to)));
  return copy.stages().front();
}

std::shared_ptr<Stage> with_parameters(const Stage& compute,
                                       std::vector<std::shared_ptr<ParameterRecord>> parameters) {
  auto stage = std::make_shared<Stage>(compute);
  stage->parameters = std::move(parameters);
  stage->function = scalar_function(stage->as_sweep, stage->parameters);
  return stage;
}

}  // namespace goban::detail
