#pragma once
// What the stages of a step move, by what they are.

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Cells that the stage updates for each of the finest grid: those of its region, on its grid.
double share_of_grid(const Stage& stage);

/// Bytes that stages of a straight run move for a cell of the finest grid, one after the other.
/// Reductions that stand beside sweeps of the same cells find at hand what these have read or
/// written, see bundle_sweeps(), unless that gets ghosts first.
class MovedBytes {
 public:
  MovedBytes(const std::vector<std::shared_ptr<Stage>>& stages, bool is_asynchronous);
  double of(const Stage& stage);

 private:
  bool stands_beside_others(const Stage& stage) const;
  int known_before(const Stage& stage, std::size_t argument);

  bool is_asynchronous_;
  const Stage* latest_ = nullptr;
  std::set<std::pair<const FieldRecord*, int>> known_;  ///< components
  std::set<const FieldRecord*> written_, read_beside_;
};

}  // namespace goban
