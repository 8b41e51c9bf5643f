#pragma once
// How long asynchronous executors compute, waiting aside.

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

class BusyTimes {
 public:
  void keep() { are_kept_ = true; }
  bool are_kept() const { return are_kept_; }
  /// Work of a patch, between two completions of its queue.
  void add(int patch, EventPtr begin, EventPtr end) {
    spans_.push_back({patch, std::move(begin), std::move(end)});
  }
  /// visit(patch, seconds) for everything since keep(), when all of it is done; no more is kept.
  template <class Visit>
  void take(Visit&& visit) {
    for (const Span& span : spans_) {
      const std::chrono::duration<double> time = span.end->completed() - span.begin->completed();
      visit(span.patch, std::max(time.count(), 0.0));
    }
    spans_.clear();
    are_kept_ = false;
  }

 private:
  struct Span {
    int patch;
    EventPtr begin, end;
  };
  std::vector<Span> spans_;
  bool are_kept_ = false;
};

}  // namespace goban
