#pragma once
// Which nodes of a recorded graph a piece of work has become, so that they can be changed.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {

class RuleOnHost;

/// What a reduction works in; see ReductionView.
struct ReductionMemory {
  void* state = nullptr;
  void* result = nullptr;
};

/// The nodes of what a queue got with one number, in the order in which it got them.
struct RecordedNodes {
  CUgraphExec graph = nullptr;  ///< null: still recorded
  std::vector<CUgraphNode> launches;
  std::vector<std::shared_ptr<RuleOnHost>> rules;
  std::vector<ReductionMemory> reductions;     ///< the memory of each reduction
  std::size_t next_launch = 0, next_rule = 0;  ///< the next node to be changed

  /// What is changed is as many launches as were recorded.
  template <class Node>
  static const Node& next(const std::vector<Node>& nodes, std::size_t& number) {
    require(number < nodes.size(), "recorded work was changed to something else");
    return nodes[number++];
  }
};

/// While it is set, launches of this thread are noted there, or change what was noted.
inline thread_local RecordedNodes* recorded_nodes = nullptr;

inline bool changes_recorded_nodes() { return recorded_nodes && recorded_nodes->graph; }

/// Sets it as long as it lives; null: leaves it as it is.
class NotesNodes {
 public:
  explicit NotesNodes(RecordedNodes* nodes) { recorded_nodes = nodes; }
  ~NotesNodes() { recorded_nodes = nullptr; }
  NotesNodes(const NotesNodes&) = delete;
  NotesNodes& operator=(const NotesNodes&) = delete;
};

/// As long as it lives nothing is noted: for work among other that is never changed.
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
