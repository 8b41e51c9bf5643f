#pragma once
// Starts and ends MPI, calls it, and waits for it.

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

/// The program's activity board, see MpiRequest; the module's own until that is known.
inline ActivityBoard* board = &activity_board;

/// Throws an Error (ExitCode::peer_lost) with MPI's message if a call has failed.
void check(int code, const char* what);

/// Whether this machine may have more ranks than cores.
inline std::atomic<bool> is_crowded{true};

/// Waits for another process: first it spins briefly, then yields the core, then sleeps, so that
/// machines with fewer cores than ranks stay usable. Large messages only make progress while both
/// ends call MPI; so sleep comes late if there are cores for all ranks. While a rank sleeps, the
/// activity board says that it waits.
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
  /// Must be called when something has arrived.
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

/// MPI from its first to its last use. Starts MPI unless the program has done so, and ends it if it
/// has started it.
class Library {
 public:
  static std::shared_ptr<Library> use();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Returns "Open MPI v4.1.4, thread level serialized".
  std::string description() const;
  /// Returns whether the library says that it accepts memory of NVIDIA GPUs. A library that does
  /// not say so may read such memory and crash.
  static bool takes_gpu_memory();
  bool is_ours() const { return is_ours_; }
  /// Lets MPI run on at the end, because another rank will not end regularly.
  void leave_open() { is_ours_ = false; }
  static bool has_ended();
  /// Keeps other threads from calling MPI any more. Waits up to 0.3 s for one that is in a call.
  void stop_calls() noexcept;

  /// Calls `f`, which makes one MPI call, while no other thread calls MPI. `what` is for error
  /// messages.
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

/// The count and the MPI type for a number of bytes, which may be larger than an int.
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
