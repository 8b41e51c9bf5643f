#pragma once
// What executors may be able to do beside sweeps, fills and copies: each is asked for
// (Executor::recorder() and others), and whoever has it says how it is done.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "goban/backend/tasks.hpp"

namespace goban {

/// Work that was recorded once and can be submitted again.
class Recording {
 public:
  virtual ~Recording();
  /// Just as it was, but for what has been changed. Events of recorded work are those of the latest
  /// replay for the host, which may wait for them.
  virtual void replay() = 0;
  /// Between these, work that its executors are given is not done: from the next replay on it takes
  /// the place of what was recorded with its number, which was the same but for numbers and places
  /// in memory.
  virtual void begin_changes() = 0;
  virtual void end_changes() = 0;
};

/// Replays what it was given once.
class Recorder {
 public:
  virtual ~Recorder();
  /// What is submitted to `all`, executors of one kind and this one among them, between both calls
  /// is recorded and not run. Nothing else but replays may be under way. What other kinds record
  /// meanwhile is waited for by its replay_count().
  virtual void begin_recording(const std::vector<Executor*>& all) = 0;
  virtual std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all) = 0;
};

/// When a loop that a device repeats by itself is over: a number has come below a bound, or above
/// it, or is NaN, or there have been so many rounds, or a loop within it has had all of its rounds,
/// or NaN, and its number is not there. All lie in the device's memory.
struct LoopEnd {
  const double* number = nullptr;  ///< null: rounds are counted alone
  bool is_below = true;
  double bound = 0;
  /// The number of rounds so far; 0 before a replay, or when a loop within another begins.
  double* rounds = nullptr;
  const double* most_rounds = nullptr;  ///< at least 1
  /// Rounds of a loop within another, over all times that it ran.
  double* all_rounds = nullptr;
  double* entered = nullptr;  ///< how often a loop within another ran
  /// 0, or the mark of the first loop whose number was not reached: no loop has rounds any more.
  double* missed = nullptr;
  double mark = 0;  ///< the mark of this loop; 0: it may end though its number was not reached
};

/// Sweeps by numbers in its memory (Executor::allocate), and repeats what it was given without the
/// host.
class DeviceLoops {
 public:
  virtual ~DeviceLoops();
  /// Returns at once, `from` may be changed then. Replays before it find the old numbers, those
  /// after it the new ones. Up to 64 KiB.
  virtual void upload_numbers(const std::shared_ptr<std::byte>& to, const std::byte* from,
                              std::size_t bytes) = 0;
  /// Waits for all that was submitted before.
  virtual void download_numbers(std::byte* to, const std::shared_ptr<std::byte>& from,
                                std::size_t bytes) = 0;
  virtual EventPtr compute(const ScalarTask& task, const Submission& submission) = 0;
  /// What is submitted between both calls is recorded and not run: the body of a loop, of which a
  /// replay is all rounds, or just one where nothing says when it ends (null). Nothing else may be
  /// under way; no recording of it is changed. A loop that begins within another becomes part of
  /// its body, has rounds only if its end has not come before, and returns null. Work before such a
  /// loop is done when it begins, and it is when it ends: nothing waits for events of the other
  /// side.
  virtual void begin_loop(const LoopEnd* end) = 0;
  virtual std::unique_ptr<Recording> end_loop() = 0;
  /// Forgets all that was recorded since the first began.
  virtual void abandon_loops() = 0;
};

/// Work that is going to be submitted, a bundle of sweeps or one alone; its boxes, fields and where
/// its numbers lie are known, not their values.
using TaskAhead =
    std::variant<const std::vector<const SweepTask*>*, const PassTask*, const ScalarTask*,
                 const std::vector<FillTask>*, const std::vector<CopyTask>*>;

/// Has kernels compiled when work first needs them, or before.
class KernelCompiler {
 public:
  virtual ~KernelCompiler();
  /// Side by side, all that these tasks need and is not there yet; all is done on return. Error: as
  /// submitting the task would.
  virtual void compile(const std::vector<TaskAhead>& tasks) = 0;
};

