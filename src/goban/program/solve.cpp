#include "goban/program/solve.hpp"

#include "goban/program/program.hpp"

namespace goban {

void mark_solve(Program& program, std::size_t first, Solve solve) {
  const auto& stages = program.stages();
  solve.stages = stages.size() - first;
  if (solve.stages == 0) return;
  stages[first]->solve = std::make_shared<const Solve>(std::move(solve));
}

}  // namespace goban
