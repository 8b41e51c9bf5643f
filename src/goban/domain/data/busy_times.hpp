#pragma once
// Measures how long asynchronous executors are at work, without the time that they wait.

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

/// Collects the time spans in which executors work. CommandRunner adds them while cuts are
/// balanced.
class BusyTimes {
 public:
  void keep() { are_kept_ = true; }
  bool are_kept() const { return are_kept_; }
  /// Adds work of an executor that ran between these two events of one of its queues.
  void add(const Executor* executor, EventPtr begin, EventPtr end) {
    spans_[executor].push_back({std::move(begin), std::move(end)});
  }
  /// Returns the seconds for which each executor was at work since keep(), and ends the
  /// measurement. All work must be done. Work that two queues do at the same time counts once.
  std::map<const Executor*, double> take() {
    std::map<const Executor*, double> busy;
    for (const auto& [executor, spans] : spans_) busy[executor] = seconds_in(spans);
    spans_.clear();
    are_kept_ = false;
    return busy;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Span {
    EventPtr begin, end;
  };

  static double seconds_in(const std::vector<Span>& spans) {
    std::vector<std::pair<Time, Time>> times;
    for (const Span& span : spans) {
      times.emplace_back(span.begin->completed(), span.end->completed());
    }
    std::sort(times.begin(), times.end());
    std::chrono::duration<double> all{};
    Time counted = times.front().first;
    for (const auto& [begin, end] : times) {
      if (end <= counted) continue;
      all += end - std::max(begin, counted);
      counted = end;
    }
    return all.count();
  }

  std::map<const Executor*, std::vector<Span>> spans_;
  bool are_kept_ = false;
};

}  // namespace goban
