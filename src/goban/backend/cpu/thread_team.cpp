#include "goban/backend/cpu/thread_team.hpp"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <system_error>

#include "goban/backend/cpu/core_list.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/forks.hpp"

namespace goban {
namespace {

struct Cores {
  cpu_set_t all;            ///< all logical cores of the process
  std::vector<int> first;   ///< one logical core per physical core, ascending
  bool is_limited = false;  ///< a control group grants less time than `first` could use
  int usable = 1, logical = 1;
};

std::filesystem::path folder_of(int core) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(core);
}

std::string first_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// Returns a text that is the same for all logical cores of one physical core.
std::string siblings_of(int core) {
  const std::string list = first_word(folder_of(core) / "topology/thread_siblings_list");
  return list.empty() ? std::to_string(core) : list;
}

Cores find_cores() {
  Cores cores;
  CPU_ZERO(&cores.all);
  if (sched_getaffinity(0, sizeof(cores.all), &cores.all) != 0) return cores;
  std::set<std::string> seen;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores.all) && seen.insert(siblings_of(core)).second)
      cores.first.push_back(core);
  cores.usable = std::max(1, static_cast<int>(cores.first.size()));
  cores.logical = std::max(1, CPU_COUNT(&cores.all));
  const auto granted = ControlGroup().cores();
  if (granted && *granted < cores.usable) {
    cores.is_limited = true;
    cores.usable = std::max(1, static_cast<int>(*granted));
    cores.logical = std::min(cores.logical, cores.usable);
  }
  return cores;
}

/// Returns the cores of the process. They are found in the first call, before anything is pinned.
const Cores& process_cores() {
  static const Cores cores = find_cores();
  return cores;
}

/// Returns those physical cores of the process that share the last-level cache with `core`, and
/// `core` itself.
cpu_set_t cores_near(int core) {
  std::string sharing;
  for (int index = 0;; ++index) {  // ordered by level
    const auto cache = folder_of(core) / "cache" / ("index" + std::to_string(index));
    const std::string list = first_word(cache / "shared_cpu_list");
    if (list.empty()) break;
    sharing = list;
  }
  const std::vector<int> near = parse_core_list(sharing);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  for (const int other : process_cores().first)
    if (std::ranges::find(near, other) != near.end()) CPU_SET(other, &set);
  return set;
}

void pin_this_thread(const cpu_set_t& cores) {
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

/// While it lives, newly started threads receive no signals, because these are for the main thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, Backoff backoff) {
  while (word.load(std::memory_order_acquire) == value)
    if (!backoff.spin()) word.wait(value, std::memory_order_acquire);
}

ThreadTeam::ThreadTeam(int threads, bool pin, int first_core,
                       std::chrono::microseconds between_runs)
    : size_(threads),
      busy_time_(threads <= logical_cores() ? Backoff::usual : std::chrono::microseconds(0)),
      between_runs_(threads <= logical_cores() ? between_runs : busy_time_),
      exceptions_(std::max(threads, 1)),
      claimed_(std::max(threads, 1)),
      owner_(pthread_self()) {
  require(threads >= 1, "a thread team needs at least 1 thread",
          "asked for " + std::to_string(threads));
  const Cores& cores = process_cores();
  pinned_ = pin && threads > 1 && !cores.is_limited && first_core >= 0 &&
            static_cast<std::size_t>(first_core) + threads <= cores.first.size();
  for (int thread = 0; pinned_ && thread < threads; ++thread)
    places_.push_back(cores_near(cores.first[first_core + thread]));
  start_threads();
  if (pinned_) {
    pthread_getaffinity_np(owner_, sizeof(owner_cores_), &owner_cores_);
    pin_this_thread(places_[0]);
  }
}

