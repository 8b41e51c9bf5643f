#pragma once
// The one door between schedules and what executes them.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "goban/boundary/boundary.hpp"
#include "goban/program/schedule.hpp"
#include "goban/program/stage.hpp"

namespace goban {

class Executor;

/// Only grows.
using Counter = std::atomic<std::uint64_t>;

/// Work of the host is done when a counter, which only grows, has reached a number.
struct HostCount {
  /// Alone on its page of memory, so that devices can be let reach it.
  struct alignas(4096) Cell {
    Counter value{0};
  };
  static std::shared_ptr<Cell> make_cell() { return std::make_shared<Cell>(); }
  std::shared_ptr<Cell> cell;
  std::uint64_t number = 0;
};

/// Completion of submitted work.
class Event {
 public:
  virtual ~Event();
  virtual void wait() = 0;
  /// For devices that wait for it without the host; of work that the host does.
  virtual std::optional<HostCount> host_count() const { return std::nullopt; }
  /// Of recorded work, for executors of another kind that record with it: the number of replays in
  /// which it is done, in pages of memory that hold nothing else. Null: it is not recorded.
  virtual std::shared_ptr<Counter> replay_count() { return nullptr; }
  /// When it completed, by the host's clock; once it has, of executors that keep times.
  virtual std::chrono::steady_clock::time_point completed() const;
};
using EventPtr = std::shared_ptr<Event>;

/// Where work goes and what it waits for; an asynchronous executor returns its completion.
struct Submission {
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits;
  int patch = -1;        ///< for traces; -1: several
  Index step = -1;       ///< for traces; -1: none
  int recorded_as = -1;  ///< number of work that a recording will be told of again; -1: it stays
};

/// Ghost cells of one component at one physical boundary.
struct FillTask {
  FieldBinding field;  ///< of the component; read and write are the same memory
  int component = 0;
  ElementType type = ElementType::float32;
  std::array<int, 3> order{0, 1, 2};
  BoundaryCondition condition;
  Box box;  ///< local ghost cells (and the wall face of a face field)
  int axis = 0;
  Side side = Side::low;
  Index cells = 0;  ///< local index of the wall on the high side
  bool staggered = false;
  Index inside = 0;    ///< values along the axis that lie inside and are owned
  double spacing = 1;  ///< along the axis
  Index3 first{};      ///< global index of local cell (0, 0, 0)
  Index3 period{};     ///< cells after which global indices repeat; 0: they do not
  Real3 origin{};      ///< position of the value at global index (0, 0, 0)
  Real3 spacings{1, 1, 1};
  double time = 0;
};

/// A rectangular piece from one patch's memory to another's.
struct CopyTask {
  FieldBinding source, target;  ///< of the component
  ElementType type = ElementType::float32;
  std::array<int, 3> order{0, 1, 2};
  Box source_box, target_box;
};

/// One box of one stage.
struct SweepTask {
  std::shared_ptr<const Stage> stage;
  std::vector<FieldBinding> fields;  ///< per argument
  std::vector<double> values;        ///< per argument
  FieldBinding mask;
  SiteInfo site;
  Box box;
  std::array<int, 3> order{0, 1, 2};  ///< memory order of the fields
  Reducer* reducer = nullptr;
  std::vector<FillTask> edge_fills;   ///< ghosts along x of the rows it writes, to be made while
  std::vector<CopyTask> edge_copies;  ///< these are in cache; for executors that work in order
  std::vector<CopyTask> sends;        ///< of what it writes into halos, of other patches, too
};

/// Several steps of a patch as one pass through cache: the tasks in order, each reading what
/// earlier ones wrote.
struct PassTask {
  /// Values of a version that are sampled.
  struct Take {
    int version = 0, component = 0;
    CopyTask copy;  ///< its source is where the version lies
  };
  struct Step {
    SweepTask sweep;                 ///< its box: all that what it writes is to hold
    std::vector<Box> parts;          ///< what it updates, reduces or samples
    std::vector<int> reads, writes;  ///< version per argument, -1 if none
    std::vector<int> keeps;          ///< what is written starts from this version, -1: from nothing
    int mask = -1;                   ///< version
    std::vector<FillTask> fills;     ///< of what this step writes, after it, in order
    std::vector<int> fill_version;
    std::vector<int> fill_component;
    std::vector<Take> takes;
  };
  struct VersionInfo {
    FieldBinding memory;  ///< where it lives when it is held or kept; unused when only in transit
    ElementType type = ElementType::float32;
    int components = 1;
    bool held = false;  ///< in memory before the pass
    bool kept = false;  ///< must be in memory after the pass
    Box owned;          ///< what is kept: local owned cells
    Box cells;          ///< what may have values
    Box allocated;      ///< local cells in memory
    Extents need;
  };
  std::vector<Step> steps;
  std::vector<VersionInfo> versions;
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
  /// No value is NaN or infinite.
  virtual bool is_finite(const DeviceCells& cells) = 0;
  /// Sum over all values of mix(mix(number) ^ bits of the value); see base/mix.hpp.
  virtual std::uint64_t checksum(const DeviceCells& cells) = 0;
  /// Memory of the host that moves fast; the same each time, so it belongs to one use at a time.
  virtual std::byte* staging(std::size_t bytes) = 0;
  virtual void download(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void upload(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
};

/// One end of a way for messages between devices of two processes of a machine: they lie in the
/// memory of the device that receives, one at a time. Queues wait for each other without a host, so
/// that the work can be recorded (Executor::exchange).
class PeerWay {
 public:
  enum class End : std::uint8_t { sends, receives };
  virtual ~PeerWay();
  /// What the other end needs to know; empty if this device cannot be reached.
  virtual std::vector<std::byte> handle() const = 0;
  /// With the handle of the other end. False: it cannot be reached.
  virtual bool connect(std::span<const std::byte> handle) = 0;
  /// Before the other end goes.
  virtual void disconnect() = 0;
  /// The message, as work of this device sees it.
  virtual std::byte* message() const = 0;
};

/// Copies to or from the message of a way.
struct MessageTask {
  PeerWay* way = nullptr;
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
  PeerWay::End end = PeerWay::End::sends;
  int member = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
};

/// One queue of one executor and work, also of others, that all it gets from now on waits for.
struct Meeting {
  Executor* executor = nullptr;
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits;
};

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

/// What computes a patch: a CPU or one device. Memory it allocates is zeroed.
class Executor {
 public:
  virtual ~Executor();
  virtual std::string name() const = 0;
  /// Executors of one model are equally fast.
  virtual std::string model() const = 0;
  /// It computes beside faster ones and may be left out where that does not pay.
  virtual bool is_helper() const { return false; }
  /// Work is queued; otherwise every call returns when the work is done and events are null.
  virtual bool is_asynchronous() const = 0;
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;
  /// Memory that repeats: bytes i and i + bytes are the same for 0 <= i < bytes, a multiple of
  /// ring_page().
  virtual std::shared_ptr<std::byte> allocate_ring(std::size_t bytes) = 0;
  virtual Index ring_page() const { return 4096; }
  /// While it lives, work may read and write this memory of the host. Null where it always may.
  /// Error (ExitCode::resources): no more memory of the host can be had.
  virtual std::shared_ptr<void> reach(std::byte* memory, std::size_t bytes);
  /// What allocations may still take.
  virtual std::size_t bytes_free() const = 0;
  /// Bytes on whose multiples rows of cells start best.
  virtual Index line() const { return 64; }

  virtual EventPtr sweep(const SweepTask& task, const Submission& submission) = 0;
  virtual EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) = 0;
  virtual EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) = 0;
  /// Runs several steps in one pass through memory; only of as many fields as fields_in_pass().
  virtual EventPtr pass(const PassTask& task, const Submission& submission);
  /// How many fields a pass may renew; 0: there are none.
  virtual int fields_in_pass() const = 0;

