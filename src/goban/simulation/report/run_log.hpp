#pragma once
// What a run says while it runs.

#include <cstdio>
#include <optional>
#include <string>

#include "goban/simulation/report/progress.hpp"

namespace goban {

/// A run that shows its progress speaks on standard output, a silent one only when it must, on
/// standard error. If there are several ranks, one speaks.
class RunLog {
 public:
  RunLog(bool shows_progress, bool speaks)
      : shows_progress_(shows_progress && speaks), speaks_(speaks) {}

  /// Text of many lines, of runs that show their progress.
  void print(const std::string& text) {
    if (!shows_progress_) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  /// Says a line that nobody should miss.
  void say(const std::string& line) {
    if (progress_) {
      progress_->say(line);
    } else if (shows_progress_) {
      print(line + "\n");
    } else if (speaks_) {
      std::fputs((line + "\n").c_str(), stderr);
    }
  }

  void begin_progress(const Progress::Plan& plan) {
    if (shows_progress_) progress_.emplace(stdout, plan);
  }
  void update(Index step, double time, double wall) {
    if (progress_) progress_->update(step, time, wall);
  }
  void end_progress(Index step, double time, double loop_seconds, bool over) {
    if (progress_) progress_->finish(step, time, loop_seconds, over);
    progress_.reset();
  }

 private:
  bool shows_progress_;
  bool speaks_;
  std::optional<Progress> progress_;
};

}  // namespace goban
