#pragma once
// Who is to blame when ranks wait too long: decisions without clocks and sockets.

#include <optional>
#include <span>
#include <string>

#include "goban/base/activity.hpp"

namespace goban {

/// What is known of a rank.
struct RankState {
  Activity activity = Activity::other;
  bool is_waiting = false;              ///< for another rank
  int peer = ActivityBoard::everybody;  ///< for which
  double idle = 0;                      ///< seconds without progress
  double patience = 0;                  ///< as many are too many, for a sweep of this rank
};

/// A rank that is alive and holds up the others.
struct Stuck {
  enum class How {
    hangs,    ///< computes without progress
    ended,    ///< has come to its end, and others wait for it
    deadlock  ///< waits as all do
  };
  int rank;
  int waiter;  ///< the rank that has waited too long
  How how;
};

/// Nobody, as long as a rank makes progress or does what may take long. `patience` in seconds.
std::optional<Stuck> find_stuck(std::span<const RankState> ranks, double patience);

/// "problem (why); suggestion"; `name` is "rank 2 (host b, pid 4711)".
std::string describe(const Stuck& stuck, const std::string& name, std::span<const RankState> ranks);

}  // namespace goban
