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
  double times = 1;         ///< how often a step runs it
  double begins = 0;        ///< how often the host begins it in a step, alone or as a loop's first
  double rounds = 0;        ///< rounds of its loop in a step, if it is the loop's first run
  bool is_looped = false;   ///< in a loop that one device repeats alone until a condition holds
  bool is_solver = false;   ///< in a loop that ends by a condition
  /// The slots of all runs of the step on this family of grids; empty: those of this run.
  Slots step{};
  bool keeps_results = false;  ///< where one device computes all of it: the host takes no results
  /// Bytes that an update of a cell moves, where that is told and not counted; 0: it is counted.
  double bytes_told = 0;
  // Where one device computes all of the grid:
  bool repeats_alone = false;  ///< it repeats all of the step, without the host
  bool tells_time = false;     ///< but for the host that it tells how long the step was
};

}  // namespace goban
