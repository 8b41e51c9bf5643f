#pragma once
// Who is to blame when ranks wait too long, die or fail: decisions without clocks and sockets.

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
  int waiter;  ///< has waited too long
  How how;
};

/// Nobody, as long as a rank makes progress or does what may take long. `patience` in seconds.
std::optional<Stuck> find_stuck(std::span<const RankState> ranks, double patience);

/// How a rank was lost.
enum class Loss {
  died,           ///< without a word
  out_of_memory,  ///< so, and its machine has run out of memory
  stopped,        ///< is there, and stopped
  silent          ///< or its machine, or the way to it
};

struct FailureReport {
  int rank;
  int code;
  std::string text;
};

enum class FailureVerdict { wait, alike, alone };

/// Ranks have reported errors for so many seconds: whether all of them fail alike.
FailureVerdict judge(std::span<const FailureReport> reports, int ranks, double seconds,
                     double most_seconds);
/// The first that is no consequence of another rank's end.
const FailureReport& cause(std::span<const FailureReport> reports);

/// "a sweep", "output", "a message of rank 2".
std::string describe(const RankState& state);
/// "problem (why) suggestion"; `name` is "rank 2 (host b, pid 4711)".
std::string describe(const Stuck& stuck, const std::string& name, std::span<const RankState> ranks);
std::string describe(Loss loss, const std::string& name, double seconds);

}  // namespace goban
