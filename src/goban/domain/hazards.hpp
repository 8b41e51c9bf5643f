#pragma once
// Which earlier work an operation must wait for, from the boxes both touch.

#include <compare>
#include <functional>
#include <map>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

/// One queue of an executor; work in it runs in order.
struct Queue {
  const Executor* executor = nullptr;
  Stream stream = Stream::compute;
  auto operator<=>(const Queue&) const = default;
};

/// Cells that an operation reads or writes.
struct Touch {
  const std::byte* memory = nullptr;
  Box box;
  bool writes = false;
  Index moves = 0;  ///< how often cells had moved

  /// Whether an operation with this touch and one with the other have an order. After cells have
  /// moved in memory boxes tell nothing of those before: all overlap.
  bool conflicts(const Touch& other) const;
};

/// Cells of a component, to which the field is bound. In place `memory` and the number of the
/// component stand for its ring.
Touch touch(const FieldBinding& field, int component, const Box& box, bool writes);

/// Remembers who read and wrote what, in submission order, and what every queue has waited for
/// since: directly, or because those it waited for had. Somebody writes between two moves.
class Hazards {
 public:
  /// What must be waited for, at most once a queue, before an operation with these touches may run;
  /// its queue is taken to wait for it from now on.
  std::vector<EventPtr> waits(const std::vector<Touch>& touches, const Queue& queue);
  /// The work of some queues among it.
  std::vector<EventPtr> waits_for(const std::function<bool(const Queue& other)>& is_asked_for,
                                  const std::vector<Touch>& touches, const Queue& queue);
  void record(const std::vector<Touch>& touches, const Queue& queue, const EventPtr& event);
  void clear();

 private:
  /// Per queue, how many of its operations are known to be done.
  using Known = std::map<Queue, Index>;
  struct Entry {
    Touch touch;
    Queue queue;
    Index number;  ///< of the operation in its queue, from 1 on
    EventPtr event;
    std::shared_ptr<const Known> known;  ///< when the operation is done, its own queue aside
  };
  bool is_known(const Queue& queue, const Entry& entry) const;
  template <class IsAskedFor>
  std::vector<EventPtr> waits_if(const std::vector<Touch>& touches, const Queue& queue,
                                 IsAskedFor&& is_asked_for);

  std::vector<Entry> entries_;
  std::map<Queue, Known> known_;
  std::map<Queue, Index> operations_;
};

}  // namespace goban
