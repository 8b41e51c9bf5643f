#pragma once
// Fourier transforms on devices that are not there.

#include "goban/backend/fourier_task.hpp"

namespace goban::emulated {

/// Does what kernels of GPUs do, cell after cell and column after column. Transforms are computed
/// by their definition, in a time that is quadratic in the length of a line.
void solve_by_waves(const FourierTask& task);

}  // namespace goban::emulated
