#pragma once
// Finds the earlier commands that a command must wait for, from the boxes that both touch.

#include <compare>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "goban/grid/box.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// One queue of an executor. Work in a queue runs in order.
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
  /// How often cells have moved in memory before, if the field is stored in place.
  Index moves = 0;

  /// Whose cells they are: only touches of the same ones can conflict.
  std::tuple<int, int, int> place() const { return {memory, patch, component}; }
  /// Whether commands with these two touches must run in order. Boxes before and after cells have
  /// moved in memory cannot be compared, so that they count as overlapping.
  bool conflicts(const Touch& other) const;
  bool operator==(const Touch&) const = default;
};

/// What a queue waits for: a command by its index in the list, or, as ~i, the i-th of the earlier
/// commands that Hazards::settle() has returned.
using Wait = int;

/// Remembers, in the order of the commands, which of them read and wrote which cells, and what
/// every queue has waited for since, directly or because work that it waited for had waited for it.
/// Between two moves of a field's cells in memory some command must write the field.
class Hazards {
 public:
  /// Returns what a command with these touches must wait for, at most one command of each other
  /// queue. From now on its queue counts as having waited for them.
  std::vector<Wait> waits(const std::vector<Touch>& touches, const Queue& queue);
  /// Does the same for work of only those queues for which `is_asked_for` is true.
  std::vector<Wait> waits_for(const std::function<bool(const Queue& other)>& is_asked_for,
                              const std::vector<Touch>& touches, const Queue& queue);
  /// Notes that a command with these touches was added to a queue.
  void record(const std::vector<Touch>& touches, const Queue& queue, Wait command);
  /// The new number of a memory, and the number of moves to subtract.
  struct Place {
    int memory = 0;
    Index moves = 0;
  };
  /// Ends a list: returns the commands that later ones may have to wait for and from now on names
  /// them by their position in that result. Memory that is not in `places` keeps its number. The
  /// state left behind depends only on the commands, not on what came before, so that equal lists
  /// lead to equal states.
  std::vector<Wait> settle(const std::map<int, Place>& places);
  bool operator==(const Hazards& other) const = default;

 private:
  /// By queue, how many of its operations are known to be done.
  using Known = std::map<Queue, Index>;
  struct Entry {
    Touch touch;
    Queue queue;
    Index number = 0;  ///< the number of the operation in its queue, counted from 1
    Wait command = 0;
    Known known;  ///< what is known when the operation is done, apart from its own queue
    bool operator==(const Entry&) const = default;
  };
  bool is_known(const Queue& queue, const Entry& entry) const;
  template <class IsAskedFor>
  std::vector<Wait> waits_if(const std::vector<Touch>& touches, const Queue& queue,
                             IsAskedFor&& is_asked_for);

  std::map<std::tuple<int, int, int>, std::vector<Entry>> entries_;  ///< by place, in order
  std::map<Queue, Known> known_;
  std::map<Queue, Index> operations_;
};

}  // namespace goban
