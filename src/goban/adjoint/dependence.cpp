// What depends on what derivatives are with respect to.

#include <algorithm>

#include "goban/adjoint/step_record.hpp"
#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

using Number = std::shared_ptr<ParameterRecord>;

class Dependence {
 public:
  Dependence(const StepRecord& step, std::set<Number>& parameters)
      : step_(step), parameters_(parameters) {}

  /// Fields before each sweep and at the end, where these are given at the beginning of each step.
  std::vector<FieldSet> find(const FieldSet& given) {
    FieldSet at_begin = given;
    while (true) {
      has_changed_ = false;
      std::vector<FieldSet> before;
      FieldSet now = at_begin;
      for (const StepSweep& sweep : step_.sweeps) {
        before.push_back(now);
        sweep.solve ? pass_solve(sweep, now) : pass(sweep, now);
      }
      for (const auto& [number, last] : step_.handed) {
        if (depends(last)) refuse(number, "which a step hands to the next");
      }
      FieldSet next = at_begin;
      FieldSet names = now;
      for (const auto& [name, stands_for] : step_.renamed) names.insert(name);
      for (const FieldPointer& name : names) {
        if (now.count(step_.at_end(name)) > 0) next.insert(name);
      }
      if (next == at_begin && !has_changed_) {
        before.push_back(now);
        return before;
      }
      at_begin = std::move(next);
    }
  }

 private:
  bool depends(const Number& number) const {
    return parameters_.count(number) > 0 || refused_.count(number.get()) > 0;
  }
  void refuse(const Number& number, const std::string& why) {
    has_changed_ = refused_.try_emplace(number.get(), why).second || has_changed_;
  }

  /// A number that the arguments read though there is no derivative of it; null: there is none.
  const ParameterRecord* refused_of(const std::vector<StageArgument>& arguments) const {
    for (const StageArgument& one : arguments) {
      const bool is_read = one.parameter && one.access != Access::out;
      if (is_read && refused_.count(one.parameter.get()) > 0) return one.parameter.get();
    }
    return nullptr;
  }
  void check(const StepSweep& sweep, const std::string& name) const {
    const ParameterRecord* number = refused_of(sweep.arguments);
    require(!number, "no derivatives of stage '" + name + "'",
            number ? "it reads parameter '" + number->name + "', " + refused_.at(number) : "",
            "set it before the run, or have it follow the time");
  }

  bool reads_some(const std::vector<StageArgument>& arguments, const FieldSet& now) const {
    return std::any_of(arguments.begin(), arguments.end(), [&](const StageArgument& one) {
      if (one.access == Access::out) return false;
      return one.parameter ? parameters_.count(one.parameter) > 0
                           : one.field && now.count(one.field) > 0;
    });
  }

  void pass(const StepSweep& sweep, FieldSet& now) {
    const bool is_sum = sweep.stage->kind == Stage::Kind::reduce;
    if (!sweep.computes_numbers() && !is_sum) check(sweep, sweep.stage->name);
    const ParameterRecord* refused = refused_of(sweep.arguments);
    const bool depends = refused || reads_some(sweep.arguments, now);
    const auto write = [&](const Number& number) {
      if (!depends || step_.writers.count(number.get()) == 0) return;
      const auto without = step_.without_derivative.find(number.get());
      if (refused) {
        refuse(number, "which depends on '" + refused->name + "', " + refused_.at(refused));
      } else if (without != step_.without_derivative.end()) {
        refuse(number, without->second);
      } else {
        has_changed_ = parameters_.insert(number).second || has_changed_;
      }
    };
    if (is_sum) write(sweep.stage->target);
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.access == Access::in) continue;
      if (argument.parameter) write(argument.parameter);
      if (!argument.field) continue;
      if (depends && is_differentiable(*argument.field)) now.insert(argument.field);
      if (!depends && sweep.renews(argument)) now.erase(argument.field);
    }
  }

  /// A solution depends on what its equations read, whatever it was before.
  void pass_solve(const StepSweep& solve, FieldSet& now) const {
    const FieldPointer unknown = solve.unknown();
    if (!unknown) return;
    now.erase(unknown);
    const bool depends =
        std::any_of(solve.equations.begin(), solve.equations.end(),
                    [&](const StepSweep& one) { return reads_some(one.arguments, now); });
    if (depends) now.insert(unknown);
    for (const StageArgument& one : solve.arguments) {
      if (one.field != unknown && one.access != Access::in) now.erase(one.field);
    }
  }

  const StepRecord& step_;
  std::set<Number>& parameters_;
  std::map<const ParameterRecord*, std::string> refused_;
  bool has_changed_ = false;
};

}  // namespace

std::vector<FieldSet> dependent_fields(const StepRecord& step, const FieldSet& given,
                                       std::set<std::shared_ptr<ParameterRecord>>& parameters) {
  return Dependence(step, parameters).find(given);
}

}  // namespace goban::detail
