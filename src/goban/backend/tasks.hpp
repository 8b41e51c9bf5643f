#pragma once
// The tasks that executors get, and the events by which they tell that work is done.

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "goban/backend/kernel_call.hpp"
#include "goban/boundary/boundary.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

class Executor;

/// A counter that only grows.
using Counter = std::atomic<std::uint64_t>;

/// Tells that work of the host is done when a counter has reached a number.
struct HostCount {
  /// It has a page of memory to itself, so that the page can be opened to devices.
  struct alignas(4096) Cell {
    Counter value{0};
  };
  static std::shared_ptr<Cell> make_cell() { return std::make_shared<Cell>(); }
  std::shared_ptr<Cell> cell;
  std::uint64_t number = 0;
};

/// Tells when submitted work is done.
class Event {
 public:
  virtual ~Event();
  /// Waits until the work is done.
  virtual void wait() = 0;
  /// Returns the counter by which devices wait for work of the host, without its help. Returns
  /// nothing if a device does the work.
  virtual std::optional<HostCount> host_count() const { return std::nullopt; }
  /// Returns a counter of the replays in which the recorded work was done, for executors of another
  /// kind that record together with this one. The counter lies on pages of memory of its own.
  /// Returns null if the work is not recorded.
  virtual std::shared_ptr<Counter> replay_count() { return nullptr; }
  /// Returns when the work was done, by the host's clock. May be called when it is done, for
  /// executors whose EventTimes::keep_times() was called.
  virtual std::chrono::steady_clock::time_point completed() const;
};
using EventPtr = std::shared_ptr<Event>;

/// The queue that work goes to, and what it waits for.
struct Submission {
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits = {};
  int patch = -1;   ///< for traces; -1 if there are several
  Index step = -1;  ///< for traces; -1 if there is none
  /// The number of work that changes of a recording will refer to; -1 if it never changes.
  int recorded_as = -1;
};

/// Fills ghost cells of one component at one side of the grid by a boundary condition.
struct FillTask {
  FieldBinding field;  ///< where the component lies; read and write point to the same memory
  int component = 0;
  ElementType type = ElementType::float32;
  std::array<int, 3> order{0, 1, 2};
  BoundaryCondition condition;
  Box box;  ///< the local ghost cells, and for face fields the face on the wall
  int axis = 0;
  Side side = Side::low;
  Index cells = 0;  ///< the local index of the wall on the high side
  bool staggered = false;
  Index inside = 0;    ///< the number of values along the axis that lie inside and are owned
  double spacing = 1;  ///< the grid's spacing along the axis, in its length unit
  Index3 first{};      ///< the global index of local cell (0, 0, 0)
  Index3 period{};     ///< the cells after which global indices repeat; 0 if they do not
  Real3 origin{};      ///< the position of the value at global index (0, 0, 0)
  Real3 spacings{1, 1, 1};
  double time = 0;
};

/// Copies a box of one component from one patch's memory to another's.
struct CopyTask {
  FieldBinding source, target;  ///< where the component lies
  ElementType type = ElementType::float32;
  std::array<int, 3> order{0, 1, 2};
  Box source_box, target_box;
  /// Unless null, only these cells are copied, along the axis that is fastest in memory; the boxes
  /// count positions in this list.
  std::shared_ptr<const CellNumbers> cells{};
};

/// Runs one stage over one box of a patch.
struct SweepTask {
  std::shared_ptr<const Stage> stage;
  std::vector<FieldBinding> fields;  ///< per argument
  std::vector<double> values;        ///< per argument
  /// One per argument: the address of its value in the executor's memory; null if it is in
  /// `values`. Empty if all are.
  std::vector<const double*> numbers;
  /// Keeps the memory of these numbers and of the site's.
  std::shared_ptr<const std::byte> kept_numbers;
  FieldBinding mask;
  SiteInfo site;
  Box box;
  std::array<int, 3> order{0, 1, 2};  ///< the memory order of the fields
  Reducer* reducer = nullptr;
  double* result = nullptr;  ///< if not null, the reduction goes here, in the executor's memory
  std::vector<FillTask> edge_fills;   ///< ghosts along x of the rows it writes, to be made while
  std::vector<CopyTask> edge_copies;  ///< these are in cache; for executors that work in order
  /// Copies of what it writes into halos, also those of other patches.
  std::vector<CopyTask> sends;
};

/// Computes a scalar stage whose numbers lie in the executor's memory.
struct ScalarTask {
  std::shared_ptr<const Stage> stage;
  std::vector<double*> numbers;  ///< one per parameter
};

/// Runs several steps of a patch as one pass through memory (temporal blocking). Each step reads
/// what earlier ones wrote. It is BlockedSweeps with pointers.
struct PassTask {
  /// Copies values of a version into a sample.
  struct Take {
    int version = 0, component = 0;
    CopyTask copy;  ///< complete except for its source, which is where the version lies
  };
  struct Step {
    SweepTask sweep;         ///< its box covers all cells that the written versions are to hold
    std::vector<Box> parts;  ///< the boxes that it updates, reduces or samples
    std::vector<int> reads, writes;  ///< one per argument: the version, or -1
    /// One per argument: the version whose cells it keeps where it writes none, or -1.
    std::vector<int> keeps;
    int mask = -1;  ///< the version of its mask, or -1
    /// The ghosts that are filled, in order, from what this step writes.
    std::vector<FillTask> fills;
    std::vector<int> fill_version;
    std::vector<int> fill_component;
    std::vector<Take> takes;
  };
  struct VersionInfo {
    FieldBinding memory;  ///< where it lies; unused on devices if it lives only between steps
    ElementType type = ElementType::float32;
    int components = 1;
    bool held = false;  ///< it lies in memory before the pass
    bool kept = false;  ///< it must lie in memory after the pass
    Box owned;          ///< the local owned cells, which are kept
    Box cells;          ///< the local cells that may have values
    Box allocated;      ///< the local cells that have memory
    Extents need;
  };
  std::vector<Step> steps;
  std::vector<VersionInfo> versions;
};

}  // namespace goban
