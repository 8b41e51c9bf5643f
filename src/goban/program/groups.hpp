#pragma once
// Stages of a program that belong together, for those who derive it: runs do not look at it.

#include <memory>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/program/solve.hpp"

namespace goban {

/// Stages from one number up to another, which is not of them: a solve, or the preparation of some.
struct StageGroup {
  std::size_t first = 0, last = 0;
  std::shared_ptr<const Solve> solve{};
  std::shared_ptr<const SolvePreparation> preparation{};
};

/// From now on the stages of a program from number `first` on, none of which is a scalar stage to
/// begin with, are a group; a group that consists of others stands for them.
void group_stages(Program& program, std::size_t first, Solve solve);
void group_stages(Program& program, std::size_t first, SolvePreparation preparation);

/// The groups of a program, in their order.
std::vector<StageGroup> groups_of(const Program& program);

}  // namespace goban
