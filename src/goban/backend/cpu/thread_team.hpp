#pragma once
// Goban's own threads: a team of pinned threads that run the same function.

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

/// Returns part `part` of `parts` of [0, n). Parts are in order, their sizes differ by at most one
/// grain, and cuts are at multiples of `grain`.
constexpr Part split_evenly(Index n, int parts, int part, Index grain = 1) {
  const Index grains = (n + grain - 1) / grain;
  const auto cut = [&](Index p) { return std::min(n, grains * p / parts * grain); };
  return {cut(part), cut(part + 1)};
}

/// Waits for another thread: first it spins, then it yields the core. Spinning is bounded, so that
/// a machine shared with other processes stays usable.
class Backoff {
 public:
  static constexpr std::chrono::microseconds usual{40};
  explicit Backoff(std::chrono::microseconds busy_time = usual) : busy_time_(busy_time) {}

  /// Returns true as long as it is worth asking again at once.
  bool spin() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
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

/// Waits until another thread changes the word and notifies.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                Backoff backoff = Backoff());

/// Thread 0 is the caller of run(). The other threads live as long as the team. Between runs they
/// spin for about 40 us, unless there are more threads than cores, and then sleep; `between_runs`
/// makes them spin longer, where cores have nothing else to do and runs must begin at once. Only
/// one caller may use the team at a time.
///
/// With `pin`, thread t stays on the cores that share the last-level cache with core first_core + t
/// of those that this process may use; so does the constructing thread (thread 0), until the team
/// is destroyed. Nothing is pinned if there is no such core, or if a control group grants less time
/// than there are cores. With one core per thread, 1 run in 16 became 40 times slower beside other
/// busy processes (Linux 6.18, 2 cores); within a cache the system finds a free core.
///
/// In a process that was forked from the one that made it, a team starts its threads again when it
/// first runs; pinned threads stay where they were.
///
/// Throws an Error: usage for less than one thread and for a run() within a run(); resources if the
/// system refuses threads.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads, bool pin = true, int first_core = 0,
                      std::chrono::microseconds between_runs = Backoff::usual);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }
  bool is_pinned() const { return pinned_; }

  /// Calls f(thread) once for every thread and returns when all calls are done; their writes are
  /// then visible to the caller. Each thread makes its own call. When the caller is done it also
  /// makes the calls of threads that have not begun, so that it waits for no thread that the system
  /// does not let run. f must not wait for another thread to begin. If calls throw, the exception
  /// of the lowest thread is rethrown.
  template <class F>
  void run(F&& f) {
    run_job(job_of(f));
  }

  /// Does the same with every call on its own thread, so that f may call barrier().
  template <class F>
  void run_together(F&& f) {
    Job job = job_of(f);
    job.together = true;
    run_job(job);
  }

  /// Calls f(begin, end, thread) for the parts of a contiguous split of [0, n), except for empty
  /// parts.
  template <class F>
  void run_split(Index n, F&& f, Index grain = 1) {
    run([&](int thread) {
      const Part part = split_evenly(n, size_, thread, grain);
      if (part.begin < part.end) f(part.begin, part.end, thread);
    });
  }

  /// Waits until every thread has called it. May only be called within run_together(). If a thread
  /// of the team has thrown, the others leave run_together() from here instead of waiting for ever.
  void barrier();

  /// Returns the number of physical cores that this process may use: those of its affinity mask at
  /// the start, but at most the time that a control group grants; at least 1.
  static int usable_cores();
  /// Returns the same number with all hardware threads of a core. More threads than this only wait
  /// for each other.
  static int logical_cores();
  /// Returns the set of cores that the process may run on. Equal sets are equal bytes.
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
  /// Takes the call of a thread in this round; returns false if it is taken already.
  bool claim(int thread, std::uint32_t round);
  void execute(int thread) noexcept;
  void stop();

  int size_;
  std::chrono::microseconds busy_time_, between_runs_;
  bool pinned_ = false;
  std::atomic<bool> stopping_ = false;
  Job job_;
  std::vector<std::exception_ptr> exceptions_;  ///< one per thread
  std::vector<OwnWord> claimed_;  ///< by thread: the last round in which its call was taken
  std::vector<std::thread> threads_;
  std::vector<cpu_set_t> places_;  ///< where each thread is pinned; empty if none is
  int forks_;                      ///< forks() when the threads were started
  pthread_t owner_;
  cpu_set_t owner_cores_;  ///< the cores of thread 0 before it was pinned

  std::atomic<bool> running_ = false;
  alignas(128) Word round_ = 0;  ///< counts runs; threads wait for it to change
  /// Calls of this run that have not ended, except for that of thread 0.
  alignas(128) Word busy_ = 0;
  alignas(128) Word arrived_ = 0;
  alignas(128) Word generation_ = 0;  ///< counts barriers
  alignas(128) std::atomic<bool> failed_ = false;
};

}  // namespace goban
