#pragma once
// Goban's own threads: one team of pinned threads that runs the same function on every member.

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// A contiguous part [begin, end) of [0, n).
struct Part {
  Index begin, end;
};

/// Part `part` of `parts` of [0, n): in order, sizes within one grain of each other, cuts on
/// multiples of `grain`.
constexpr Part split_evenly(Index n, int parts, int part, Index grain = 1) {
  const Index grains = (n + grain - 1) / grain;
  const auto cut = [&](Index p) { return std::min(n, grains * p / parts * grain); };
  return {cut(part), cut(part + 1)};
}

/// Waiting for another thread: first busily, then giving the core away. Bounded, so that a machine
/// shared with other processes stays usable.
class Backoff {
 public:
  static constexpr std::chrono::microseconds usual{40};
  explicit Backoff(std::chrono::microseconds busy_time = usual) : busy_time_(busy_time) {}

  /// True as long as it is worth asking again at once.
  bool spin() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (++asked_ % asked_per_look != 0) return true;
    const auto now = std::chrono::steady_clock::now();
    if (asked_ == asked_per_look) start_ = now;
    return now - start_ < busy_time_;
  }

 private:
  static constexpr unsigned asked_per_look = 32;
  std::chrono::microseconds busy_time_;
  unsigned asked_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

/// Waits until another thread gives the word another value, and notifies it.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                Backoff backoff = Backoff());

/// Thread 0 is the caller of run(); the others live as long as the team and wait in between, some
/// 40 us busily, unless there are more of them than cores, then asleep; `between_runs` busily where
/// cores have nothing else to do and runs are to begin at once. The team belongs to one caller at a
/// time.
///
/// With `pin`, thread t stays on the cores that share the last-level cache with core first_core + t
/// of those this process may use; the constructing thread (thread 0) too, until the team is
/// destroyed. Where there is no such core, or a control group grants less time than there are
/// cores, nothing is pinned. With one core per thread, 1 run in 16 became 40 times slower beside
/// other busy processes (Linux 6.18, 2 cores); within a cache the system finds a free core.
///
/// In a process that was forked from the one that made it a team starts its threads anew when it
/// first runs; pinned ones stay where they were.
///
/// Errors: usage for no threads and for a run() within a run(); resources if the system refuses
/// threads.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads, bool pin = true, int first_core = 0,
                      std::chrono::microseconds between_runs = Backoff::usual);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }
  bool is_pinned() const { return pinned_; }

  /// Calls f(thread) once for every thread and returns when all are done; writes of all are then
  /// visible to the caller. Each thread makes its own call, but for those that have not begun when
  /// the caller is done: it makes their calls, too, so that it waits for no thread that the system
  /// lets wait. f must not wait for another thread to begin. If some throw, the exception of the
  /// lowest thread is rethrown.
  template <class F>
  void run(F&& f) {
    run_job(job_of(f));
  }

  /// The same, every call on its own thread, so that f may call barrier().
  template <class F>
  void run_together(F&& f) {
    Job job = job_of(f);
    job.together = true;
    run_job(job);
  }

  /// run() over a contiguous split of [0, n): f(begin, end, thread), not called for empty parts.
  template <class F>
  void run_split(Index n, F&& f, Index grain = 1) {
    run([&](int thread) {
      const Part part = split_evenly(n, size_, thread, grain);
      if (part.begin < part.end) f(part.begin, part.end, thread);
    });
  }

  /// Within run_together(): returns when every thread has called it. If a thread of the team has
  /// thrown, the others leave run_together() from here instead of waiting for it for ever.
  void barrier();

  /// Physical cores this process may use: affinity mask at start, at most the time a control group
  /// grants; at least 1.
  static int usable_cores();
  /// Likewise with all threads of a core: more than these only wait for each other.
  static int logical_cores();
  /// The set of those the process may run on; equal sets are equal bytes.
  static std::vector<std::byte> cores_of_process();

 private:
  struct Job {
    void (*call)(void* function, int thread) = nullptr;
    void* function = nullptr;
    bool together = false;
  };
  template <class F>
  static Job job_of(F& f) {
    using Function = std::remove_reference_t<F>;
    return {[](void* function, int thread) { (*static_cast<Function*>(function))(thread); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f)))};
  }
  struct Abandoned {};
  using Word = std::atomic<std::uint32_t>;
  struct alignas(128) OwnWord {
    Word word = 0;
  };

  void start_threads();
  void forget_threads();
  void run_job(Job job);
  void work(int thread);
  /// Takes the call of a thread in this round; false: another has taken it.
  bool claim(int thread, std::uint32_t round);
  void execute(int thread) noexcept;
  void stop();

  int size_;
  std::chrono::microseconds busy_time_, between_runs_;
  bool pinned_ = false;
  std::atomic<bool> stopping_ = false;
  Job job_;
  std::vector<std::exception_ptr> exceptions_;  ///< one per thread
  std::vector<OwnWord> claimed_;                ///< by thread, the last round with a taker
  std::vector<std::thread> threads_;
  std::vector<cpu_set_t> places_;  ///< where each thread is pinned, if they are
  int forks_;                      ///< forks() when the threads were started
  pthread_t owner_;
  cpu_set_t owner_cores_;  ///< where thread 0 ran before it was pinned

  std::atomic<bool> running_ = false;
  alignas(128) Word round_ = 0;  ///< counts runs: workers wait for it to change
  alignas(128) Word busy_ = 0;   ///< calls of this run that are not over, but for that of thread 0
  alignas(128) Word arrived_ = 0;
  alignas(128) Word generation_ = 0;  ///< counts barriers
  alignas(128) std::atomic<bool> failed_ = false;
};

}  // namespace goban
