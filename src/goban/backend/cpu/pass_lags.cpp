#include "goban/backend/cpu/pass_lags.hpp"

namespace goban::cpu {

PassLags::PassLags(const PassTask& task) : task_(task) {
  const auto& order = task.steps.front().sweep.order;
  fast_ = order[0];
  middle_ = order[1];
  slow_ = order[2];
  const auto steps = task.steps.size();
  lag_.assign(steps, 0);
  for (auto& beyond : beyond_) beyond.assign(steps, {});
  producer_.assign(task.versions.size(), -1);
  read_inside_.assign(task.versions.size(), false);
  for (std::size_t s = 0; s < steps; ++s) {
    for (int v : task.steps[s].writes) {
      if (v >= 0) producer_[static_cast<std::size_t>(v)] = static_cast<int>(s);
    }
    for (int v : used_by(s)) read_inside_[static_cast<std::size_t>(v)] = true;
  }
  ghosts_.assign(task.versions.size(), {});
  for (std::size_t s = 0; s < steps; ++s) {
    for (const int v : used_by(s)) {
      if (producer(v) < 0) continue;
      add_ghosts(s, v);
      const Reach r = reach(s, v, slow_);
      const Index behind = lag_[static_cast<std::size_t>(producer(v))] + std::max(r.low, r.high);
      lag_[s] = std::max(lag_[s], behind);
    }
  }
  for (std::size_t i = steps; i-- > 0;) {
    for (std::size_t later = i + 1; later < steps; ++later) {
      for (int v : used_by(later)) {
        if (producer(v) != static_cast<int>(i)) continue;
        for (int axis : {middle_, slow_}) {
          const Reach r = reach(later, v, axis);
          auto& beyond = beyond_[static_cast<std::size_t>(axis)];
          beyond[i].low = std::max(beyond[i].low, beyond[later].low + r.low);
          beyond[i].high = std::max(beyond[i].high, beyond[later].high + r.high);
        }
      }
    }
    // Ghosts beyond one end mirror what lies on its other side.
    const auto& step = task.steps[i];
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      const FillTask& fill = step.fills[f];
      Reach& beyond = beyond_[static_cast<std::size_t>(fill.axis)][i];
      Index& inside = fill.side == Side::low ? beyond.high : beyond.low;
      inside = std::max(inside, ghosts(step.fill_version[f]).on(fill.axis, fill.side));
    }
  }
}

std::vector<int> PassLags::used_by(std::size_t s) const {
  const auto& step = task_.steps[s];
  std::vector<int> all = step.reads;
  all.insert(all.end(), step.keeps.begin(), step.keeps.end());
  all.push_back(step.mask);
  std::erase(all, -1);
  return all;
}

Reach PassLags::reach(std::size_t s, int v, int axis) const {
  Reach r;
  const auto& step = task_.steps[s];
  for (const Read& read : step.sweep.stage->footprint.reads) {
    if (step.reads[static_cast<std::size_t>(read.parameter)] != v) continue;
    const Index o = read.offset[static_cast<std::size_t>(axis)];
    r.low = std::max(r.low, -o);
    r.high = std::max(r.high, o);
  }
  return r;
}

Index PassLags::planes(int v) const {
  const auto p = static_cast<std::size_t>(producer(v));
  const Extents& beyond = ghosts(v);
  Index alive = 2 * std::max(beyond.low[slow_], beyond.high[slow_]) + planes_per_round + 1;
  if (!has_fill(v, slow_)) alive = planes_per_round;
  for (std::size_t s = 0; s < task_.steps.size(); ++s) {
    const auto used = used_by(s);
    if (std::find(used.begin(), used.end(), v) == used.end()) continue;
    const Index span = lag_[s] - lag_[p] + reach(s, v, slow_).low + planes_per_round;
    alive = std::max(alive, span + (has_fill(v, slow_) ? beyond.high[slow_] + 1 : 0));
  }
  return alive;
}

bool PassLags::has_fill(int v, int axis) const {
  const auto& step = task_.steps[static_cast<std::size_t>(producer(v))];
  for (std::size_t f = 0; f < step.fills.size(); ++f) {
    if (step.fill_version[f] == v && step.fills[f].axis == axis) return true;
  }
  return false;
}

void PassLags::add_ghosts(std::size_t s, int v) {
  const Box& box = task_.steps[s].sweep.box;
  const Box& owned = task_.versions[static_cast<std::size_t>(v)].owned;
  Extents& all = ghosts_[static_cast<std::size_t>(v)];
  for (int axis = 0; axis < 3; ++axis) {
    const Reach r = reach(s, v, axis);
    all.low[axis] = std::max(all.low[axis], owned.lower[axis] - box.lower[axis] + r.low);
    all.high[axis] = std::max(all.high[axis], box.upper[axis] - owned.upper[axis] + r.high);
  }
}

}  // namespace goban::cpu
