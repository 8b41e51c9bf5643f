#include "goban/domain/watch/own_state.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace goban {
namespace {

constexpr double gap_factor = 5;  // sweeps vary

bool is_debugged() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (word == "TracerPid:") return file >> word && word != "0";
  return false;
}

}  // namespace

RankState OwnState::look(WatchClock::time_point now, double patience) {
  const ActivityBoard& board = activity_board;
  RankState state{.activity = board.activity.load(std::memory_order_relaxed),
                  .is_waiting = board.waits.load(std::memory_order_relaxed) > 0,
                  .peer = board.peer.load(std::memory_order_relaxed)};
  const std::uint64_t moves = board.moves.load(std::memory_order_relaxed);
  state.idle = std::chrono::duration<double>(now - last_move_).count();
  if (moves != moves_) {
    if (was_computing_) longest_ = std::max(longest_, state.idle);
    moves_ = moves;
    last_move_ = now;
    state.idle = 0;
  }
  const bool is_sweep = state.activity == Activity::sweep;
  was_computing_ = (is_sweep || state.activity == Activity::tuning) && !state.is_waiting;
  state.patience = std::max(patience, gap_factor * longest_);
  if (is_sweep && state.idle > patience / 2 && is_debugged()) state.activity = Activity::other;
  return state;
}

}  // namespace goban
