#pragma once
// Remembers which nodes of a recorded graph a piece of work has become, so that they can be
// changed.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {

class RuleOnHost;

/// The memory that a reduction works in; see ReductionView.
struct ReductionMemory {
  void* state = nullptr;
  void* result = nullptr;
};

/// The nodes of the work with one number (Submission::recorded_as), in order.
struct RecordedNodes {
  CUgraphExec graph = nullptr;  ///< null while it is being recorded
  std::vector<CUgraphNode> launches;
  std::vector<std::shared_ptr<RuleOnHost>> rules;
  std::vector<ReductionMemory> reductions;
  std::size_t next_launch = 0, next_rule = 0;  ///< the index of the next node to change

  /// Returns the next node. Throws if there are more launches than were recorded.
  template <class Node>
  static const Node& next(const std::vector<Node>& nodes, std::size_t& number) {
    require(number < nodes.size(), "recorded work was changed to something else");
    return nodes[number++];
  }
};

/// While it is not null, launches of this thread are noted there, or change the nodes noted there.
inline thread_local RecordedNodes* recorded_nodes = nullptr;

inline bool changes_recorded_nodes() { return recorded_nodes && recorded_nodes->graph; }

/// Sets recorded_nodes while the object lives.
class NotesNodes {
 public:
  explicit NotesNodes(RecordedNodes* nodes) { recorded_nodes = nodes; }
  ~NotesNodes() { recorded_nodes = nullptr; }
  NotesNodes(const NotesNodes&) = delete;
  NotesNodes& operator=(const NotesNodes&) = delete;
};

/// Clears recorded_nodes while the object lives, for work that never changes.
class LeavesNodes {
 public:
  LeavesNodes() : nodes_(std::exchange(recorded_nodes, nullptr)) {}
  ~LeavesNodes() { recorded_nodes = nodes_; }
  LeavesNodes(const LeavesNodes&) = delete;
  LeavesNodes& operator=(const LeavesNodes&) = delete;

 private:
  RecordedNodes* nodes_;
};

}  // namespace goban::cuda
