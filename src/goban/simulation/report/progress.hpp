#pragma once
// The live line of a run: where it stands, how fast it is, how long it will take.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/program/parameter.hpp"

namespace goban {

/// What the line tells. What is 0 or empty is unknown and left out, except step and time; a time
/// that counts steps is left out, too.
struct ProgressState {
  Index step = 0;
  Index steps = 0;  ///< steps to be done in all
  double time = 0;  ///< simulated
  std::string time_unit = {};
  std::string goal = {};  ///< how far away what ends the run is
  double updates_per_second = 0;
  double effective_bandwidth = 0;  ///< bytes per second
  double copy_bandwidth = 0;       ///< bytes per second: the measured ceiling
  double fraction = -1;            ///< done, 0 to 1; negative: unknown
  double seconds_left = -1;        ///< negative: unknown
};

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
  struct Plan {
    double cells = 0;  ///< updated per step
    double bytes_per_update = 0;
    double copy_bandwidth = 0;  ///< bytes per second
    Index first_step = 0, steps = 0;
    double first_time = 0, end_time = 0;  ///< simulated; the run ends at steps or end_time,
    std::vector<Condition> goals = {};    ///< or when one of these holds
    std::string time_unit = {};
  };
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
  /// How far a condition is from where it was first seen to where it holds.
  struct Goal {
    Condition condition;
    double first = 0;  ///< 0: not seen yet
    double share();
  };
  ProgressState measure(Index step, double time, double wall);
  void draw(const ProgressState& state);

  std::FILE* out_;
  Plan plan_;
  bool terminal_, colour_;
  bool live_ = false;  ///< an unfinished line is on the terminal
  double drawn_ = 0;   ///< wall time of the last line
  Index drawn_step_;   ///< its step and time
  double drawn_time_;
  double step_rate_ = 0, time_rate_ = 0;  ///< per second, smoothed
  std::vector<Goal> goals_;
};

}  // namespace goban
