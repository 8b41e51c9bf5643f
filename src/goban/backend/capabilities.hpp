#pragma once
// The capabilities that executors may have besides sweeps, fills and copies. Each is an interface
// that an executor offers or not; see Executor::recorder() and the functions below it.

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

/// Work that was recorded once and can be replayed.
class Recording {
 public:
  virtual ~Recording();
  /// Submits the work as it was recorded, apart from changes. To the host, events of recorded work
  /// mean the latest replay, for which it may wait.
  virtual void replay() = 0;
  /// Between these two calls, work that is submitted to its executors is not done. From the next
  /// replay on it takes the place of the recorded work with its number (Submission::recorded_as),
  /// from which it may differ only in numbers and addresses.
  virtual void begin_changes() = 0;
  virtual void end_changes() = 0;
};

/// Records work, to replay it later with one call.
class Recorder {
 public:
  virtual ~Recorder();
  /// Work that is submitted between these two calls to `all`, executors of one kind with this one
  /// among them, is recorded and not run. Nothing else may be under way but replays. Work that
  /// executors of other kinds record at the same time is waited for by its Event::replay_count().
  virtual void begin_recording(const std::vector<Executor*>& all) = 0;
  virtual std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all) = 0;
};

/// Tells when a loop that a device repeats by itself ends: when a number is below a bound, or above
/// it, or is NaN; after the most rounds; or when an inner loop has had all of its rounds, or NaN,
/// without reaching its bound. All numbers lie in the device's memory.
struct LoopEnd {
  const double* number = nullptr;  ///< the number that is compared; null if only rounds are counted
  bool is_below = true;
  double bound = 0;
  /// The number of rounds so far. It is 0 before a replay, and when an inner loop begins.
  double* rounds = nullptr;
  const double* most_rounds = nullptr;  ///< at least 1
  /// The rounds of an inner loop, over all times that it was entered.
  double* all_rounds = nullptr;
  double* entered = nullptr;  ///< how often an inner loop was entered
  /// 0, or the mark of the first loop that missed its bound; then no loop runs any more rounds.
  double* missed = nullptr;
  double mark = 0;  ///< the mark of this loop; 0 if it may end without reaching its bound
};

/// Runs sweeps with numbers that lie in the executor's memory (Executor::allocate), and repeats
/// loops without the host.
class DeviceLoops {
 public:
  virtual ~DeviceLoops();
  /// Copies at most 64 KiB of numbers to the device. It returns at once, and `from` may then be
  /// changed. Replays submitted before it read the old numbers, those after it the new ones.
  virtual void upload_numbers(const std::shared_ptr<std::byte>& to, const std::byte* from,
                              std::size_t bytes) = 0;
  /// Copies numbers from the device; waits for all work that was submitted before.
  virtual void download_numbers(std::byte* to, const std::shared_ptr<std::byte>& from,
                                std::size_t bytes) = 0;
  /// Computes a scalar stage from numbers in the device's memory.
  virtual EventPtr compute(const ScalarTask& task, const Submission& submission) = 0;
  /// Work that is submitted between these two calls is recorded and not run. It is the body of a
  /// loop; a replay runs all rounds, or one if `end` is null. Nothing else may be under way, and no
  /// recording may be changed meanwhile. A loop that begins within another becomes part of its
  /// body, runs only if its end has not been reached before, and its end_loop() returns null. An
  /// inner loop begins when all work before it is done, and work after it begins when the loop is
  /// done; no event crosses these borders.
  virtual void begin_loop(const LoopEnd* end) = 0;
  virtual std::unique_ptr<Recording> end_loop() = 0;
  /// Drops everything that was recorded since the outermost loop began.
  virtual void abandon_loops() = 0;
};

/// Work that is going to be submitted: a bundle of sweeps (of one or more), a pass, a scalar stage,
/// fills, or copies. Its boxes, fields and the addresses of its numbers are known, but not their
/// values.
using TaskAhead =
    std::variant<const std::vector<const SweepTask*>*, const PassTask*, const ScalarTask*,
                 const std::vector<FillTask>*, const std::vector<CopyTask>*>;

/// Compiles the kernels of work before it is submitted. Without this, kernels are compiled when
/// work first needs them.
class KernelCompiler {
 public:
  virtual ~KernelCompiler();
  /// Compiles all kernels that these tasks need and that are not there yet, in parallel, and
  /// returns when all are there. Throws the errors that submitting the tasks would throw.
  virtual void compile(const std::vector<TaskAhead>& tasks) = 0;
};

/// Runs several sweeps as one; see bundle_sweeps().
class SweepBundles {
 public:
  virtual ~SweepBundles();
  /// Runs all tasks cell by cell: for each cell the tasks in their order, the cells in any order.
  /// This is correct because no task reads from another cell what another task writes there. Then
  /// it makes the tasks' copies into other patches. Tasks that reduce come last, and no field may
  /// be stored in place.
  virtual EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                          const Submission& submission) = 0;
};