/// What an executor offers that runs several sweeps at once.
class SweepBundles {
 public:
  virtual ~SweepBundles();
  /// Runs all tasks for one cell after the other: tasks in their order, cells in any order, as no
  /// task reads from another cell what another task writes there. Then it sends what they send.
  /// Tasks that reduce come last, and no field is stored in place.
  virtual EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                          const Submission& submission) = 0;
};

/// Several steps in one pass through memory.
class TemporalBlocking {
 public:
  using Stages = std::vector<std::shared_ptr<Stage>>;
  virtual ~TemporalBlocking();
  virtual EventPtr pass(const PassTask& task, const Submission& submission) = 0;
  /// Why it cannot compute so many steps of these stages in one pass, whatever their halos; empty:
  /// it can.
  virtual std::string refusal(const Stages& stages, int steps) const = 0;
  /// How many steps may pay; 1: single sweeps are as fast. `is_cached`: what a
  /// patch is computed from stays in some cache of the machine from step to step.
  virtual int suggested_steps(const Stages& stages, bool is_cached) const = 0;
  /// Cycles whose length is no multiple of the pass end in a shorter one.
  virtual bool takes_any_length() const = 0;
};

/// What an executor offers whose events know when they completed.
class EventTimes {
 public:
  virtual ~EventTimes();
  /// Before the first submission; again now and then while nothing is under way: clocks of devices
  /// drift from that of the host.
  virtual void keep_times() = 0;
};

/// One queue of one executor and work, also of others, that all it gets from now on waits for.
struct QueueWait {
  Executor* executor = nullptr;
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits;
};

/// Queues of several executors of its kind wait for each other at once, not for event after event.
class DeviceBarriers {
 public:
  virtual ~DeviceBarriers();
  /// Lets queues wait for each other; none waits for anything that is submitted later.
  virtual void meet(const std::vector<QueueWait>& all) = 0;
};

/// While it lives, work may read and write this memory of the host.
class HostReach {
 public:
  virtual ~HostReach();
  /// Lets devices reach memory of the host while the result lives; null where they always may.
  /// Error (ExitCode::resources): no more memory of the host can be had.
  virtual std::shared_ptr<void> reach(std::byte* memory, std::size_t bytes) = 0;
};

/// Values of one component in a device's memory.
struct DeviceCells {
  const std::byte* origin = nullptr;  ///< local cell (0, 0, 0)
  ElementType type = ElementType::float32;
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Box box;                        ///< local cells
  Index first = 0;                ///< number of local cell (0, 0, 0) among all values of the field
  std::array<Index, 3> step{};    ///< from a value's number to those of its neighbours
};

