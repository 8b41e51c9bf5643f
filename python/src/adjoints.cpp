// Gradients of programs.

#include <cstring>
#include <vector>

#include "calls.hpp"
#include "goban/adjoint/adjoint.hpp"

using namespace goban;
using namespace goban::python;

namespace {

/// A function of the script that gets so many records, one behind the other, and makes a number and
/// its derivatives with respect to all values, in the same order.
using FunctionOfSamples = std::int64_t (*)(std::int64_t count, const std::byte* values,
                                           double* derivatives, double* made);

double call_of_samples(FunctionOfSamples function, std::size_t bytes,
                       const std::vector<Samples::Record>& records,
                       std::vector<std::vector<double>>& derivatives) {
  std::vector<std::byte> values(records.size() * bytes);
  for (std::size_t n = 0; n < records.size(); ++n) {
    std::memcpy(values.data() + n * bytes, records[n].values.data(), bytes);
  }
  const std::size_t each = records.empty() ? 0 : derivatives.front().size();
  std::vector<double> all(records.size() * each);
  double value = 0;
  require_success(
      function(static_cast<std::int64_t>(records.size()), values.data(), all.data(), &value));
  for (std::size_t n = 0; n < records.size(); ++n) {
    std::copy_n(all.data() + n * each, each, derivatives[n].data());
  }
  return value;
}

std::vector<GradientOf> asked_for(const FieldHandle* const* fields, std::int64_t field_count,
                                  const ParameterHandle* const* parameters,
                                  std::int64_t parameter_count) {
  std::vector<GradientOf> of;
  for (std::int64_t n = 0; n < field_count; ++n) of.emplace_back(fields[n]->record);
  for (std::int64_t n = 0; n < parameter_count; ++n) of.emplace_back(parameters[n]->record);
  return of;
}

StepClock clock_of(double dt, const ParameterHandle* dt_parameter) {
  StepClock clock;
  clock.dt = dt;
  if (dt_parameter) clock.dt_parameter = dt_parameter->record;
  return clock;
}

}  // namespace

/// Makes the adjoint of the objective with respect to fields and parameters.
GOBAN_PYTHON_CALL int goban_python_adjoint(const Program* step, const Program* objective,
                                           const FieldHandle* const* fields,
                                           std::int64_t field_count,
                                           const ParameterHandle* const* parameters,
                                           std::int64_t parameter_count, Adjoint** made) {
  return guarded([&] {
    *made =
        new Adjoint(*step, *objective, asked_for(fields, field_count, parameters, parameter_count));
  });
}
/// The same of a function of samples.
GOBAN_PYTHON_CALL int goban_python_adjoint_of_samples(
    const Program* step, const SamplesHandle* handle, FunctionOfSamples function,
    const FieldHandle* const* fields, std::int64_t field_count,
    const ParameterHandle* const* parameters, std::int64_t parameter_count, Adjoint** made) {
  return guarded([&] {
    const auto objective = [function, bytes = handle->samples->bytes()](
                               const std::vector<Samples::Record>& records,
                               std::vector<std::vector<double>>& derivatives) {
      return call_of_samples(function, bytes, records, derivatives);
    };
    *made = new Adjoint(*step, handle->samples, objective,
                        asked_for(fields, field_count, parameters, parameter_count));
  });
}
GOBAN_PYTHON_CALL void goban_python_adjoint_delete(Adjoint* adjoint) { delete adjoint; }

/// `bytes`: 0 is no limit.
GOBAN_PYTHON_CALL int goban_python_adjoint_evaluate(Adjoint* adjoint, std::int64_t steps,
                                                    std::int64_t states, double bytes,
                                                    const char* folder, double dt,
                                                    const ParameterHandle* dt_parameter,
                                                    double* value) {
  return guarded([&] {
    StateBudget budget{.states = states, .folder = folder};
    if (bytes > 0) budget.bytes = bytes;
    *value = adjoint->evaluate(steps, budget, clock_of(dt, dt_parameter));
  });
}
/// Calls the function of the script when so many steps are done; then they are undone.
GOBAN_PYTHON_CALL int goban_python_adjoint_look_ahead(Adjoint* adjoint, std::int64_t steps,
                                                      double dt,
                                                      const ParameterHandle* dt_parameter,
                                                      std::int64_t (*look)()) {
  return guarded([&] {
    adjoint->look_ahead(
        steps, [look] { require_success(look()); }, clock_of(dt, dt_parameter));
  });
}
/// The field that holds the gradient with respect to another.
GOBAN_PYTHON_CALL int goban_python_adjoint_field(const Adjoint* adjoint, const FieldHandle* of,
                                                 FieldHandle** made) {
  return guarded([&] { *made = new FieldHandle{of->grid, adjoint->gradient_of(of->record)}; });
}
GOBAN_PYTHON_CALL int goban_python_adjoint_number(const Adjoint* adjoint, const ParameterHandle* of,
                                                  double* value) {
  return guarded([&] { *value = adjoint->gradient_of(of->record); });
}
GOBAN_PYTHON_CALL int goban_python_adjoint_steps_computed(const Adjoint* adjoint,
                                                          std::int64_t* steps) {
  return guarded([&] { *steps = adjoint->steps_computed(); });
}