void ThreadTeam::start_threads() {
  forks_ = forks();
  const SignalsBlocked no_signals;
  threads_.reserve(size_ - 1);
  try {
    for (int thread = 1; thread < size_; ++thread)
      threads_.emplace_back([this, thread] {
        if (pinned_) pin_this_thread(places_[thread]);
        work(thread);
      });
  } catch (const std::system_error& error) {
    stop();
    throw Error(ExitCode::resources, "cannot start " + std::to_string(size_) + " threads",
                error.code().message(), "use fewer threads or raise the limit (ulimit -u)");
  }
}

/// Forgets the threads of the process that this one was forked from, because nobody can join them.
void ThreadTeam::forget_threads() {
  [[maybe_unused]] const auto* const left = new std::vector<std::thread>(std::move(threads_));
  threads_.clear();
  round_ = busy_ = 0;
  for (auto& claimed : claimed_) claimed.word = 0;
  running_ = false;
}

ThreadTeam::~ThreadTeam() {
  if (forks_ != forks()) forget_threads();
  stop();
  if (pinned_ && pthread_equal(owner_, pthread_self()) != 0)
    pthread_setaffinity_np(owner_, sizeof(owner_cores_), &owner_cores_);
}

void ThreadTeam::stop() {
  stopping_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadTeam::work(int thread) {
  for (std::uint32_t round = 0;;) {
    wait_while(round_, round, Backoff(between_runs_));
    round = round_.load(std::memory_order_acquire);
    if (stopping_) return;  // asked of the round that was read: the last one has no call
    if (!claim(thread, round)) continue;
    execute(thread);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

bool ThreadTeam::claim(int thread, std::uint32_t round) {
  std::uint32_t before = round - 1;
  return claimed_[thread].word.compare_exchange_strong(before, round);
}

void ThreadTeam::execute(int thread) noexcept {
  try {
    job_.call(job_.function, thread);
  } catch (const Abandoned&) {
  } catch (...) {
    exceptions_[thread] = std::current_exception();
    failed_ = true;
    generation_.fetch_add(1);
    generation_.notify_all();
  }
}

void ThreadTeam::run_job(Job job) {
  if (forks_ != forks()) {
    forget_threads();
    start_threads();
  }
  require(!running_.exchange(true), "a thread team cannot run two functions at once",
          "run() was called within run()");
  job_ = job;
  failed_ = false;
  arrived_ = 0;
  busy_ = static_cast<std::uint32_t>(size_ - 1);
  const std::uint32_t round = round_.fetch_add(1) + 1;
  round_.notify_all();
  execute(0);
  for (int thread = 1; thread < size_ && !job_.together && busy_ != 0; ++thread) {
    if (!claim(thread, round)) continue;
    execute(thread);
    busy_.fetch_sub(1);
  }
  for (std::uint32_t left = busy_; left != 0; left = busy_)
    wait_while(busy_, left, Backoff(busy_time_));
  running_ = false;
  if (!failed_) return;
  std::exception_ptr first;
  for (std::exception_ptr& exception : exceptions_) {
    if (!first) first = exception;
    exception = nullptr;
  }
  std::rethrow_exception(first);
}

void ThreadTeam::barrier() {
  require(job_.together, "threads cannot meet", "some calls may be made one after the other",
          "run_together() has barriers");
  // Read before looking for failures: a failure afterwards changes it and so ends the wait.
  const std::uint32_t generation = generation_.load(std::memory_order_acquire);
  if (failed_.load(std::memory_order_relaxed)) throw Abandoned{};
  if (arrived_.fetch_add(1) + 1 == static_cast<std::uint32_t>(size_)) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.fetch_add(1);
    generation_.notify_all();
  } else {
    wait_while(generation_, generation, Backoff(busy_time_));
  }
  if (failed_.load(std::memory_order_relaxed)) throw Abandoned{};
}

std::vector<std::byte> ThreadTeam::cores_of_process() {
  const auto bytes = std::as_bytes(std::span(&process_cores().all, 1));
  return {bytes.begin(), bytes.end()};
}

int ThreadTeam::usable_cores() { return process_cores().usable; }

int ThreadTeam::logical_cores() { return process_cores().logical; }

}  // namespace goban
