#pragma once
// The one loop that runs commands.

#include <vector>

#include "goban/domain/engine/bound_commands.hpp"
#include "goban/domain/engine/device_numbers.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/domain/engine/recorded_cycles.hpp"

namespace goban {

class SampleMemory;
class Samples;

/// Submits commands to executors and does what is the host's; the clock moves with the steps.
class CommandRunner {
 public:
  /// `numbers`: those that the executor, the only one, keeps in its memory; null: the host does.
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

  /// Runs the commands of a phase. `events`: what they are afterwards. If recorded work is
  /// complete, only what the host does is done, and the work is told what is not as it was.
  void run(Phase& phase, std::vector<EventPtr>& events, RecordedWork* recorded = nullptr);

 private:
  const Stage& stage(int instance) const {
    return *schedule_.cycle.instances[static_cast<std::size_t>(instance)].stage;
  }
  template <class Submit>
  EventPtr submit(BoundCommand& bound, bool is_busy, Submit&& submit);
  void advance_to(int step);
  void set_numbers(SweepTask& task, Executor& executor) const;
  void keep_numbers(SweepTask& task, Executor& executor) const;
  /// The sweep and those that are submitted with it.
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
  ChangingNumbers* kept_ = nullptr;  ///< numbers of the command at hand that change
  Phase* phase_ = nullptr;
  std::vector<EventPtr>* events_ = nullptr;
  int step_ = 0;  ///< within the cycle
};

}  // namespace goban
