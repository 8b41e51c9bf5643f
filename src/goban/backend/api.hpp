#pragma once
// The one door between schedules and what executes them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/boundary/boundary.hpp"
#include "goban/program/schedule.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// Completion of submitted work.
class Event {
 public:
  virtual ~Event();
  virtual void wait() = 0;
};
using EventPtr = std::shared_ptr<Event>;

/// Where work goes and what it waits for; an asynchronous executor returns its completion.
struct Submission {
  Stream stream = Stream::compute;
  std::vector<EventPtr> waits;
};

/// Ghost cells of one component at one physical boundary.
struct FillTask {
  FieldBinding field;  ///< of the component; read and write are the same memory
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
};

/// Several steps of a patch as one pass through cache: the tasks in order, each reading what
/// earlier ones wrote.
struct PassTask {
  struct Step {
    SweepTask sweep;
    std::vector<int> reads, writes;  ///< version per argument, -1 if none
    std::vector<FillTask> fills;     ///< of what this step writes, after it, in order
    std::vector<int> fill_version;
    std::vector<int> fill_component;
  };
  struct VersionInfo {
    FieldBinding memory;  ///< where it lives when it is held or kept; unused when only in transit
    ElementType type = ElementType::float32;
    int components = 1;
    bool held = false;  ///< in memory before the pass
    bool kept = false;  ///< must be in memory after the pass
    Box owned;          ///< what is kept: local owned cells
    Extents need;
  };
  std::vector<Step> steps;
  std::vector<VersionInfo> versions;
};

/// What computes a patch: a CPU or one device. Memory it allocates is zeroed.
class Executor {
 public:
  virtual ~Executor();
  virtual std::string name() const = 0;
  /// Work is queued; otherwise every call returns when the work is done and events are null.
  virtual bool is_asynchronous() const = 0;
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;

  virtual EventPtr sweep(const SweepTask& task, const Submission& submission) = 0;
  virtual EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) = 0;
  virtual EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) = 0;
  /// Runs the steps through cache and returns true, or false if this executor cannot.
  virtual bool pass(const PassTask& task) = 0;

  /// Returns when all submitted work is done.
  virtual void synchronize() = 0;

  /// Splits [0, n) among the executor's threads for host-side work on its memory.
  virtual void parallel(Index n, const std::function<void(Index begin, Index end)>& work) = 0;
};

}  // namespace goban
