#pragma once
// What a run says while it runs.

#include <optional>
#include <string>

#include "goban/simulation/report/progress.hpp"

namespace goban {

/// A run that shows its progress speaks on standard output, a silent one only when it must, on
/// standard error. Of several ranks one speaks.
class Voice {
 public:
  Voice(bool shows_progress, bool speaks)
      : shows_progress_(shows_progress && speaks), speaks_(speaks) {}

  /// Text of many lines, of runs that show their progress.
  void print(const std::string& text);
  /// One line that nobody should miss.
  void say(const std::string& line);

  void begin_progress(const Progress::Plan& plan);
  void update(Index step, double time, double wall);
  void end_progress(Index step, double time, double loop_seconds, bool over);

 private:
  bool shows_progress_;
  bool speaks_;
  std::optional<Progress> progress_;
};

}  // namespace goban