/// Runs several steps in one pass through memory.
class TemporalBlocking {
 public:
  using Stages = std::vector<std::shared_ptr<Stage>>;
  virtual ~TemporalBlocking();
  virtual EventPtr pass(const PassTask& task, const Submission& submission) = 0;
  /// Returns why it cannot run this number of steps of these stages in one pass, whatever their
  /// halos are; empty if it can.
  virtual std::string refusal(const Stages& stages, int steps) const = 0;
  /// Returns how many steps per pass may pay; 1 if single sweeps are as fast. `is_cached`: all
  /// fields of a patch fit into a cache of the machine, so that they stay there from step to step.
  virtual int suggested_steps(const Stages& stages, bool is_cached) const = 0;
  /// Returns whether passes may be shorter than usual, as at the end of cycles whose length is no
  /// multiple of the steps per pass.
  virtual bool takes_any_length() const = 0;
};

/// Lets events know when they completed; see Event::completed().
class EventTimes {
 public:
  virtual ~EventTimes();
  /// Must be called before the first submission, and again from time to time while nothing is under
  /// way, because clocks of devices drift away from the host's.
  virtual void keep_times() = 0;
};

/// One queue of one executor, and the work, also of other executors, that everything submitted to
/// it from now on waits for.
struct QueueWait {
  Executor* executor = nullptr;
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits;
};

/// Lets queues of several executors of its kind wait for each other at once, instead of event by
/// event.
class DeviceBarriers {
 public:
  virtual ~DeviceBarriers();
  /// Lets queues wait for each other. No queue waits for work that is submitted later.
  virtual void meet(const std::vector<QueueWait>& all) = 0;
};

/// Lets devices read and write memory of the host.
class HostReach {
 public:
  virtual ~HostReach();
  /// Lets devices access memory of the host for as long as the result lives; returns null where
  /// they always may. Throws an Error (ExitCode::resources) if the memory cannot be pinned.
  virtual std::shared_ptr<void> reach(std::byte* memory, std::size_t bytes) = 0;
};

/// The values of one component of a field on one patch, in a device's memory.
struct DeviceCells {
  const std::byte* origin = nullptr;  ///< address of local cell (0, 0, 0)
  ElementType type = ElementType::float32;
  std::array<Index, 3> stride{};  ///< elements between neighbours, per grid axis
  Box box;                        ///< local cells
  Index first = 0;  ///< the number of local cell (0, 0, 0) among all values of the field
  /// The distance of a value's number to its neighbour's, per grid axis.
  std::array<Index, 3> step{};
};

/// The memory of a device, on which the host cannot work itself. Calls return when they are done
/// unless they say otherwise.
class DeviceMemory {
 public:
  virtual ~DeviceMemory();
  /// Measures the bandwidth of a copy within the memory, in bytes per second; read and written
  /// bytes both count. Takes some milliseconds.
  virtual double copy_bandwidth() = 0;
  /// Looks for NaN and infinity in these values as they are when all work submitted before is done.
  /// Returns at once; work that is submitted later waits for it.
  virtual void look_for_nonfinite(const std::vector<DeviceCells>& all) = 0;
  /// Returns the least number of a value that was found since the last call; all bits are ones if
  /// none was. Waits for submitted work.
  virtual std::uint64_t first_nonfinite() = 0;
  /// Returns the sum over all values of mix(mix(number) ^ bits of the value); see base/mix.hpp.
  virtual std::uint64_t checksum(const DeviceCells& cells) = 0;
  /// Adds all values to `reducer`.
  virtual void reduce(const DeviceCells& cells, Reducer& reducer) = 0;
  /// Returns pinned memory of the host, which copies fast. It is the same memory each time, so that
  /// only one use at a time is possible.
  virtual std::byte* staging(std::size_t bytes) = 0;
  /// Copy bytes from the device to the host, and from the host to the device.
  virtual void download(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void upload(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
};

/// Coordinates the device with work of other libraries on memory that goban has allocated.
class GuestWork {
 public:
  virtual ~GuestWork();
  /// Returns the driver's number of the device.
  virtual int device_number() const = 0;
  /// Returns the stream in which sweeps run, a CUstream.
  virtual void* stream() const = 0;
  /// Work that others put into the stream of sweeps between these two calls runs after all work
  /// submitted before, and before all work submitted later.
  virtual void begin_guest_work() = 0;
  virtual void end_guest_work() = 0;
  /// Calls `work` while the device is the current one of this thread.
  virtual void run_guest(const std::function<void()>& work) = 0;
  /// Lets everything that is put into another CUstream of the device from now on wait for what the
  /// stream of sweeps has.
  virtual void let_wait(void* stream) = 0;
  /// Waits until the device has done everything that anybody has put into any of its streams.
  virtual void await_guests() = 0;
};

/// One end of a path for messages between devices of two processes on one machine. Messages lie in
/// the memory of the receiving device, one at a time. Queues of the two devices wait for each other
/// without a host, so that the work can be recorded (PeerDevices::exchange()).
class PeerPath {
 public:
  enum class End : std::uint8_t { sends, receives };
  virtual ~PeerPath();
  /// Returns what the other end must know to connect; empty if this device cannot be reached.
  virtual std::vector<std::byte> handle() const = 0;
  /// Connects to the other end by its handle. Returns false if that end cannot be reached.
  virtual bool connect(std::span<const std::byte> handle) = 0;
  /// Must be called before the other end is destroyed.
  virtual void disconnect() = 0;
  /// Returns the address of the message for work of this device.
  virtual std::byte* message() const = 0;
};

/// Copies to or from the message of a peer path.
struct MessageTask {
  PeerPath* path = nullptr;
  std::vector<CopyTask> copies;
};

/// A group of devices of several ranks, one of each, whose queues exchange messages without a host
/// (NCCL). A member must not leave it before all have finished with it.
class DeviceGroup {
 public:
  virtual ~DeviceGroup();
};

/// What must be known about a device before it becomes a member.
struct GroupCard {
  std::string refusal;  ///< why it cannot be a member; empty if it can
  std::string device;   ///< names the device; no two members may be the same device
  std::string library;  ///< as "NCCL 2.28.9"; all members must have the same
};

/// A message to or from another member of a group.
struct Transfer {
  PeerPath::End end = PeerPath::End::sends;
  int member = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
};

/// Gives access to the memory of devices of other processes on the same machine, and makes paths
/// between them.
class PeerDevices {
 public:
  virtual ~PeerDevices();
  /// Opens this executor's end of a path for messages of at most `most_bytes` bytes.
  virtual std::unique_ptr<PeerPath> open_path(PeerPath::End end, std::size_t most_bytes) = 0;
  /// Exchanges messages over paths that this executor has opened, each path once. For each it waits
  /// until the message belongs to this end (the previous one was taken, or this one has arrived),
  /// copies, and hands it to the other end.
  virtual EventPtr exchange(const std::vector<MessageTask>& tasks,
                            const Submission& submission) = 0;
  /// Lets the queues at both ends of each of these paths wait for the work that the other end got
  /// before. One call must name all paths that this executor has opened: one after the other they
  /// might wait forever.
  virtual EventPtr meet_over(const std::vector<PeerPath*>& paths, const Submission& submission) = 0;
  /// Returns the handle by which an executor of another process, to which a path leads, can access
  /// this allocation; empty if it cannot.
  virtual std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) = 0;
  /// Returns memory that another executor shares, for work of this one; null if it cannot be
  /// accessed.
  virtual std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) = 0;
};

