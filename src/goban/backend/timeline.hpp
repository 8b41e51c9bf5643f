#pragma once
// Collects the bars of a trace, which shows what ran when.

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "goban/backend/profiler_range.hpp"
#include "goban/grid/box.hpp"

namespace goban {

/// Keeps bars on rows: the two queues of every executor, and the host. Keeps the first `limit`
/// bars, about 150 bytes each, and counts the others. Calls may come from any thread.
class Timeline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Row : std::uint8_t { compute, halo, host };
  enum class Kind : std::uint8_t { sweep, pass, fill, copy, wait, output, checkpoint };
  struct Bar {
    Kind kind = Kind::sweep;
    Row row = Row::compute;
    int process = host;
    int patch = -1;   ///< -1 if there are several or none
    Index step = -1;  ///< -1 if there is none
    int steps = 1;
    Index cells = 0;
    Box box{};  ///< the local cells; empty if there are several boxes
    std::string name = {};
    Time begin{}, end{};
  };
  static constexpr int host = 0;  ///< the number of the host's process
  static constexpr std::size_t default_limit = 1'000'000;

  explicit Timeline(std::size_t limit = default_limit) : limit_(limit) {}

  /// Adds an executor, which the trace shows as a process, and returns its number, from 1 on.
  int add_process(const std::string& name);
  /// Returns whether there is room for one more bar, and reserves it.
  bool admit();
  /// Adds a bar for which admit() has returned true.
  void add(Bar bar);
  /// Sets a remark for readers of the trace.
  void set_note(const std::string& note) { note_ = note; }

  Time start() const { return start_; }
  const std::vector<std::string>& processes() const { return processes_; }
  const std::deque<Bar>& bars() const { return bars_; }
  std::size_t left_out() const { return left_out_; }
  const std::string& note() const { return note_; }

  /// Returns whether executors have worked since set_written() was last called.
  bool has_news() const { return has_news_; }
  void set_written() { has_news_ = false; }

 private:
  std::mutex mutex_;
  Time start_ = std::chrono::steady_clock::now();
  std::size_t limit_, admitted_ = 0, left_out_ = 0;
  std::vector<std::string> processes_{"host"};
  std::deque<Bar> bars_;
  std::string note_;
  bool has_news_ = false;
};

const char* name_of(Timeline::Row row);
const char* name_of(Timeline::Kind kind);

/// Shows what the host does while the object lives: as a bar of the timeline, if there is one, and
/// as a range of profilers.
class HostSpan {
 public:
  HostSpan(Timeline* timeline, Timeline::Kind kind, const std::string& name);
  ~HostSpan();
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;

 private:
  ProfilerRange range_;
  Timeline* timeline_;  ///< null if there is none, or no room
  Timeline::Bar bar_;
};

}  // namespace goban
