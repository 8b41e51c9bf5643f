#pragma once
// The checks that an engine makes before it runs a program.

#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Throws an Error (ExitCode::usage) for a sweep without fields, a sweep over fields of several
/// grids or memory orders, and a field whose boundary conditions contradict the grid's periodicity;
/// for fused functors where one would read what another computes across a boundary condition that
/// is not evaluated with it, or outside the stage's region or mask; and for swapped fields that
/// differ in grid, location or boundary conditions.
void check_stage(const Stage& stage);

/// Throws an Error (ExitCode::usage) if two of these stages, or of the stages of loops among them,
/// take samples into the same Samples.
void check_samples(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
