#pragma once
// What executors are given to do, and its completion.

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
  /// The count of the host by which devices wait for its work without it; nothing: a device does
  /// the work.
  virtual std::optional<HostCount> host_count() const { return std::nullopt; }
  /// For executors of another kind that record with this one: counts the replays in which the
  /// recorded work is done, in pages of memory that hold nothing else. Null: the work is not
  /// recorded.
  virtual std::shared_ptr<Counter> replay_count() { return nullptr; }
  /// When the work was completed, by the host's clock; asked once it is, of executors that keep
  /// times.
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
  FieldBinding field;  ///< where the component lies; read and write are the same memory
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
  FieldBinding source, target;  ///< where the component lies
  ElementType type = ElementType::float32;
  std::array<int, 3> order{0, 1, 2};
  Box source_box, target_box;
  /// Unless null, these cells, along the axis that is fastest in memory; the boxes count them.
  std::shared_ptr<const CellNumbers> cells{};
};

/// One box of one stage.
struct SweepTask {
  std::shared_ptr<const Stage> stage;
  std::vector<FieldBinding> fields;  ///< per argument
  std::vector<double> values;        ///< per argument
  /// Per argument: where its value lies in the executor's memory, null: in `values`; empty: none.
  std::vector<const double*> numbers;
  std::shared_ptr<const std::byte> kept_numbers;  ///< keeps them, and the site's
  FieldBinding mask;
  SiteInfo site;
  Box box;
  std::array<int, 3> order{0, 1, 2};  ///< memory order of the fields
  Reducer* reducer = nullptr;
  double* result = nullptr;           ///< where a reduction goes, in the executor's memory, instead
  std::vector<FillTask> edge_fills;   ///< ghosts along x of the rows it writes, to be made while
  std::vector<CopyTask> edge_copies;  ///< these are in cache; for executors that work in order
  /// Copies of what it writes into halos, those of other patches, too.
  std::vector<CopyTask> sends;
};

/// A scalar stage whose numbers lie in the executor's memory.
struct ScalarTask {
  std::shared_ptr<const Stage> stage;
  std::vector<double*> numbers;  ///< per parameter
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
    /// Ghosts that are filled after this step from what it writes, in order.
    std::vector<FillTask> fills;
    std::vector<int> fill_version;
    std::vector<int> fill_component;
    std::vector<Take> takes;
  };
  struct VersionInfo {
    FieldBinding memory;  ///< where it lives; of no use to devices when only in transit
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

}  // namespace goban
