#pragma once
// Work that a thread of its own does while the run goes on.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "goban/base/types.hpp"

namespace goban {

/// One job after the other, in the order in which they come. Jobs throw nothing.
class BackgroundWork {
 public:
  BackgroundWork();
  /// Waits for all jobs.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  void add(std::function<void()> job);
  /// How many were added, and how many are over.
  Index added() const { return added_; }
  Index finished() const;
  /// Until so many are over.
  void wait(Index count);

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  Index added_ = 0, finished_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace goban
