#pragma once
// The tangent of a stage that sweeps columns.

#include <functional>
#include <memory>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

/// The same stage, which also computes how what it writes changes: levels hand on changes of
/// scratch beside it. `change_of` returns what holds the change of an argument that is wanted, or
/// of a field that the stage writes.
std::shared_ptr<Stage> columns_with_changes(
    const StepSweep& sweep, const AdjointFields& changes, const IsWanted& is_wanted,
    const std::function<StageArgument(const StageArgument&)>& change_of);

}  // namespace goban::detail
