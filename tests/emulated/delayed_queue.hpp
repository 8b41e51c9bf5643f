#pragma once
// A queue of an emulated device: its work is delayed at random.

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "goban/backend/host/work_queue.hpp"
#include "goban/base/mix.hpp"

namespace goban::emulated {

class DelayedQueue : public host::Queue {
 public:
  /// Makes a queue whose delays are at most so many microseconds.
  DelayedQueue(std::uint64_t seed, int longest_delay, host::Clock clock)
      : seed_(seed), longest_delay_(longest_delay), queue_(clock) {}

  EventPtr push(std::vector<EventPtr> waits, std::function<void()> work,
                std::chrono::nanoseconds takes = {}) override {
    std::chrono::nanoseconds delay = takes;
    if (longest_delay_ > 0) {
      delay += std::chrono::microseconds(mix(seed_ + count_) %
                                         static_cast<std::uint64_t>(longest_delay_ + 1));
    }
    ++count_;
    return queue_.push(
        std::move(waits),
        [delay, work = std::move(work)] {
          if (delay.count() > 0) std::this_thread::sleep_for(delay);
          work();
        },
        takes);
  }
  void drain() { queue_.drain(); }

 private:
  std::uint64_t seed_, count_ = 0;
  int longest_delay_;
  host::WorkQueue queue_;
};

}  // namespace goban::emulated
