#pragma once
// Which earlier work an operation must wait for, from the boxes both touch.

#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

/// What stands for one queue of an executor.
inline const void* queue_of(const Executor& executor, Stream stream) {
  return reinterpret_cast<const char*>(&executor) + static_cast<int>(stream);
}

/// Remembers who read and wrote what, in submission order. Two operations conflict when their boxes
/// of the same memory overlap and one of them writes. After cells have moved in memory boxes tell
/// nothing of those before: all overlap. Somebody writes between two moves.
class Hazards {
 public:
  struct Touch {
    const std::byte* memory = nullptr;
    Box box;
    bool writes = false;
    Index moves = 0;  ///< how often cells had moved
  };

  /// Events the operation must wait for. Work on the same queue is in order and needs none.
  std::vector<EventPtr> waits(const std::vector<Touch>& touches, const void* queue) const;
  void record(const std::vector<Touch>& touches, const void* queue, const EventPtr& event);
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Touch touch;
    const void* queue;
    EventPtr event;
  };
  std::vector<Entry> entries_;
};

}  // namespace goban
