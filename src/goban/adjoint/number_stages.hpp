#pragma once
// Derivatives of what a step computes of numbers, which are the same for all cells.

#include <memory>
#include <vector>

#include "goban/adjoint/step_record.hpp"
#include "goban/adjoint/sweep_derivatives.hpp"

namespace goban::detail {

/// A scalar stage that has been recorded: adds to the adjoints of the numbers that it reads those
/// of the numbers that it writes, times derivatives. None: no adjoint is known.
std::vector<std::shared_ptr<Stage>> reverse_of_compute(const StepSweep& compute,
                                                       const AdjointNumbers& adjoints);

/// The changes of the numbers that it writes, from those that it reads.
std::vector<std::shared_ptr<Stage>> tangent_of_compute(const StepSweep& compute,
                                                       const AdjointNumbers& changes);

}  // namespace goban::detail
