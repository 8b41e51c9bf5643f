#pragma once
// The command lists of one schedule. There is one list for every assignment of names to buffers
// with which a cycle may begin.

#include <memory>
#include <set>
#include <vector>

#include "goban/domain/engine/bound_commands.hpp"

namespace goban {

/// The command list for one state of the domain (which buffer each name is bound to, which halos
/// are valid, which work is under way), bound to memory, and the state that it leaves behind.
struct Phase {
  int state = -1, under_way = -1;  ///< Domain::state_number(), under_way_number()
  CommandList list;
  std::vector<BoundCommand> bound;
  std::vector<EventPtr> events;  ///< one per command
  int state_after = -1, under_way_after = -1;
  bool is_compiled = false;  ///< its kernels are compiled, or need not be
  bool has_run = false;      ///< it has run once, so the launch shapes of its sweeps are chosen
  /// Enough is submitted between two results that the host waits for.
  bool is_worth_recording = true;

  /// Must be called when its commands have been submitted and have returned these events; see
  /// Domain::finish().
  void finish(Domain& domain, const std::vector<EventPtr>& events) const;
};

class Phases {
 public:
  /// Returns the phase for the present state of the domain and makes it when it is first asked for.
  const std::shared_ptr<Phase>& find(Domain& domain, const Schedule& schedule, const Slots& slots,
                                     int steps_per_pass);
  /// Does the same without allocating memory; returns null if memory would have to be allocated.
  std::shared_ptr<Phase> find_ahead(Domain& domain, const Schedule& schedule, const Slots& slots,
                                    int steps_per_pass);
  /// Does the same as find_ahead() for the state in which the phases `before`, run one after the
  /// other from the present state, would leave the domain.
  std::shared_ptr<Phase> find_after(const std::vector<std::shared_ptr<Phase>>& before,
                                    Domain& domain, const Schedule& schedule, const Slots& slots,
                                    int steps_per_pass);
  const std::vector<std::shared_ptr<Phase>>& all() const { return all_; }
  /// Returns the parameters whose values are part of a recording, because sweeps read them and
  /// their values do not lie in the device's memory.
  const std::set<const ParameterRecord*>& recorded_parameters() const { return recorded_; }
  bool are_worth_recording() const { return all_.empty() || all_[latest_]->is_worth_recording; }

 private:
  std::vector<std::shared_ptr<Phase>> all_;
  std::set<const ParameterRecord*> recorded_;
  std::size_t latest_ = 0;
};

}  // namespace goban
