#include "goban/backend/cpu/pass_lags.hpp"

#include "goban/backend/cpu/stage_kernel.hpp"

namespace goban::cpu {

PassLags::PassLags(const PassTask& task)
    : task_(task),
      fast_(task.steps.front().sweep.order[0]),
      middle_(task.steps.front().sweep.order[1]),
      slow_(task.steps.front().sweep.order[2]),
      lag_(task.steps.size()),
      producer_(task.versions.size(), -1),
      ghosts_(task.versions.size()) {
  for (auto& withdrawals : withdrawals_) withdrawals.resize(task.steps.size());
  for (std::size_t s = 0; s < steps(); ++s) {
    const auto& stage = task.steps[s].sweep.stage;
    if (!stage->samples && kernel_of(stage).shape().walks_groups) {
      planes_per_round_ = std::max(planes_per_round_, static_cast<Index>(KernelShape::group));
    }
    for (int v : task.steps[s].writes) {
      if (v >= 0) producer_[static_cast<std::size_t>(v)] = static_cast<int>(s);
    }
    for (const int v : used_by(s)) add_ghosts(s, v);
    follow_makers(s);
    follow_readers(s);
  }
}

Reach PassLags::widest_withdrawal(int axis) const {
  Reach widest;
  for (const Reach& one : withdrawals_[static_cast<std::size_t>(axis)]) {
    widest.low = std::max(widest.low, one.low);
    widest.high = std::max(widest.high, one.high);
  }
  return widest;
}

Reach PassLags::mean_withdrawal(int axis) const {
  Reach sum;
  for (const Reach& one : withdrawals_[static_cast<std::size_t>(axis)]) {
    sum.low += one.low;
    sum.high += one.high;
  }
  const auto count = static_cast<Index>(steps());
  return {sum.low / count, sum.high / count};
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

void PassLags::follow(std::size_t s, std::size_t before, Index planes,
                      const std::array<Reach, 3>& cells) {
  lag_[s] = std::max(lag_[s], lag_[before] + planes);
  for (std::size_t a = 0; a < 3; ++a) {
    Reach& mine = withdrawals_[a][s];
    const Reach& other = withdrawals_[a][before];
    mine.low = std::max(mine.low, other.low + cells[a].low);
    mine.high = std::max(mine.high, other.high + cells[a].high);
  }
}

/// Lets step s follow the steps that write what it reads. Low ghosts mirror planes that lie as far
/// inside, which must be there, too.
void PassLags::follow_makers(std::size_t s) {
  for (const int v : used_by(s)) {
    const int maker = producer_[static_cast<std::size_t>(v)];
    if (maker < 0 || maker == static_cast<int>(s)) continue;
    const std::array all{reach(s, v, 0), reach(s, v, 1), reach(s, v, 2)};
    const Reach& planes = all[static_cast<std::size_t>(slow_)];
    follow(s, static_cast<std::size_t>(maker), std::max(planes.low, planes.high), all);
  }
}

/// Lets step s follow the steps that read what it overwrites. Ghosts beyond the last plane are
/// renewed together with the last plane of this step, while readers of the old ones may still have
/// planes to compute beyond that.
void PassLags::follow_readers(std::size_t s) {
  for (const int made : task_.steps[s].writes) {
    if (made < 0) continue;
    for (std::size_t q = 0; q < s; ++q) {
      for (const int v : used_by(q)) {
        if (v == made || memory(v) != memory(made)) continue;
        std::array<Reach, 3> all;
        for (int a = 0; a < 3; ++a) {
          const Reach r = reach(q, v, a);
          all[static_cast<std::size_t>(a)] = {r.high, r.low};
        }
        const Index planes_more =
            task_.steps[q].sweep.box.upper[slow_] - task_.steps[s].sweep.box.upper[slow_];
        follow(s, q, std::max(all[static_cast<std::size_t>(slow_)].high, planes_more), all);
      }
      for (const int v : task_.steps[q].writes) {
        if (v >= 0 && memory(v) == memory(made)) follow(s, q, 0, {});
      }
    }
  }
}

void PassLags::add_ghosts(std::size_t s, int v) {
  const Box& box = task_.steps[s].sweep.box;
  const Box& owned = task_.versions[static_cast<std::size_t>(v)].owned;
  Extents& all = ghosts_[static_cast<std::size_t>(v)];
  for (int axis = 0; axis < 3; ++axis) {
    const Reach r = reach(s, v, axis);
    all.low[axis] = std::max(all.low[axis], owned.lower[axis] - box.lower[axis] + r.low);
    all.high[axis] = std::max(all.high[axis], box.upper[axis] - owned.upper[axis] + r.high);
    Index& thickness = thickness_[static_cast<std::size_t>(axis)];
    thickness = std::max({thickness, all.low[axis] + 1, all.high[axis] + 1});
  }
}

}  // namespace goban::cpu