/// Memory of a device, which the host cannot work on itself. Calls return when the bytes have
/// moved.
class DeviceMemory {
 public:
  virtual ~DeviceMemory();
  /// Bytes per second of a copy within it, those read and those written counted; takes a moment.
  virtual double copy_bandwidth() = 0;
  /// Returns at once: looks for NaN and infinity in these values as they are when all that was
  /// submitted before is done; what is submitted later waits.
  virtual void look_for_nonfinite(const std::vector<DeviceCells>& all) = 0;
  /// The least number of a value that was found since the last call; all ones: none was. Waits for
  /// what was submitted.
  virtual std::uint64_t first_nonfinite() = 0;
  /// Sum over all values of mix(mix(number) ^ bits of the value); see base/mix.hpp.
  virtual std::uint64_t checksum(const DeviceCells& cells) = 0;
  /// Adds all values to a reducer.
  virtual void reduce(const DeviceCells& cells, Reducer& reducer) = 0;
  /// Memory of the host that moves fast; the same each time, so it belongs to one use at a time.
  virtual std::byte* staging(std::size_t bytes) = 0;
  virtual void download(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void upload(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
};

/// One end of a way for messages between devices of two processes of a machine: they lie in the
/// memory of the device that receives, one at a time. Queues wait for each other without a host, so
/// that the work can be recorded (PeerDevices::exchange).
class PeerPath {
 public:
  enum class End : std::uint8_t { sends, receives };
  virtual ~PeerPath();
  /// What the other end needs to know; empty if this device cannot be reached.
  virtual std::vector<std::byte> handle() const = 0;
  /// Connects with the other end by its handle. False: it cannot be reached.
  virtual bool connect(std::span<const std::byte> handle) = 0;
  /// To be called before the other end goes.
  virtual void disconnect() = 0;
  /// The message, as work of this device sees it.
  virtual std::byte* message() const = 0;
};

/// Copies to or from the message of a way.
struct MessageTask {
  PeerPath* path = nullptr;
  std::vector<CopyTask> copies;
};

/// Devices, one of each of several ranks, whose queues exchange messages without a host. A member
/// leaves it when all have done with it.
class DeviceGroup {
 public:
  virtual ~DeviceGroup();
};

/// What must be known of a device that is to be a member.
struct GroupCard {
  std::string refusal;  ///< why it cannot be; empty: it can
  std::string device;   ///< no two members have the same
  std::string library;  ///< all have the same, "NCCL 2.28.9"
};

/// A message to or from another member of a group.
struct Transfer {
  PeerPath::End end = PeerPath::End::sends;
  int member = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
};

/// Memory of devices of other processes of a machine, and ways between them.
class PeerDevices {
 public:
  virtual ~PeerDevices();
  virtual std::unique_ptr<PeerPath> open_path(PeerPath::End end, std::size_t most_bytes) = 0;
  /// Ways that this executor has opened, each once: waits until their messages are this end's (the
  /// ones before were taken, or they have arrived), copies, and hands them to the other end.
  virtual EventPtr exchange(const std::vector<MessageTask>& tasks,
                            const Submission& submission) = 0;
  /// The queues of both ends of each of these ways, which this executor has opened, wait for what
  /// the other got before. All that this executor has: one after the other they might wait forever.
  virtual EventPtr meet_over(const std::vector<PeerPath*>& paths, const Submission& submission) = 0;
  /// What an executor of another process that a way leads to needs to know to reach this
  /// allocation; empty if it cannot be reached.
  virtual std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) = 0;
  /// What another executor shares, for work of this one. Null: it cannot be reached.
  virtual std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) = 0;
};

/// What an executor offers that may be a member of groups of devices.
class DeviceGrouping {
 public:
  virtual ~DeviceGrouping();
  virtual GroupCard group_card() const = 0;
  /// What one member gives to all, itself among them, to join with.
  virtual std::vector<std::byte> invite_group() = 0;
  /// All members at once, numbered from 0. Error (ExitCode::resources): it cannot be had.
  virtual std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                                  int members) = 0;
  /// Messages on their way at once, done when all have arrived, here and there: all members
  /// concerned must submit theirs for each other as one, those between two of them in the same
  /// order.
  virtual EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                            const Submission& submission) = 0;
};

struct BodyTask;
namespace device {
struct BodyPush;
}

/// Has nodes that bodies see, in memory that the host cannot work on: body_task.hpp.
class BodyKernels {
 public:
  virtual ~BodyKernels();
  /// Adds device::body_sums integers of each body to `sums`, of the host's memory. Waits for what
  /// was submitted before, returns when they are there.
  virtual void add_sums(const BodyTask& task, std::int64_t* sums) = 0;
  /// Fields of forces become what bodies do to nodes, counted in `unit`. Returns at once; what is
  /// submitted later waits.
  virtual void push(const BodyTask& task, const device::BodyPush* pushes, double unit) = 0;
};

/// What an executor offers; null: it does not.
struct Capabilities {
  Recorder* recorder = nullptr;
  DeviceLoops* loops = nullptr;
  KernelCompiler* compiler = nullptr;
  TemporalBlocking* temporal_blocking = nullptr;
  EventTimes* event_times = nullptr;
  DeviceBarriers* barriers = nullptr;
  HostReach* host_reach = nullptr;  ///< null: it always may
  DeviceMemory* memory = nullptr;   ///< null: the host works on its memory itself
  PeerDevices* peers = nullptr;
  DeviceGrouping* group = nullptr;
  SweepBundles* bundles = nullptr;
  BodyKernels* bodies = nullptr;  ///< null: the host works on its memory itself
};

}  // namespace goban
