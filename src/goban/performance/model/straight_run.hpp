#pragma once
// A straight part of a program, as predictions and engines see it.

#include <memory>
#include <vector>

#include "goban/program/cycle.hpp"

namespace goban {

/// Consecutive stages on one grid.
struct StraightRun {
  std::shared_ptr<GridState> grid;
  std::vector<std::shared_ptr<Stage>> stages;
  Slots slots;
  std::vector<bool> alive;  ///< per name: its value at the end is needed
  bool repeats = false;     ///< step follows step with nothing between: cycles may be longer
  double times = 1;         ///< a step
  bool is_solver = false;   ///< in a loop that ends by a condition
};

}  // namespace goban
