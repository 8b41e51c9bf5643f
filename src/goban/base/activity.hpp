#pragma once
// What this process does, for those who watch it.

#include <atomic>
#include <cstdint>

namespace goban {

enum class Activity : std::uint32_t {
  other,  ///< may take as long as it likes, as may all but sweeps
  sweep,  ///< computes: without progress it hangs
  tuning,
  output,
  checkpoint,
  call,   ///< runs functions of the user's own
  ending  ///< waits until all ranks end
};

/// Written by whoever works, a few stores at a time; read now and then.
struct ActivityBoard {
  static constexpr int everybody = -1;
  std::atomic<Activity> activity = Activity::other;
  std::atomic<std::uint64_t> moves = 0;  ///< changes with any progress
  std::atomic<int> waits = 0;            ///< threads that wait for other ranks
  std::atomic<int> peer = everybody;     ///< whom the latest of them waits for
};

/// The board of this process. Modules get a pointer to it: their own is read by nobody.
inline ActivityBoard activity_board;

inline void note_progress() { activity_board.moves.fetch_add(1, std::memory_order_relaxed); }

/// What this process does while this lives; for its main thread.
class Doing {
 public:
  explicit Doing(Activity activity)
      : before_(activity_board.activity.exchange(activity, std::memory_order_relaxed)) {
    note_progress();
  }
  ~Doing() {
    note_progress();
    activity_board.activity.store(before_, std::memory_order_relaxed);
  }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  Activity before_;
};

/// A thread waits for another rank, or for ActivityBoard::everybody, while this lives.
class Waiting {
 public:
  Waiting(ActivityBoard& board, int peer) : board_(board) {
    board_.peer.store(peer, std::memory_order_relaxed);
    board_.moves.fetch_add(1, std::memory_order_relaxed);
    board_.waits.fetch_add(1, std::memory_order_relaxed);
  }
  ~Waiting() {
    board_.moves.fetch_add(1, std::memory_order_relaxed);
    board_.waits.fetch_sub(1, std::memory_order_relaxed);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ActivityBoard& board_;
};

}  // namespace goban
