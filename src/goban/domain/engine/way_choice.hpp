#pragma once
// The fastest of several ways to run the same steps, found by running them in turn.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/grid/settings.hpp"

namespace goban {

/// How the cycles of a straight run of stages are computed; values do not depend on it.
struct Way {
  int steps_per_cycle = 1;  ///< and exchange: R
  int steps_per_pass = 1;
  Overlap overlap = Overlap::none;
  bool operator==(const Way&) const = default;
};

/// The best so far meets the next of the candidates, turn by turn so that both meet the same
/// disturbances, and the one with the shorter median stays. As costs have one minimum over R,
/// exchanges before every step aside, which may go another way, two in a row that beat neither the
/// best nor the candidate before them end it. The first single sweeps may also be tried with sweeps
/// that go on while halos travel, and decide that for the candidates after them. A turn is some
/// cycles; the first of each of the two does not count, for kernels are tried, memory moves and
/// cycles are recorded. A challenger whose turns have cost too much of the run waits until the best
/// has run for long enough: runs with many fields that end soon would be trials and little else.
/// All ranks must add the same times.
class WayChoice {
 public:
  WayChoice() : WayChoice({Way{}}) {}
  /// At least one; the first is the best as long as no other is.
  explicit WayChoice(std::vector<Way> candidates, bool tries_overlap = false);

  /// What was offered is the same.
  bool is_among(const std::vector<Way>& candidates, bool tries_overlap) const {
    return offered_ == candidates && tries_overlap_ == tries_overlap;
  }
  bool is_open() const { return challenger_ < candidates_.size(); }
  /// Whose turn it is; the best when nothing is open any more.
  const Way& current() const;
  const Way& best() const { return candidates_[best_]; }
  /// Nothing of this way has run yet: it may turn out that it cannot.
  bool is_new() const { return is_open() && who() == 1 && times_[1].empty() && !warm_[1]; }
  /// The current way cannot be run, nor the longer ones after it.
  void refuse();
  /// No more turns: the best so far it is.
  void close();
  /// Cycles of the current turn, from what a step takes: enough to be measured. Those that are
  /// recorded, so many at once, are to be replayed, too; `at_once` is 0 if none is.
  Index cycles(Index at_once) const;
  /// After a turn of so many steps.
  void add(double seconds, Index steps = 1);

 private:
  /// The challenger's turn has come, but its turns have cost too much so far.
  bool waits() const;
  std::size_t who() const { return turns_ % 2 == 1 && !waits() ? 1 : 0; }
  void decide();

  std::vector<Way> offered_;
  bool tries_overlap_ = false;
  std::vector<Way> candidates_;  ///< those offered, and one with overlap
  std::size_t overlapping_ = 0;  ///< which it is; 0: none
  std::size_t best_ = 0, challenger_ = 1;
  int lost_in_a_row_ = 0;
  double latest_ = std::numeric_limits<double>::infinity();  ///< candidate's seconds a step
  int turns_ = 0;                             ///< of this pair: even ones are the best's
  std::array<bool, 2> warm_{};                ///< best and challenger had their first turn
  std::array<std::vector<double>, 2> times_;  ///< seconds a step, of turns that count
  std::array<double, 2> step_{};              ///< seconds, of the latest turn of each
  double spent_ = 0;                          ///< seconds, of all turns
  double lost_ = 0;                           ///< of these what the best would have saved
};

}  // namespace goban
