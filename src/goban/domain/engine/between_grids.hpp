#pragma once
// Prepares stages that work on two grids of a family when the coarser grid is cut between patches
// in another way than the finer one.

#include <memory>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// Returns the stages in the form in which the engine runs them. A stage between two grids that are
/// cut differently gets an image of the coarser grid, cut as the finer one, to work on: its fields
/// are copied to the image before the stage and, where the stage writes them, back after it. All
/// other stages stay the same objects.
std::vector<std::shared_ptr<Stage>> with_moves(const std::vector<std::shared_ptr<Stage>>& stages,
                                               const Domain& domain);

}  // namespace goban
