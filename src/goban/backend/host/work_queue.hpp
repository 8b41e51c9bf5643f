#pragma once
// A queue of work that a thread of the host does in order.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "goban/backend/host/queue.hpp"
#include "goban/base/process/forks.hpp"

namespace goban::host {

/// The clock by which completed work tells its time.
enum class Clock : std::uint8_t {
  host,  ///< when it was done
  queue  ///< when it should have been, each piece of work taking as long as it was said to take
};

/// Work of one queue runs one after the other, each after what it waits for. Calls come from one
/// thread, of the process that has made the queue, see require_same_process(); the first exception
/// of the work is thrown by drain().
class WorkQueue : public Queue {
 public:
  explicit WorkQueue(Clock clock = Clock::host);
  /// What is under way is finished.
  ~WorkQueue() override;
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits for room where many thousand are pending.
  EventPtr push(std::vector<EventPtr> waits, std::function<void()> work,
                std::chrono::nanoseconds takes = {}) override;
  /// Returns when all is done.
  void drain();

 private:
  class Completion;
  struct Item {
    std::vector<EventPtr> waits;
    std::function<void()> work;
    std::chrono::nanoseconds takes;
    std::shared_ptr<Completion> done;
  };

  void serve();

  Clock clock_;
  std::shared_ptr<HostCount::Cell> finished_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> pending_;
  std::size_t unfinished_ = 0;
  std::uint64_t pushed_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
  int forks_ = forks();
};

}  // namespace goban::host
