#pragma once
// A command list bound to memory and executors: made once, run as often as the list is.

#include <memory>
#include <variant>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/halo/channel.hpp"
#include "goban/lowering/command.hpp"

namespace goban {

/// What a command needs when it runs, beside numbers that change from step to step.
struct BoundSweep {
  SweepTask task;
  std::unique_ptr<Reducer> partial;  ///< partial results of a reduction
  bool is_in_place = false;          ///< memory moves from step to step
};
struct BoundPass {
  PassTask task;
  std::vector<std::unique_ptr<Reducer>> partials;  ///< per step
};
struct BoundFill {
  std::vector<FillTask> tasks;
  std::vector<const BoundaryCondition*> conditions;
  bool is_in_place = false;
  bool is_timed = false;  ///< conditions depend on the time
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
/// The host does it, or all is in the command.
struct Unbound {};

struct BoundCommand {
  Executor* executor = nullptr;  ///< null: the host, or several
  bool is_hosts = false;         ///< nothing is submitted
  bool changes = false;          ///< not only its waits differ from step to step
  bool has_numbers = false;      ///< only numbers of sweeps change, which the device keeps
  bool is_submitted = false;     ///< with one before it
  int bundled = 0;               ///< how many after it are submitted with it
  std::variant<Unbound, BoundSweep, BoundPass, BoundFill, BoundCopy, BoundMessages,
               BoundRankBarrier, BoundDeviceBarrier>
      work;
  Submission submission;
  EventPtr done;
};

/// The tasks of a list; names must be bound as it was lowered for.
class Binder {
 public:
  Binder(Domain& domain, const Slots& slots, const Schedule& schedule)
      : domain_(domain), slots_(slots), schedule_(schedule) {}

  std::vector<BoundCommand> bind(const CommandList& list);
  /// MemoryNumber of fields stored in place, as it is now.
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
