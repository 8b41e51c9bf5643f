#pragma once
// What this rank does, over time.

#include <chrono>
#include <cstdint>

#include "goban/domain/watch/verdict.hpp"

namespace goban {

using WatchClock = std::chrono::steady_clock;

/// This rank's own activity over time.
class OwnState {
 public:
  /// Looks at activity_board, now and then.
  RankState look(WatchClock::time_point now, double patience);
  void forgive() { last_move_ = WatchClock::now(); }

 private:
  WatchClock::time_point last_move_ = WatchClock::now();
  std::uint64_t moves_ = 0;
  bool was_computing_ = false;
  double longest_ = 0;  ///< seconds between two moves of a sweep
};

}  // namespace goban
