#include "goban/simulation/report/progress_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace goban {
namespace {

constexpr double smoothing_time = 3;  // seconds

double share(double done, double all) { return all > 0 ? std::clamp(done / all, 0.0, 1.0) : -1; }

}  // namespace

ProgressMeter::ProgressMeter(ProgressPlan plan)
    : plan_(std::move(plan)), step_(plan_.first_step), time_(plan_.first_time) {
  for (const Condition& condition : plan_.goals) goals_.push_back({condition});
}

/// The share of the way to the goal; by factors where a positive number falls to a positive bound,
/// as residuals do.
double ProgressMeter::Goal::share() {
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

ProgressState ProgressMeter::measure(Index step, double time, double wall) {
  const double seconds = wall - measured_;
  if (seconds > 0) {
    const double weight = step_rate_ > 0 ? 1 - std::exp(-seconds / smoothing_time) : 1;
    step_rate_ += weight * (static_cast<double>(step - step_) / seconds - step_rate_);
    time_rate_ += weight * ((time - time_) / seconds - time_rate_);
    measured_ = wall;
    step_ = step;
    time_ = time;
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

}  // namespace goban
