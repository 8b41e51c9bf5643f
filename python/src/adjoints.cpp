// Gradients of programs.

#include <vector>

#include "calls.hpp"
#include "goban/adjoint/adjoint.hpp"

using namespace goban;
using namespace goban::python;

/// Makes the adjoint of the objective with respect to fields and parameters.
GOBAN_PYTHON_CALL int goban_python_adjoint(const Program* step, const Program* objective,
                                           const FieldHandle* const* fields,
                                           std::int64_t field_count,
                                           const ParameterHandle* const* parameters,
                                           std::int64_t parameter_count, Adjoint** made) {
  return guarded([&] {
    std::vector<GradientOf> of;
    for (std::int64_t n = 0; n < field_count; ++n) of.emplace_back(fields[n]->record);
    for (std::int64_t n = 0; n < parameter_count; ++n) of.emplace_back(parameters[n]->record);
    *made = new Adjoint(*step, *objective, of);
  });
}
GOBAN_PYTHON_CALL void goban_python_adjoint_delete(Adjoint* adjoint) { delete adjoint; }

GOBAN_PYTHON_CALL int goban_python_adjoint_evaluate(Adjoint* adjoint, std::int64_t steps,
                                                    std::int64_t states, double dt,
                                                    const ParameterHandle* dt_parameter,
                                                    double* value) {
  return guarded([&] {
    StepClock clock;
    clock.dt = dt;
    if (dt_parameter) clock.dt_parameter = dt_parameter->record;
    *value = adjoint->evaluate(steps, states, clock);
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