/// Lets an executor be a member of a group of devices.
class DeviceGrouping {
 public:
  virtual ~DeviceGrouping();
  virtual GroupCard group_card() const = 0;
  /// Returns the invitation that one member gives to all members, itself included.
  virtual std::vector<std::byte> invite_group() = 0;
  /// Joins a group; all members call it at the same time, numbered from 0. Throws an Error
  /// (ExitCode::resources) if the group cannot be made.
  virtual std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                                  int members) = 0;
  /// Exchanges messages, all at once; the work is done when all have arrived at both ends. All
  /// members concerned must submit their messages for each other in one call, and those between two
  /// members in the same order.
  virtual EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                            const Submission& submission) = 0;
};

struct BodyTask;
enum class BodyWork : std::uint8_t;

/// The seconds that bodies take of a step, and those of the whole step; 0 if not known yet.
struct BodyTimes {
  double bodies = 0, step = 0;
};

/// Computes suspended bodies in memory on which the host does not work; see body_task.hpp.
class BodyKernels {
 public:
  virtual ~BodyKernels();
  /// Queues a part of a step and returns at once. Work submitted before it is done first, except
  /// that `repel` may run beside it; work submitted after a `push` waits for it.
  virtual void run(BodyWork work, const BodyTask& task) = 0;
  /// Waits for the latest move and returns whether something is wrong with a body.
  virtual bool has_failed(const BodyTask& task) = 0;
  /// Copies bytes to the device and returns when they are there; later work sees them.
  virtual void put(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies bytes from the device after all work with bodies is done.
  virtual void take(void* to, const void* from, std::size_t bytes) = 0;
  /// Returns the times of the step before the latest. Those of bodies count from where only bodies
  /// have to be waited for.
  virtual BodyTimes times() const = 0;
};

/// The capabilities of an executor; null where it does not offer one.
struct Capabilities {
  Recorder* recorder = nullptr;
  DeviceLoops* loops = nullptr;
  KernelCompiler* compiler = nullptr;
  TemporalBlocking* temporal_blocking = nullptr;
  EventTimes* event_times = nullptr;
  DeviceBarriers* barriers = nullptr;
  HostReach* host_reach = nullptr;  ///< null if devices may always access memory of the host
  DeviceMemory* memory = nullptr;   ///< null: the host works on its memory itself
  GuestWork* guests = nullptr;      ///< null if others work on its memory as the host does
  PeerDevices* peers = nullptr;
  DeviceGrouping* group = nullptr;
  SweepBundles* bundles = nullptr;
  BodyKernels* bodies = nullptr;  ///< null: the host works on its memory itself
};

}  // namespace goban
