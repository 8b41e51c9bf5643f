#pragma once
// One MPI: how it begins and ends, how it is called and waited for.

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "goban/base/activity.hpp"

namespace goban::mpi {

/// The program's, see MpiRequest; this module's own until it is known.
inline ActivityBoard* board = &activity_board;

/// Throws Error (ExitCode::peer_lost) with what MPI says, unless a call was a success.
void check(int code, const char* what);

/// More ranks than cores on this machine, as far as is known.
inline std::atomic<bool> is_crowded{true};

/// Waiting for another process: briefly busy, then giving the core away, then asleep, so that
/// machines with fewer cores than ranks stay usable. Large messages only get on while both ends
/// ask for them: where there are cores for all, sleep comes late. The watch knows of who is asleep.
class Patience {
 public:
  explicit Patience(int peer = ActivityBoard::everybody) : peer_(peer) {}

  void wait() {
    if (++asked_ < busy_asks) return;
    const auto now = std::chrono::steady_clock::now();
    if (asked_ == busy_asks) start_ = now;
    if (now - start_ < (is_crowded ? yielding_time : patient_time)) {
      std::this_thread::yield();
      return;
    }
    if (!waiting_) waiting_.emplace(*board, peer_);
    std::this_thread::sleep_for(nap);
  }
  /// To be called when something has come.
  void reset() {
    asked_ = 0;
    waiting_.reset();
  }

 private:
  static constexpr unsigned busy_asks = 50;
  static constexpr std::chrono::microseconds yielding_time{500}, patient_time{20'000}, nap{50};
  int peer_;
  unsigned asked_ = 0;
  std::chrono::steady_clock::time_point start_{};
  std::optional<Waiting> waiting_;
};

/// MPI from its first use to its last. Begins it unless the program has, and then ends it.
class Library {
 public:
  static std::shared_ptr<Library> use();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// "Open MPI v4.1.4, thread level serialized".
  std::string description() const;
  /// Whether the library says that it takes memory of NVIDIA GPUs as it takes that of the host. One
  /// that says nothing may read such memory and die of it.
  static bool takes_gpu_memory();
  bool is_ours() const { return is_ours_; }
  /// MPI is not ended: another rank will not come to its end.
  void leave_open() { is_ours_ = false; }
  static bool has_ended();
  /// Other threads call MPI no more; one that is in a call has a moment to return.
  void stop_calls() noexcept;

  /// Calls f, which calls MPI once, while no other thread does.
  template <class F>
  void call(const char* what, F&& f) {
    const std::lock_guard lock(mutex_);
    check(f(), what);
  }
  bool is_done(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
    int done = 0;
    call("waiting", [&] { return MPI_Test(&request, &done, status); });
    return done != 0;
  }
  void wait(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE,
            int peer = ActivityBoard::everybody) {
    for (Patience patience(peer); !is_done(request, status);) patience.wait();
  }

 private:
  Library();

  std::mutex mutex_;
  bool is_ours_ = false;
  int provided_ = MPI_THREAD_SINGLE;
};

/// How MPI is told of that many bytes, which may be more than an int counts.
class Bytes {
 public:
  explicit Bytes(std::size_t bytes);
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  MPI_Datatype type() const { return type_; }
  int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_;
};

std::size_t bytes_of(const MPI_Status& status);

}  // namespace goban::mpi
