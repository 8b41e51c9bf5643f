#pragma once
// The fastest of several ways to run the same steps, found by running them in turn.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// How the cycles of a straight run of stages are computed; values do not depend on it.
struct Way {
  int steps_per_cycle = 1;  ///< and exchange: R
  int steps_per_pass = 1;
  bool operator==(const Way&) const = default;
};

/// The best so far meets the next of the candidates, turn by turn so that both meet the same
/// disturbances, and the one with the shorter median stays. As costs have one minimum over R,
/// exchanges before every step aside, which may go another way, two in a row that beat neither the
/// best nor the candidate before them end it. A turn is some cycles; the first of each of the two
/// does not count, for kernels are tried, memory moves and cycles are recorded. All ranks must add
/// the same times.
class WayChoice {
 public:
  WayChoice() : WayChoice({Way{}}) {}
  /// At least one; the first is the best as long as no other is.
  explicit WayChoice(std::vector<Way> candidates);

  const std::vector<Way>& candidates() const { return candidates_; }
  bool is_open() const { return challenger_ < candidates_.size(); }
  /// Whose turn it is; the best when nothing is open any more.
  const Way& current() const;
  const Way& best() const { return candidates_[best_]; }
  /// Nothing of this way has run yet: it may turn out that it cannot.
  bool is_new() const { return is_open() && turns_ % 2 == 1 && times_[1].empty() && !warm_[1]; }
  /// The current way cannot be run, nor those after it.
  void refuse();
  /// Cycles of the current turn, from what a step takes: enough to be measured. Those that are
  /// recorded, so many at once, are to be replayed, too; `at_once` is 0 if none is.
  Index cycles(Index at_once) const;
  /// After a turn.
  void add(double seconds_per_step);

 private:
  void decide();

  std::vector<Way> candidates_;
  std::size_t best_ = 0, challenger_ = 1;
  int lost_in_a_row_ = 0;
  double latest_ = std::numeric_limits<double>::infinity();  ///< candidate's seconds a step
  int turns_ = 0;                             ///< of this pair: even ones are the best's
  std::array<bool, 2> warm_{};                ///< best and challenger had their first turn
  std::array<std::vector<double>, 2> times_;  ///< seconds a step, of turns that count
  double step_ = 0;                           ///< seconds, of the latest turn
};

}  // namespace goban
