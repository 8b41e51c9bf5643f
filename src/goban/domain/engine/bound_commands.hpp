#pragma once
// Binds a command list to memory and executors. This is done once; the result runs as often as the
// list does.

#include <memory>
#include <variant>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/halo/channel.hpp"
#include "goban/lowering/command.hpp"

namespace goban {

/// Each of the following structs holds what one kind of command needs when it runs, except for
/// numbers that change from step to step. BoundSweep is a sweep or a reduction over one box.
struct BoundSweep {
  SweepTask task;
  std::unique_ptr<Reducer> partial;  ///< the partial result, if the sweep reduces
  bool is_in_place = false;          ///< its field is stored in place and lies elsewhere every step
};
struct BoundPass {
  PassTask task;
  /// One per step; null where a step reduces nothing.
  std::vector<std::unique_ptr<Reducer>> partials;
};
struct BoundFill {
  std::vector<FillTask> tasks;
  std::vector<const BoundaryCondition*> conditions;
  bool is_in_place = false;
  bool is_timed = false;  ///< some condition depends on the simulated time
};
struct BoundCopy {
  std::vector<CopyTask> tasks;
  bool is_in_place = false;
};
struct BoundMessages {
  std::unique_ptr<ChannelWork> work;
  bool is_in_place = false;
};
struct BoundRankBarrier {
  std::vector<PeerPath*> paths;
};
struct BoundDeviceBarrier {
  std::vector<QueueWait> barriers;
};
/// The work of commands that need no memory: the host does them.
struct Unbound {};

struct BoundCommand {
  Executor* executor = nullptr;  ///< null: the host or several executors run it
  bool is_hosts = false;         ///< the host does it alone and submits nothing to an executor
  bool changes = false;          ///< more than its waits differs from step to step
  /// What changes is only numbers of sweeps, which lie in the device's memory.
  bool has_numbers = false;
  bool is_submitted = false;  ///< it is submitted together with a command before it
  int bundled = 0;            ///< how many of the following commands are submitted with it
  std::variant<Unbound, BoundSweep, BoundPass, BoundFill, BoundCopy, BoundMessages,
               BoundRankBarrier, BoundDeviceBarrier>
      work;
  Submission submission;
  EventPtr done;
};

/// Turns commands into tasks with pointers. The names of the domain must be bound to the same
/// memory as when the list was lowered.
class Binder {
 public:
  Binder(Domain& domain, const Slots& slots, const Schedule& schedule)
      : domain_(domain), slots_(slots), schedule_(schedule) {}

  std::vector<BoundCommand> bind(const CommandList& list);
  /// These update the pointers of commands whose fields are stored in place: such fields lie at
  /// another address in every step. component() returns one component of a field in one patch.
  void rebind(const Command& command, BoundSweep& sweep) const;
  void rebind(const Fill& fill, BoundFill& bound) const;
  void rebind(const Copy& copy, BoundCopy& bound) const;
  void rebind(const Command& command, Executor& executor, BoundMessages& bound) const;
  FieldBinding component(MemoryNumber memory, int patch, const Component& what) const;

 private:
  BoundCommand bind(const Command& command) const;
  bool changes(const Command& command) const;
  const Instance& instance(int id) const {
    return schedule_.cycle.instances[static_cast<std::size_t>(id)];
  }
  BoundSweep bound(const Sweep& sweep, int patch) const;
  FieldBinding on_other_grid(MemoryNumber memory, const FieldRecord& field, int patch,
                             const IndexMap& map) const;
  BoundPass bound(const BlockedSweeps& pass, int patch) const;
  BoundFill bound(const Fill& fill) const;
  BoundCopy bound(const Copy& copy) const;
  BoundMessages bound_messages(const Command& command, Executor& executor) const;
  FillTask fill_task(const GhostFill& fill) const;
  CopyTask copy_task(const CellCopy& copy) const;
  bool is_in_place(const Component& what) const { return slots_.field(what.slot).in_place; }

  Domain& domain_;
  const Slots& slots_;
  const Schedule& schedule_;
};

}  // namespace goban
