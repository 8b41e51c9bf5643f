#pragma once
// Derivatives of what a step solves, A u = b, which follow from the equations alone: changes fulfil
//   A du = db - dA u,
// and an adjoint of u is, as lambda with A^T lambda = (adjoint of u), one of the residual b - A u.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "goban/adjoint/forward_part.hpp"
#include "goban/adjoint/sweep_adjoint.hpp"

namespace goban::detail {

/// Stages that solve for lambda and add what comes of it to the adjoints of what the equations
/// read. `sweep` is the number of the solve; `active`: fields that derivatives are wanted of before
/// it.
std::vector<std::shared_ptr<Stage>> reverse_of_solve(const StepRecord& step, std::size_t sweep,
                                                     const FieldSet& active, AdjointFields& fields,
                                                     SweepAdjoint& adjoint, ForwardPart& forward);

/// Stages that make the change of the unknown, behind those that solve. `change_of` returns what
/// holds the change of an argument of an equation, nothing if it has none.
std::vector<std::shared_ptr<Stage>> tangent_of_solve(
    const StepSweep& solve, const StageArgument& change,
    const std::function<std::optional<StageArgument>(const StageArgument& argument)>& change_of);

}  // namespace goban::detail