  /// Asynchronous executors, before their first submission: events are to know when they completed.
  /// Again now and then while nothing is under way: clocks of devices drift from that of the host.
  virtual void keep_times() {}
  /// Completes when its queue has come that far and what it waits for has completed.
  virtual EventPtr mark(const Submission&) { return nullptr; }
  /// Queues of asynchronous executors of one kind, this one's among them, wait for each other's
  /// work, none for anything that is submitted later.
  virtual void meet(const std::vector<Meeting>& all);

  /// Returns when all submitted work is done.
  virtual void synchronize() = 0;

  /// Whether these may be called: what is submitted to `all`, executors of one kind and this one
  /// among them, between both calls is recorded and not run. Nothing else but replays may be under
  /// way. What other kinds record meanwhile is waited for by its replay_count().
  virtual bool records() const { return false; }
  virtual void begin_recording(const std::vector<Executor*>& all);
  virtual std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all);

  /// Null where there are no such ways.
  virtual std::unique_ptr<PeerWay> open_way(PeerWay::End, std::size_t /*most_bytes*/) {
    return nullptr;
  }
  /// Ways that this executor has opened, each once: waits until their messages are this end's (the
  /// ones before were taken, or they have arrived), copies, and hands them to the other end.
  virtual EventPtr exchange(const std::vector<MessageTask>& tasks, const Submission& submission);
  /// The queues of both ends of each of these ways, which this executor has opened, wait for what
  /// the other got before. All that this executor has: one after the other they might wait forever.
  virtual EventPtr meet_over(const std::vector<PeerWay*>& ways, const Submission& submission);
  /// What an executor of another process that a way leads to needs to know to reach this
  /// allocation; empty if it cannot be reached.
  virtual std::vector<std::byte> share(const std::shared_ptr<std::byte>& /*memory*/) { return {}; }
  /// What another executor shares, for work of this one. Null: it cannot be reached.
  virtual std::shared_ptr<std::byte> open_shared(std::span<const std::byte> /*handle*/) {
    return nullptr;
  }

  virtual GroupCard group_card() const;
  /// What one member gives to all, itself among them, to join with.
  virtual std::vector<std::byte> invite_group();
  /// All members at once, numbered from 0. Error (ExitCode::resources): it cannot be had.
  virtual std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                                  int members);
  /// Messages on their way at once, done when all have arrived, here and there: all members
  /// concerned must submit theirs for each other as one, those between two of them in the same
  /// order.
  virtual EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                            const Submission& submission);

  /// It computes on memory that is not the host's, real or emulated.
  virtual bool has_own_memory() const { return false; }
  /// Null if the host works on the executor's memory itself.
  virtual DeviceMemory* device_memory() { return nullptr; }
  /// Splits [0, n) among the threads that do the host's work on the executor's data.
  virtual void parallel(Index n, const std::function<void(Index begin, Index end)>& work) = 0;
};

}  // namespace goban
