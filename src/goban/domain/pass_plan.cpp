#include "goban/domain/pass_plan.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban {

bool PassPlan::is_read_inside(const Version& v) const {
  return std::any_of(v.readers.begin(), v.readers.end(), [&](int i) { return is_inside(i); });
}

bool PassPlan::is_kept(const Version& v) const {
  if (v.outlives) return true;
  return std::any_of(v.readers.begin(), v.readers.end(),
                     [&](int i) { return step_of(i) >= last_; });
}

/// A slot with a like buffer that nobody reads from now on and nothing else is written to.
int PassPlan::free_slot(int slot, Domain& domain, const std::vector<bool>& taken) const {
  const FieldRecord& field = slots_.field(slot);
  for (int s = 0; s < slots_.size(); ++s) {
    const FieldRecord& other = slots_.field(s);
    if (s == slot || taken[static_cast<std::size_t>(s)]) continue;
    if (other.type != field.type || other.components != field.components ||
        other.order != field.order || other.location != field.location ||
        domain.buffer(other.id).halo != domain.buffer(field.id).halo) {
      continue;
    }
    const auto& versions = schedule_.cycle.versions;
    const bool needed = std::any_of(versions.begin(), versions.end(), [&](const Version& v) {
      if (v.slot != s || (v.producer >= 0 && step_of(v.producer) >= last_)) return false;
      return (!is_inside(v.producer) && is_read_inside(v)) || is_kept(v);
    });
    if (!needed) return s;
  }
  return -1;
}

void PassPlan::begin(int first, int last, Domain& domain) {
  first_ = first;
  last_ = last;
  latest_ = -1;
  local_.clear();
  kept_.clear();
  tasks_.assign(schedule_.patches.size(), {});
  std::vector<bool> taken(static_cast<std::size_t>(slots_.size()), false);
  const auto& versions = schedule_.cycle.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Version& v = versions[i];
    const bool produced = is_inside(v.producer);
    const bool held = !produced && is_read_inside(v);
    if (!produced && !held) continue;
    const bool kept = produced && is_kept(v);
    const FieldRecord& field = slots_.field(v.slot);
    local_[static_cast<int>(i)] = static_cast<int>(local_.size());
    int target = v.slot;
    if (kept) {
      // Held values of the same slot may still be read by tiles that come later.
      const bool in_use = std::any_of(versions.begin(), versions.end(), [&](const Version& other) {
        return other.slot == v.slot && !is_inside(other.producer) && is_read_inside(other);
      });
      if (in_use || taken[static_cast<std::size_t>(v.slot)]) {
        target = free_slot(v.slot, domain, taken);
      }
      if (target >= 0) taken[static_cast<std::size_t>(target)] = true;
      kept_.push_back({static_cast<int>(i), v.slot, target});
    }
    for (const auto& patch : schedule_.patches) {
      PassTask::VersionInfo info;
      Buffer& buffer =
          kept && target < 0 ? domain.spare(field.id) : domain.buffer(slots_.field(target).id);
      info.memory = domain.bind(buffer, patch.patch);
      info.type = field.type;
      info.components = field.components;
      info.held = held;
      info.kept = kept;
      info.owned = patch.owned_local(field.location);
      info.allocated = buffer.layout[schedule_.patches.position(patch.patch)].allocated();
      info.need = v.widest();
      task_of(patch.patch).versions.push_back(info);
    }
  }
}

void PassPlan::add(int instance, SweepTask task, int patch) {
  latest_ = instance;
  const Instance& it = schedule_.cycle.instances[static_cast<std::size_t>(instance)];
  PassTask::Step step;
  step.sweep = std::move(task);
  auto local = [&](int v) { return v < 0 ? -1 : local_.at(v); };
  for (int v : it.reads) step.reads.push_back(local(v));
  for (int v : it.writes) step.writes.push_back(local(v));
  task_of(patch).steps.push_back(std::move(step));
}

void PassPlan::add(const Operation& op, FillTask task) {
  PassTask::Step& step = task_of(op.patch).steps.back();
  const Instance& it = schedule_.cycle.instances[static_cast<std::size_t>(latest_)];
  for (int v : it.writes) {
    if (v < 0 || version(v).slot != op.what.slot) continue;
    step.fills.push_back(std::move(task));
    step.fill_version.push_back(local_.at(v));
    step.fill_component.push_back(op.what.component);
    return;
  }
}

void PassPlan::run(Domain& domain, Submissions& submissions) {
  for (const auto& patch : schedule_.patches) {
    auto& task = task_of(patch.patch);
    if (task.steps.empty()) continue;
    Executor& executor = domain.executor(patch.patch);
    const Submission submission{Stream::compute, {}, patch.patch};
    if (!executor.is_asynchronous()) {
      executor.pass(task, submission);
      continue;
    }
    std::vector<Touch> touches;
    for (const auto& version : task.versions) {
      if (version.held) touches.push_back({version.memory.read, version.allocated, false});
      if (version.kept) touches.push_back({version.memory.write, version.allocated, true});
    }
    submissions.add(Submissions::Work::computes, submission, std::move(touches),
                    [&executor, task = std::move(task)](const Submission& s) {
                      return executor.pass(task, s);
                    });
  }
  for (const Kept& kept : kept_) {
    const int field = slots_.field(kept.slot).id;
    if (kept.target < 0) {
      domain.exchange_with(field, domain.spare(field));
    } else if (kept.target != kept.slot) {
      domain.exchange_buffers(field, slots_.field(kept.target).id);
    }
    for (auto& halo : domain.buffer(field).halos) halo.outdate(schedule_.patches.joined());
  }
}

}  // namespace goban
