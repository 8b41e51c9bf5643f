#pragma once
// Derivatives of what a step solves, A u = b, which follow from the equations alone: changes fulfil
//   A du = db - dA u,
// and an adjoint of u is, as lambda with A^T lambda = (adjoint of u), one of the residual b - A u.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "goban/adjoint/sweep_adjoint.hpp"

namespace goban::detail {

/// Stages that solve for lambda, and those that add what comes of it to the adjoints of what the
/// equations read; none where the adjoint of the unknown is 0.
struct SolveAdjoint {
  std::vector<std::shared_ptr<Stage>> solving{}, adding{};
};

/// `active`: fields that derivatives are wanted of before the solve.
SolveAdjoint reverse_of_solve(const StepSweep& solve, const FieldSet& active, AdjointFields& fields,
                              SweepAdjoint& adjoint);

/// Stages that make the change of the unknown, behind those that solve. `change_of` returns what
/// holds the change of an argument of an equation, nothing if it has none.
std::vector<std::shared_ptr<Stage>> tangent_of_solve(
    const StepSweep& solve, const StageArgument& change,
    const std::function<std::optional<StageArgument>(const StageArgument& argument)>& change_of);

}  // namespace goban::detail
