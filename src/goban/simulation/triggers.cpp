#include "goban/simulation/triggers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"

namespace goban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How much before a moment it counts as reached.
double tolerance_of_interval(double interval) { return 1e-6 * interval; }
double tolerance_of_time(double time) { return 1e-9 * time; }

/// Reads one number from the front of `text`.
template <class T>
bool take(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

}  // namespace

Index Trigger::latest_step(Index step) const {
  if (kind_ == Kind::steps) return step / step_interval_ * step_interval_;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), step);
  return after == steps_.begin() ? -1 : *(after - 1);
}

double Trigger::latest_time(double time) const {
  if (kind_ == Kind::time)
    return std::floor((time + tolerance_of_interval(interval_)) / interval_) * interval_;
  double latest = -infinity;
  for (const double moment : times_)
    if (moment - tolerance_of_time(moment) <= time) latest = moment;
  return latest;
}

bool Trigger::due(const Clock& now) {
  const bool reached = [&] {
    switch (kind_) {
      case Kind::steps:
      case Kind::at_steps: return latest_step(now.step) > done_step_;
      case Kind::time:
      case Kind::at_times: return latest_time(now.time) > done_time_;
      case Kind::wall: return now.wall - done_wall_ >= interval_;
      default: return false;
    }
  }();
  if (reached) skip(now);
  return reached;
}

void Trigger::skip(const Clock& now) {
  done_step_ = std::max(done_step_, now.step);
  done_time_ = std::max(done_time_, now.time);
  // A moment met a little early lies behind, too.
  if (kind_ == Kind::time || kind_ == Kind::at_times)
    done_time_ = std::max(done_time_, latest_time(now.time));
  done_wall_ = std::max(done_wall_, now.wall);
}

Index Trigger::steps_until_due(const Clock& now, double dt) const {
  if (kind_ == Kind::steps) return latest_step(now.step) + step_interval_ - now.step;
  if (kind_ == Kind::at_steps) {
    const auto next = std::upper_bound(steps_.begin(), steps_.end(), now.step);
    return next == steps_.end() ? no_limit : *next - now.step;
  }
  const double time = time_until_due(now);
  const double tolerance =
      kind_ == Kind::time ? tolerance_of_interval(interval_) : tolerance_of_time(now.time + time);
  constexpr double round_off = 1e-3;  // asking once more costs less than coming a step too late
  const double steps = std::ceil((time - tolerance) / dt - round_off);
  return steps < 0x1p62 ? std::max<Index>(1, static_cast<Index>(steps)) : no_limit;
}

double Trigger::time_until_due(const Clock& now) const {
  if (kind_ == Kind::time) return latest_time(now.time) + interval_ - now.time;
  if (kind_ == Kind::at_times)
    for (const double moment : times_)
      if (moment - tolerance_of_time(moment) > now.time) return moment - now.time;
  return infinity;
}

std::string Trigger::state() const {
  return fmt::format("step {} time {}", done_step_, done_time_);
}

void Trigger::restore(std::string_view state) {
  constexpr std::string_view first = "step ", second = " time ";
  std::string_view text = state;
  Index step = 0;
  double time = 0;
  const auto skip_word = [&text](std::string_view word) {
    if (text.substr(0, word.size()) != word) return false;
    text.remove_prefix(word.size());
    return true;
  };
  if (!skip_word(first) || !take(text, step) || !skip_word(second) || !take(text, time) ||
      !text.empty() || std::isnan(time))
    throw Error(ExitCode::no_checkpoint, "the state of a schedule cannot be read",
                fmt::format("\"{}\"", state), "use another checkpoint");
  done_step_ = step;
  done_time_ = time;
  done_wall_ = 0;
}

std::string Trigger::describe(const std::string& time_unit) const {
  std::string times;
  for (const double time : times_) {
    times += (times.empty() ? "" : ", ") + quantity_text(time, time_unit);
  }
  switch (kind_) {
    case Kind::steps: return fmt::format("every {} steps", step_interval_);
    case Kind::time: return "every " + quantity_text(interval_, time_unit) + " of simulated time";
    case Kind::wall:
      if (is_automatic_) return "as often as it pays";
      return fmt::format("every {} s of wall time", interval_);
    case Kind::at_steps: return fmt::format("at steps {}", fmt::join(steps_, ", "));
    case Kind::at_times: return "at t = " + times;
    default: return "never";
  }
}

Trigger every(Index steps) {
  require(steps >= 1, "a schedule needs an interval of at least 1 step",
          fmt::format("every {} steps", steps));
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::steps;
  trigger.step_interval_ = steps;
  return trigger;
}

Trigger every_time(double interval) {
  require(interval > 0 && interval < infinity, "a schedule needs a positive interval",
          fmt::format("every {} of simulated time", interval));
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::time;
  trigger.interval_ = interval;
  return trigger;
}

Trigger every_wall(double seconds) {
  require(seconds > 0 && seconds < infinity, "a schedule needs a positive interval",
          fmt::format("every {} s", seconds));
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::wall;
  trigger.interval_ = seconds;
  return trigger;
}

Trigger automatically() {
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::wall;
  trigger.interval_ = infinity;  // until somebody knows
  trigger.is_automatic_ = true;
  return trigger;
}

Trigger at_steps(std::vector<Index> steps) {
  for (const Index step : steps)
    require(step >= 0, "a schedule cannot name a negative step", fmt::format("step {}", step));
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::at_steps;
  trigger.steps_ = std::move(steps);
  std::sort(trigger.steps_.begin(), trigger.steps_.end());
  return trigger;
}

Trigger at_times(std::vector<double> times) {
  for (const double time : times)
    require(time >= 0 && time < infinity, "a schedule cannot name such a time",
            fmt::format("time {}", time), "times count from 0");
  Trigger trigger;
  trigger.kind_ = Trigger::Kind::at_times;
  trigger.times_ = std::move(times);
  std::sort(trigger.times_.begin(), trigger.times_.end());
  return trigger;
}

}  // namespace goban
