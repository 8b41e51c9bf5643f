#pragma once
// Work that is done in the order in which it was pushed.

#include <chrono>
#include <functional>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::host {

class Queue {
 public:
  virtual ~Queue() = default;
  /// After what it waits for; `takes` as long where the queue keeps times of its own.
  virtual EventPtr push(std::vector<EventPtr> waits, std::function<void()> work,
                        std::chrono::nanoseconds takes = {}) = 0;
};

}  // namespace goban::host
