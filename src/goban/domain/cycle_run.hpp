#pragma once
// One execution of one schedule.

#include <deque>
#include <memory>
#include <vector>

#include "goban/domain/domain.hpp"
#include "goban/domain/engine.hpp"
#include "goban/domain/submissions.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

class MessageLayout;
class SampleMemory;

/// Turns the operations of a schedule into tasks with pointers and numbers, submits them, and
/// leaves bindings, halo validity and the clock as they are after the cycle.
class CycleRun {
 public:
  /// `samples`: of the stages that take some.
  CycleRun(Domain& domain, const Slots& slots, const Schedule& schedule, StepClock& clock,
           TimeSplit& split, std::vector<SampleMemory>& samples);

  /// Every operation as it stands in the schedule.
  void in_order();
  /// Sweeps in passes through cache of `steps_per_pass` steps each; the schedule computes ahead.
  void in_passes(int steps_per_pass);
  /// All sweeps that a recording must be told of get numbers, in the order of the schedule.
  void number_sweeps(int& next) { next_number_ = &next; }
  /// Of the cycle, which is about to be replayed, what the host does: scalar stages, the clock, and
  /// telling the recording what is not as it was.
  void change(Recording& recording);

 private:
  Buffer& buffer(int slot) { return domain_.buffer(slots_.field(slot).id); }
  const Instance& instance(int id) const {
    return schedule_.cycle.instances[static_cast<std::size_t>(id)];
  }
  void advance_to(int step);
  void finish();

  void compute(const Operation& op);
  SampleMemory& samples_of(const Operation& op);
  Index begin_record(const Operation& op);
  void sample(const Operation& op);
  void begin_exchange(int id);
  void end_exchange(int id);
  bool is_skipped(int exchange, int item, int axis) const;
  bool is_skipped(const Operation& message) const;
  std::array<ComponentHalo::Constants, 3> constants(const Component& what) const;
  bool is_there(const Operation& fill);
  void begin_sweeps(int id);
  void meet_over_ways();
  std::vector<CopyTask> message_tasks(const Operation& op, MessageLayout& layout);
  std::vector<Touch> message_touches(const Operation& op, const std::vector<CopyTask>& tasks);
  void run_message(const Operation& op, const std::vector<CopyTask>& tasks);
  const HaloWay& way_of(const Operation& message) const;
  std::size_t messages(std::size_t first);
  void send(const Operation& op);
  void receive(const Operation& op);
  std::size_t hand_over(std::size_t first);
  std::size_t by_group(std::size_t first);
  void transfer(std::size_t first);
  HaloPrecision precision() const { return domain_.grid().context->settings().halo_precision; }
  std::size_t rounded(const Operation& op, std::byte* full, std::byte* on_the_way);
  std::size_t copies_and_fills(std::size_t first);
  void sweep(const Operation& op);
  void combine(int instance_id);

  SweepTask sweep_task(int instance_id, int patch, const Box& box);
  void set_changing(SweepTask& task) const;
  FillTask fill_task(const Operation& op);
  CopyTask copy_task(const Operation& op, const Piece& piece);
  void mark(const MadeHalo& made);
  FieldBinding component(int slot, int patch, int component);
  FieldBinding component_of(FieldBinding field, const Component& what) const;

  Domain& domain_;
  const Slots& slots_;
  const Schedule& schedule_;
  StepClock& clock_;
  TimeSplit& split_;
  std::vector<SampleMemory>& samples_;
  Submissions submissions_;
  int step_ = 0;  ///< within the cycle
  int* next_number_ = nullptr;
  /// Messages that the group of devices moves at once: those of an exchange, or of one axis of it.
  struct Phase {
    int exchange = -1, axis = -1;
    bool operator==(const Phase&) const = default;
  };
  Phase phase_of(const Operation& message) const;
  Phase transferred_;  ///< the latest
  /// Per exchange, item and axis: the halo is still valid.
  std::vector<std::vector<std::array<bool, 3>>> skipped_;
  struct Partial {
    int instance;
    std::unique_ptr<Reducer> reducer;
    EventPtr event;
  };
  std::deque<Partial> partials_;
};

}  // namespace goban
