#pragma once
// The live line of a run: where it stands, how fast it is, how long it will take.

#include <cstdio>
#include <string>
#include <string_view>

#include "goban/simulation/report/progress_meter.hpp"

namespace goban {

/// "24 %  1:02 left  step 1200/5000  t = 12 ms  5.43 GLUP/s  43.4 GB/s (82 % of copy)": what
/// matters comes first, and what does not fit into `width` characters is left out as a whole.
std::string format(const ProgressState& state, std::size_t width = std::string::npos);

/// "59 s", "1:02", "3:04:05", "2 d 03:04".
std::string format_duration(double seconds);
/// "13.4 GLUP/s", below 0.01 in MLUP/s.
std::string format_rate(double updates_per_second);

/// One line that is overwritten ten times a second on a terminal, a line every 30 s elsewhere. With
/// colour only on a terminal, and not where the environment sets NO_COLOR.
class Progress {
 public:
  using Plan = ProgressPlan;
  enum class Style { automatic, terminal, plain };

  /// `out` stays open and is written by no one else while a line is live (see say()).
  Progress(std::FILE* out, Plan plan, Style style = Style::automatic);

  /// To be called often; writes only now and then. `wall`: seconds since the run started.
  void update(Index step, double time, double wall);
  /// Writes the last line for good; a run that is `over` has reached 100 %.
  void finish(Index step, double time, double wall, bool over);
  /// A line of text above the live line.
  void say(std::string_view line);

 private:
  void draw(const ProgressState& state);

  std::FILE* out_;
  ProgressMeter meter_;
  bool terminal_, colour_;
  bool live_ = false;  ///< an unfinished line is on the terminal
};

}  // namespace goban
