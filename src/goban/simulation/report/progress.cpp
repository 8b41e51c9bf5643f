#include "goban/simulation/report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "goban/base/quantity_text.hpp"

namespace goban {
namespace {

constexpr double terminal_interval = 0.1, plain_interval = 30;  // seconds
constexpr double smoothing_time = 3;                            // seconds

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Open MPI gives ranks a terminal of their own, whatever its output goes to.
bool can_overwrite(std::FILE* out) {
  const char* const terminal = std::getenv("TERM");
  return isatty(fileno(out)) != 0 && !is_set("OMPI_COMM_WORLD_RANK") &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// Columns of the terminal; 80 if it does not say.
std::size_t width_of(std::FILE* out) {
  winsize size{};
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

double share(double done, double all) { return all > 0 ? std::clamp(done / all, 0.0, 1.0) : -1; }

}  // namespace

std::string format(const ProgressState& state, std::size_t width) {
  std::vector<std::string> parts;
  // Rounded down: 100 % means done.
  if (state.fraction >= 0)
    parts.push_back(fmt::format("{:.0f} %", std::floor(100 * state.fraction)));
  if (state.seconds_left >= 0) parts.push_back(format_duration(state.seconds_left) + " left");
  if (!state.goal.empty()) parts.push_back(state.goal);
  parts.push_back(fmt::format("step {}", state.step));
  if (state.steps > 0) parts.back() += fmt::format("/{}", state.steps);
  if (state.time != static_cast<double>(state.step)) {
    parts.push_back("t = " + quantity_text(state.time, state.time_unit, 4));
  }
  if (state.updates_per_second > 0) parts.push_back(format_rate(state.updates_per_second));
  if (state.effective_bandwidth > 0) {
    parts.push_back(fmt::format("{:.3g} GB/s", state.effective_bandwidth * 1e-9));
    if (state.copy_bandwidth > 0)
      parts.back() += fmt::format(" ({:.0f} % of copy)",
                                  100 * state.effective_bandwidth / state.copy_bandwidth);
  }
  std::string line = parts.front().substr(0, width);
  for (std::size_t n = 1; n < parts.size() && line.size() + 2 + parts[n].size() <= width; ++n) {
    line += "  " + parts[n];
  }
  return line;
}

std::string format_rate(double updates_per_second) {
  return updates_per_second < 1e7 ? fmt::format("{:.3g} MLUP/s", updates_per_second * 1e-6)
                                  : fmt::format("{:.3g} GLUP/s", updates_per_second * 1e-9);
}

std::string format_duration(double seconds) {
  constexpr double longest = 1e9;  // beyond, the estimate says nothing
  if (!(seconds < longest)) return "for ever";
  const auto all = static_cast<Index>(std::ceil(std::max(0.0, seconds)));
  const Index days = all / 86400, hours = all / 3600 % 24, minutes = all / 60 % 60;
  if (days > 0) return fmt::format("{} d {:02}:{:02}", days, hours, minutes);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, all % 60);
  if (minutes > 0) return fmt::format("{}:{:02}", minutes, all % 60);
  return fmt::format("{} s", all);
}

Progress::Progress(std::FILE* out, Plan plan, Style style)
    : out_(out),
      plan_(std::move(plan)),
      terminal_(style == Style::automatic ? can_overwrite(out) : style == Style::terminal),
      colour_(terminal_ && !is_set("NO_COLOR")),
      drawn_step_(plan_.first_step),
      drawn_time_(plan_.first_time) {
  for (const Condition& condition : plan_.goals) goals_.push_back({condition});
}

/// The share of the way to the goal; by factors where a positive number falls to a positive bound,
/// as residuals do.
double Progress::Goal::share() {
  const double value = condition.parameter->value, bound = condition.bound;
  if (!std::isfinite(value) || value == 0) return -1;
  if (first == 0) first = value;
  const bool by_factors = condition.less && bound > 0 && value > 0 && first > 0;
  if (by_factors && first > bound) {
    return std::clamp(std::log(first / value) / std::log(first / bound), 0.0, 1.0);
  }
  const double distance = bound - first;
  return distance != 0 ? std::clamp((value - first) / distance, 0.0, 1.0) : -1;
}

void Progress::update(Index step, double time, double wall) {
  if (wall - drawn_ < (terminal_ ? terminal_interval : plain_interval)) return;
  draw(measure(step, time, wall));
}

void Progress::finish(Index step, double time, double wall, bool over) {
  ProgressState state = measure(step, time, wall);
  const double seconds = std::max(wall, 1e-9);
  state.updates_per_second = plan_.cells * static_cast<double>(step - plan_.first_step) / seconds;
  state.effective_bandwidth = state.updates_per_second * plan_.bytes_per_update;
  state.seconds_left = -1;
  if (over) state.fraction = 1;
  draw(state);
  if (live_) std::fputc('\n', out_);
  live_ = false;
  std::fflush(out_);
}

void Progress::say(std::string_view line) {
  if (live_) std::fputs("\r\x1b[K", out_);
  live_ = false;
  std::fwrite(line.data(), 1, line.size(), out_);
  std::fputc('\n', out_);
  std::fflush(out_);
}

ProgressState Progress::measure(Index step, double time, double wall) {
  const double seconds = wall - drawn_;
  if (seconds > 0) {
    const double weight = step_rate_ > 0 ? 1 - std::exp(-seconds / smoothing_time) : 1;
    step_rate_ += weight * (static_cast<double>(step - drawn_step_) / seconds - step_rate_);
    time_rate_ += weight * ((time - drawn_time_) / seconds - time_rate_);
    drawn_ = wall;
    drawn_step_ = step;
    drawn_time_ = time;
  }

  ProgressState state;
  state.step = step;
  state.steps = plan_.steps;
  state.time = time;
  state.time_unit = plan_.time_unit;
  state.updates_per_second = plan_.cells * step_rate_;
  state.effective_bandwidth = state.updates_per_second * plan_.bytes_per_update;
  state.copy_bandwidth = plan_.copy_bandwidth;

  // Whichever of steps, time and conditions ends the run first.
  const double by_steps = share(static_cast<double>(step - plan_.first_step),
                                static_cast<double>(plan_.steps - plan_.first_step));
  const double by_time = share(time - plan_.first_time, plan_.end_time - plan_.first_time);
  state.fraction = std::max(by_steps, by_time);
  const double rate = by_steps >= by_time ? step_rate_ : time_rate_;
  const double rest =
      by_steps >= by_time ? static_cast<double>(plan_.steps - step) : plan_.end_time - time;
  if (state.fraction >= 0 && rate > 0) state.seconds_left = std::max(0.0, rest / rate);
  for (Goal& goal : goals_) {
    const double by_goal = goal.share();
    if (by_goal < 0) continue;
    const auto& [parameter, less, bound] = goal.condition;
    if (state.goal.empty() || by_goal > state.fraction) {
      state.goal = fmt::format("{} {:.2g} (until {} {:g})", parameter->name, parameter->value,
                               less ? "<" : ">", bound);
    }
    if (by_goal <= state.fraction) continue;
    // What a condition still takes is as far as what it took.
    state.fraction = by_goal;
    const double done = static_cast<double>(step - plan_.first_step);
    state.seconds_left = step_rate_ > 0 && by_goal > 0 ? (1 / by_goal - 1) * done / step_rate_ : -1;
  }
  return state;
}

void Progress::draw(const ProgressState& state) {
  std::string line =  // a wrapped line cannot be overwritten
      format(state, terminal_ ? width_of(out_) - 1 : std::string::npos);
  if (terminal_) {
    const char* const on = colour_ ? "\x1b[36m" : "";
    const char* const off = colour_ ? "\x1b[0m" : "";
    line = fmt::format("\r{}{}{}\x1b[K", on, line, off);
  } else {
    line += '\n';
  }
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
  live_ = terminal_;
}

}  // namespace goban
