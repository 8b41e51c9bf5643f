#include "goban/simulation/when.hpp"

#include <algorithm>

namespace goban {

When operator|(When a, const When& b) {
  a.triggers_.insert(a.triggers_.end(), b.triggers_.begin(), b.triggers_.end());
  a.at_end_ = a.at_end_ || b.at_end_;
  return a;
}

When at_end() {
  When when;
  when.at_end_ = true;
  return when;
}

bool When::due(const Clock& now) {
  bool any = false;
  for (Trigger& trigger : triggers_) any = trigger.due(now) || any;
  return any;
}

Index When::steps_until_due(const Clock& now, double dt) const {
  Index steps = Trigger::no_limit;
  for (const Trigger& trigger : triggers_) {
    steps = std::min(steps, trigger.steps_until_due(now, dt));
  }
  return steps;
}

bool When::is_automatic() const {
  return std::any_of(triggers_.begin(), triggers_.end(),
                     [](const Trigger& trigger) { return trigger.is_automatic(); });
}

void When::set_interval(double seconds) {
  for (Trigger& trigger : triggers_) {
    if (trigger.is_automatic()) trigger.set_interval(seconds);
  }
}

bool When::has_wall_time() const {
  return std::any_of(triggers_.begin(), triggers_.end(),
                     [](const Trigger& trigger) { return trigger.is_of_wall_time(); });
}

bool When::is_every_step() const {
  return std::any_of(triggers_.begin(), triggers_.end(),
                     [](const Trigger& trigger) { return trigger.is_every_step(); });
}

double When::time_until_due(const Clock& now) const {
  double time = std::numeric_limits<double>::infinity();
  for (const Trigger& trigger : triggers_) time = std::min(time, trigger.time_until_due(now));
  return time;
}

std::vector<std::string> When::state() const {
  std::vector<std::string> lines;
  for (const Trigger& trigger : triggers_) lines.push_back(trigger.state());
  return lines;
}

void When::restore(const std::vector<std::string>& state) {
  if (state.empty()) return;
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    triggers_[i].restore(state[std::min(i, state.size() - 1)]);
  }
}

Index When::times_due(Index steps, double dt) const {
  constexpr Index enough = 1'000'000;  // to tell the rest
  When moments;
  for (const Trigger& trigger : triggers_) {
    if (!trigger.is_of_wall_time()) moments.triggers_.push_back(trigger);
  }
  Index times = 0, last = -1;
  for (Clock now; now.step <= steps; now.time = static_cast<double>(now.step) * dt) {
    if (moments.due(now)) {
      ++times;
      last = now.step;
    }
    const Index next = moments.steps_until_due(now, dt);
    if (next > steps - now.step) break;
    if (times == enough) return steps / now.step * times;
    now.step += next;
  }
  return times + (at_end_ && last != steps ? 1 : 0);
}

std::string When::describe(const std::string& time_unit) const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const Trigger& trigger : triggers_) add(trigger.describe(time_unit));
  if (at_end_) add("at the end");
  return text.empty() ? "never" : text;
}

}  // namespace goban
