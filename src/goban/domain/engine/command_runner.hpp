#pragma once
// The loop that runs command lists.

#include <vector>

#include "goban/domain/engine/bound_commands.hpp"
#include "goban/domain/engine/device_numbers.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/domain/engine/recorded_cycles.hpp"

namespace goban {

class SampleMemory;
class Samples;

/// Submits commands to executors, does the host's part of them, and advances the clock with the
/// steps. The engine makes one for every run of a cycle.
class CommandRunner {
 public:
  /// `numbers`: the numbers of the program that the only executor keeps in its memory while it
  /// repeats a loop; null if the host keeps them.
  CommandRunner(Domain& domain, const Slots& slots, const Schedule& schedule, StepClock& clock,
                TimeSplit& split, std::vector<SampleMemory>& samples,
                const DeviceNumbers* numbers = nullptr)
      : domain_(domain),
        schedule_(schedule),
        binder_(domain, slots, schedule),
        clock_(clock),
        split_(split),
        samples_(samples),
        numbers_(numbers) {}

  /// Runs the commands of a phase and stores the event of each command in `events`. With `recorded`
  /// work that is complete it does only the host's part and updates what differs in the recording.
  void run(Phase& phase, std::vector<EventPtr>& events, RecordedWork* recorded = nullptr);

 private:
  const Stage& stage(int instance) const {
    return *schedule_.cycle.instances[static_cast<std::size_t>(instance)].stage;
  }
  template <class Submit>
  EventPtr submit(BoundCommand& bound, bool is_busy, Submit&& submit);
  void advance_to(int step);
  void set_numbers(SweepTask& task) const;
  void keep_numbers(SweepTask& task) const;
  /// Submits a sweep together with the sweeps that are bundled with it.
  EventPtr bundle(BoundCommand& first);
  SampleMemory& samples_of(const Samples& samples);

  EventPtr run(const Command& command, BoundCommand& bound, const Sweep& sweep);
  EventPtr run(const Command& command, BoundCommand& bound, const BlockedSweeps& pass);
  EventPtr run(const Command& command, BoundCommand& bound, const TakeNumbers& take);
  EventPtr run(const Command& command, BoundCommand& bound, const Fill& fill);
  EventPtr run(const Command& command, BoundCommand& bound, const Copy& copy);
  EventPtr run(const Command& command, BoundCommand& bound, const Post& post);
  EventPtr run(const Command& command, BoundCommand& bound, const Arrive& arrive);
  EventPtr run(const Command& command, BoundCommand& bound, const RankBarrier& barrier);
  EventPtr run(const Command& command, BoundCommand& bound, const DeviceBarrier& barrier);
  EventPtr run(const Command& command, BoundCommand& bound, const Reduce& reduce);
  EventPtr run(const Command& command, BoundCommand& bound, const ScalarStage& scalar);
  EventPtr run(const Command& command, BoundCommand& bound, const BeginSample& begin);
  EventPtr run(const Command& command, BoundCommand& bound, const Sample& sample);
  EventPtr run(const Command& command, BoundCommand& bound, const MoveInPlace& move);
  EventPtr messages(const Command& command, BoundCommand& bound);
  const EventPtr& event(Wait wait) const;

  Domain& domain_;
  const Schedule& schedule_;
  Binder binder_;
  StepClock& clock_;
  TimeSplit& split_;
  std::vector<SampleMemory>& samples_;
  const DeviceNumbers* numbers_;
  /// Where changing numbers of the current command are written; null: nowhere.
  NumberTable* kept_ = nullptr;
  Phase* phase_ = nullptr;
  std::vector<EventPtr>* events_ = nullptr;
  int step_ = 0;  ///< within the cycle
};

}  // namespace goban
