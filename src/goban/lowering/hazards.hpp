#pragma once
// Which earlier commands a command must wait for, from the boxes both touch.

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "goban/grid/box.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// One queue of an executor; work in it runs in order.
struct Queue {
  int executor = 0;
  Stream stream = Stream::compute;
  auto operator<=>(const Queue&) const = default;
};

/// Cells of one component that a command reads or writes.
struct Touch {
  int memory = 0, patch = 0, component = 0;
  Box box;
  bool writes = false;
  Index moves = 0;  ///< how often cells had moved in memory

  bool is_same_place(const Touch& other) const {
    return memory == other.memory && patch == other.patch && component == other.component;
  }
  /// Whether a command with this touch and one with the other have an order. After cells have
  /// moved in memory boxes tell nothing of those before: all overlap.
  bool conflicts(const Touch& other) const;
  bool operator==(const Touch&) const = default;
};

/// What a queue waits for: a command by its index, or one of the commands before the list,
/// ~i for the i-th of those that Hazards::settle() has named.
using Wait = int;

/// Remembers who read and wrote what, in the order of the commands, and what every queue has waited
/// for since: directly, or because those it waited for had. Somebody writes between two moves.
class Hazards {
 public:
  /// What must be waited for, at most once a queue, before a command with these touches may run;
  /// its queue is taken to wait for it from now on.
  std::vector<Wait> waits(const std::vector<Touch>& touches, const Queue& queue);
  /// The work of some queues among it.
  std::vector<Wait> waits_for(const std::function<bool(const Queue& other)>& is_asked_for,
                              const std::vector<Touch>& touches, const Queue& queue);
  void record(const std::vector<Touch>& touches, const Queue& queue, Wait command);
  /// Where memory is found from now on: its number, and how often less it has moved.
  struct Place {
    int memory = 0;
    Index moves = 0;
  };
  /// Forgets which commands these were: returns those that may be waited for, which are named by
  /// their position there from now on. Memory that is not named keeps its number. Whatever came
  /// before, the same commands leave the same behind.
  std::vector<Wait> settle(const std::map<int, Place>& places);
  bool operator==(const Hazards& other) const = default;

 private:
  /// Per queue, how many of its operations are known to be done.
  using Known = std::map<Queue, Index>;
  struct Entry {
    Touch touch;
    Queue queue;
    Index number = 0;  ///< the number of the operation in its queue, from 1 on
    Wait command = 0;
    Known known;  ///< when the operation is done, its own queue aside
    bool operator==(const Entry&) const = default;
  };
  bool is_known(const Queue& queue, const Entry& entry) const;
  template <class IsAskedFor>
  std::vector<Wait> waits_if(const std::vector<Touch>& touches, const Queue& queue,
                             IsAskedFor&& is_asked_for);

  std::vector<Entry> entries_;
  std::map<Queue, Known> known_;
  std::map<Queue, Index> operations_;
};

}  // namespace goban
