#pragma once
// The command lists of one schedule: one for each way that names are bound when a cycle begins.

#include <memory>
#include <set>
#include <vector>

#include "goban/domain/engine/bound_commands.hpp"

namespace goban {

/// A list for one way that names are bound, halos are valid and work is under way; and what it
/// leaves.
struct Phase {
  int state = -1, under_way = -1;  ///< numbers of the domain
  CommandList list;
  std::vector<BoundCommand> bound;
  std::vector<EventPtr> events;  ///< per command
  int state_after = -1, under_way_after = -1;
  bool is_compiled = false;        ///< whether its kernels are compiled, where they have to be
  bool has_run = false;            ///< launches of its sweeps are chosen
  bool is_worth_recording = true;  ///< much is submitted between results that the host takes

  /// To be called when its commands have been submitted, with these events; see Domain::finish().
  void finish(Domain& domain, const std::vector<EventPtr>& events) const;
};

class Phases {
 public:
  /// The phase for the domain as it is now; made when it is first asked for.
  const std::shared_ptr<Phase>& find(Domain& domain, const Schedule& schedule, const Slots& slots,
                                     int steps_per_pass);
  /// The same without the domain's memory growing; null: it would have to.
  std::shared_ptr<Phase> find_ahead(Domain& domain, const Schedule& schedule, const Slots& slots,
                                    int steps_per_pass);
  /// The same as these lists leave the domain, one after the other from how it is now.
  std::shared_ptr<Phase> find_after(const std::vector<std::shared_ptr<Phase>>& before,
                                    Domain& domain, const Schedule& schedule, const Slots& slots,
                                    int steps_per_pass);
  /// The phases made so far.
  const std::vector<std::shared_ptr<Phase>>& all() const { return all_; }
  /// Parameters whose values are part of what is recorded: sweeps read them whose numbers do not
  /// lie in the device's memory.
  const std::set<const ParameterRecord*>& recorded_parameters() const { return recorded_; }
  bool are_worth_recording() const { return all_.empty() || all_[latest_]->is_worth_recording; }

 private:
  std::vector<std::shared_ptr<Phase>> all_;
  std::set<const ParameterRecord*> recorded_;
  std::size_t latest_ = 0;
};

}  // namespace goban
