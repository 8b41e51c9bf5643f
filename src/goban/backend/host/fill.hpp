#pragma once
// Fills of ghost cells at physical boundaries, and copies of halos, on host memory.

#include "goban/backend/api.hpp"

namespace goban::host {

/// Applies the task's rule to every cell of its box. Values are computed in the field's arithmetic
/// type (custom rules in double).
void run_fill(const FillTask& task);

/// Copies a rectangular piece; both sides must have the same memory order.
void run_copy(const CopyTask& task);

}  // namespace goban::host
