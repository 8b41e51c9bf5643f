#pragma once
// What a run says while it runs.

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "goban/simulation/report/progress.hpp"

namespace goban {

/// A run that shows its progress speaks on standard output, a silent one only when it must, on
/// standard error. If there are several ranks, one speaks.
class RunLog {
 public:
  RunLog(bool shows_progress, bool speaks)
      : shows_progress_(shows_progress && speaks), speaks_(speaks) {}

  /// Who else hears what is printed and said, text without the newline at its end.
  void tell(std::function<void(const std::string& text)> listener) {
    listener_ = std::move(listener);
  }
  /// Text of many lines, of runs that show their progress.
  void print(const std::string& text) {
    if (listener_) listener_(text.substr(0, text.find_last_not_of('\n') + 1));
    write(text);
  }
  /// Says a line that nobody should miss.
  void say(const std::string& line) {
    if (listener_) listener_(line);
    if (progress_) {
      progress_->say(line);
    } else if (shows_progress_) {
      write(line + "\n");
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
  void write(const std::string& text) {
    if (!shows_progress_) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  bool shows_progress_;
  bool speaks_;
  std::optional<Progress> progress_;
  std::function<void(const std::string&)> listener_;
};

}  // namespace goban
