#pragma once
// How high the tiles of a sweep are: a rule of thumb, and what sweeps take by it and by its
// neighbours.

#include <array>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::cpu {

/// Tiles of so many rows, half and twice as many are tried in turn, sweep by sweep. By the least
/// time of each, as what disturbs a sweep makes it longer, the rule of thumb holds unless another
/// is faster by 2 %.
class TileChoice {
 public:
  /// `rule`: rows by the rule of thumb; `most`: rows there are. Nothing is tried where all rows are
  /// one tile.
  TileChoice(Index rule, Index most);

  /// Of the next sweep.
  Index rows() const { return candidates_[is_open() ? next_ : best_].rows; }
  bool is_open() const { return turns_left_ > 0; }
  /// What it took.
  void add(double seconds);
  /// "34 rows a tile (17: 1.32 ms, 34: 1.25 ms, 68: 1.24 ms)".
  std::string describe() const;

 private:
  struct Candidate {
    Index rows = 0;
    double seconds = 0;  ///< the least so far; 0: it has not run yet
  };
  std::vector<Candidate> candidates_;  ///< that of the rule first
  std::size_t next_ = 0, best_ = 0;
  int turns_left_ = 0;
};

}  // namespace goban::cpu
