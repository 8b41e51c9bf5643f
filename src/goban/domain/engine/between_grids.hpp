#pragma once
// Stages that work on two grids of a family, where the coarser one is not cut as the finer one is.

#include <memory>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// The stages as they run: such a one works on an image of the coarser grid, which its fields are
/// moved to before and, where it writes them, from after. The others stay the same objects.
std::vector<std::shared_ptr<Stage>> with_moves(const std::vector<std::shared_ptr<Stage>>& stages,
                                               const Domain& domain);

}  // namespace goban
