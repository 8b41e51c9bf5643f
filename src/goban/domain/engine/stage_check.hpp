#pragma once
// What an engine refuses before it runs.

#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Errors (ExitCode::usage): a sweep without fields, over fields of several grids or memory orders,
/// of a field whose boundary is at odds with the grid's periodicity; fused functors of which one
/// would read what another makes where a boundary condition not evaluated with it rules, or outside
/// of the stage's region or mask; swapped fields that differ in grid, location or boundary.
void check_stage(const Stage& stage);

/// Error (ExitCode::usage): these stages, or those of loops among them, sample the same twice.
void check_samples(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
