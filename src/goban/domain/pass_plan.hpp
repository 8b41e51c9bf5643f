#pragma once
// Several steps of a schedule gathered into passes through cache, one task per patch.

#include <map>
#include <vector>

#include "goban/domain/submissions.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// Versions that live only between steps of the pass never reach memory. One that must be kept is
/// written beside what the pass reads: into a buffer whose contents nobody needs any more, or into
/// a spare one; the names are bound anew afterwards.
class PassPlan {
 public:
  PassPlan(const Schedule& schedule, const Slots& slots) : schedule_(schedule), slots_(slots) {}

  /// Starts collecting the steps first ... last - 1 of the cycle.
  void begin(int first, int last, Domain& domain);
  void add(int instance, SweepTask task, int patch);
  void add(const Operation& op, FillTask task);
  /// The instance whose fills follow.
  int latest_instance() const { return latest_; }
  /// Runs the collected steps on every patch and rebinds the buffers.
  void run(Domain& domain, Submissions& submissions);

 private:
  struct Kept {
    int version;
    int slot;
    int target = -1;  ///< slot whose buffer takes it; -1: a spare buffer
  };
  const Version& version(int v) const {
    return schedule_.cycle.versions[static_cast<std::size_t>(v)];
  }
  int step_of(int instance) const {
    return schedule_.cycle.instances[static_cast<std::size_t>(instance)].step;
  }
  bool is_inside(int instance) const {
    return instance >= 0 && step_of(instance) >= first_ && step_of(instance) < last_;
  }
  bool is_read_inside(const Version& v) const;
  bool is_kept(const Version& v) const;
  PassTask& task_of(int patch) { return tasks_[schedule_.patches.position(patch)]; }
  int free_slot(int slot, Domain& domain, const std::vector<bool>& taken) const;

  const Schedule& schedule_;
  const Slots& slots_;
  int first_ = 0, last_ = 0;
  int latest_ = -1;
  std::map<int, int> local_;  ///< version of the cycle -> version of the pass
  std::vector<Kept> kept_;
  std::vector<PassTask> tasks_;  ///< per patch
};

}  // namespace goban
