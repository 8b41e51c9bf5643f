#pragma once
// One operation of a program, as data: what it reads and writes, and how to run it.

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/exact_sum.hpp"
#include "goban/base/fetch.hpp"
#include "goban/field/record.hpp"
#include "goban/grid/index_map.hpp"
#include "goban/program/parameter.hpp"
#include "goban/stencil/accessor.hpp"
#include "goban/stencil/footprint.hpp"
#include "goban/stencil/recorded_sweep.hpp"

namespace goban {

class Program;
class Samples;

/// Where the components of a field stored in place lie at a moment.
struct ComponentPlaces {
  const std::byte* memory = nullptr;  ///< the same for all fields that share it
  std::vector<Index> offset;          ///< per component: elements from component 0
  Index moves = 0;                    ///< how often they have moved
};

/// Where a kernel finds one field. Pointers are to component 0 of local cell (0, 0, 0).
struct FieldBinding {
  const std::byte* read = nullptr;
  std::byte* write = nullptr;
  std::array<Index, 3> stride{};                  ///< elements, per grid axis
  Index component_stride = 0;                     ///< elements; of no use with `places`
  std::shared_ptr<const ComponentPlaces> places;  ///< null unless stored in place
  Box clip{};                                     ///< local cells a store may touch
  bool from_memory = false;  ///< too large for the caches: worth fetching ahead
  /// Unless it is the identity: the field lies on another grid, `read` points to global cell (0, 0,
  /// 0) there, and what the functor reads counts from the cell that the one at hand stands for.
  IndexMap map{};

  /// Elements from component 0 to component c.
  Index component_offset(Index c) const {
    return places ? places->offset[static_cast<std::size_t>(c)] : c * component_stride;
  }
};

/// Where a kernel keeps the ends of the rows of one output, cells below low_end and from high_begin
/// on: whole packs, whatever lies beyond the cells to update. Packs below kept_from go to memory as
/// well, those from there on do not: their lines are written when their ghosts are known.
struct RowEndsBinding {
  std::vector<std::byte*> component;  ///< local cell (0, 0, 0); null: to memory as any other cell
  std::array<Index, 3> stride{};      ///< elements, per grid axis
  Index low_end = 0, high_begin = 0;  ///< multiples of 64 bytes
  Index kept_from = 0;                ///< a multiple of 64 bytes
  Index gap = 0;                      ///< elements left out between both ends
};

enum class Reduction : std::uint8_t { sum, minimum, maximum };

/// Accumulates a reduction; sums are exact, so the order of additions is irrelevant. Extrema skip
/// NaN.
struct Reducer {
  Reduction kind = Reduction::sum;
  ExactSum sum;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();

  void add(const double* values, Index n) {
    if (kind == Reduction::sum) return sum.add(values, n);
    for (Index i = 0; i < n; ++i) {
      minimum = std::min(minimum, values[i]);
      maximum = std::max(maximum, values[i]);
    }
  }
  void merge(const Reducer& other) {
    sum.merge(other.sum);
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
  }
  double value() const {
    if (kind == Reduction::sum) return sum.value();
    // Which of several zeros is met first depends on the order: +0 stands for all.
    return (kind == Reduction::minimum ? minimum : maximum) + 0.0;
  }
};

/// Lines of memory to be fetched into the first-level cache beside other work, a few per row.
class RowFetcher {
 public:
  /// `rows` rows of `lines` lines, `stride` bytes apart, `per_call` lines a call.
  RowFetcher(const std::byte* first, Index stride, Index rows, Index lines, Index per_call)
      : row_(first), stride_(stride), rows_(rows), lines_(lines), per_call_(per_call) {}

  void operator()() {
    constexpr Index line = 64;
    for (Index n = 0; n < per_call_ && rows_ > 0; ++n) {
      fetch<CacheLevel::first>(row_ + line * at_);
      if (++at_ < lines_) continue;
      at_ = 0;
      row_ += stride_;
      --rows_;
    }
  }
  bool done() const { return rows_ == 0; }

 private:
  const std::byte* row_;
  Index stride_, rows_, lines_, per_call_;
  Index at_ = 0;
};

/// Where the scratch of columns lies; see stencil/scratch.hpp.
struct ScratchBinding {
  std::byte* memory = nullptr;    ///< component 0 of local cell (0, 0, 0)
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component = 0;            ///< elements to the next component
  Index previous = 0;             ///< elements to the level visited before
};

/// Everything one call of a sweep kernel needs.
struct SweepCall {
  const void* functor = nullptr;
  const FieldBinding* fields = nullptr;  ///< one per argument; unused for site and value arguments
  const double* values = nullptr;        ///< one per argument; used by value arguments
  const FieldBinding* mask = nullptr;    ///< uint8 field: only cells with a nonzero mask are stored
  SiteInfo site{};                       ///< site.index: global index of local cell (0, 0, 0)
  Box box{};                             ///< local cells to update
  Box tile{};                            ///< holds `box`; what calls to come will update too
  bool streaming = false;                ///< results will not be read soon: bypass the caches
  const RowEndsBinding* ends = nullptr;  ///< one per argument
  Reducer* reducer = nullptr;            ///< reductions only
  RowFetcher* fetcher = nullptr;         ///< called once a row
  int column_axis = -1;                  ///< of columns: the one they run along
  const ScratchBinding* scratch = nullptr;  ///< of columns
};
using SweepFunction = void (*)(const SweepCall&);

/// The compiled forms of one functor.
struct SweepKernels {
  SweepFunction pack = nullptr;      ///< widest packs; pack width 1 for a branching functor
  SweepFunction in_cache = nullptr;  ///< the same for data that is in cache already
  SweepFunction between_grids =
      nullptr;                ///< where other grids are read, if the functor is for that
  int pack_width = 1;         ///< cells per pack
  int planes = 1;             ///< planes along the slowest axis that `pack` walks together
  bool walks_groups = false;  ///< `pack` cuts rows to the first-level cache itself
};

/// Makes the kernels of a functor; declared here, defined by the backends. `Signature` is
/// SweepSignature<F, unit axis, parameters...>.
template <class Signature>
struct Launchers {
  static SweepKernels make();
};

template <class F, Axis UnitAxis, class... Parameters>
struct SweepSignature {};
/// The same of a functor that sweeps columns.
template <class F, Axis UnitAxis, class... Parameters>
struct ColumnSignature {};

struct StageArgument {
  enum class Kind : std::uint8_t { field, site, value, scratch };
  Kind kind = Kind::field;
  Access access = Access::in;
  std::shared_ptr<FieldRecord> field;
  std::shared_ptr<GridState> grid;
  std::shared_ptr<ParameterRecord> parameter;

  /// As the program calls it.
  const std::string& name() const {
    static const std::string site = "site", scratch = "scratch";
    return field ? field->name : parameter ? parameter->name : kind == Kind::site ? site : scratch;
  }
};

/// What a stage does that sweeps columns: level after level along an axis, which no patch cuts.
struct ColumnSweeps {
  Axis axis = Axis::z;
  RecordedSweep forward, backward;
};

/// A field that one functor of a fused stage makes for another: made again where it is read.
struct Handover {
  std::string reader;  ///< name of the functor
  std::shared_ptr<FieldRecord> field;
  std::shared_ptr<GridState> grid;
  /// Whose constants are evaluated with it: all components have them.
  std::optional<BoundarySet> walls;
  bool is_stored = false;             ///< others see it, too
  std::array<bool, 3> beside{};       ///< per axis: read at neighbours
  std::array<bool, 3> beyond_ends{};  ///< per axis: read in ghosts, at other cells or end faces
};

struct Stage {
  enum class Kind : std::uint8_t {
    apply,
    reduce,
    permute,
    compute,
    sample,
    call,
    repeat,
    until,
    move  ///< the values of its first field become those of its second, on a grid that is cut anew
  };

  Kind kind = Kind::apply;
  std::string name;

  // apply, reduce, sample
  std::vector<StageArgument> arguments;
  std::shared_ptr<const void> functor;
  Footprint footprint;
  std::shared_ptr<const Graph> graph;  ///< what the functor computes
  bool constant_footprint = true;      ///< the object reads nothing beyond what its type reads
  bool is_optimized = false;           ///< its kernels are, by the compiler
  SweepKernels kernels;
  std::optional<Box> region;  ///< global cells; default: all
  std::shared_ptr<FieldRecord> mask;
  std::vector<Handover> handovers;      ///< of a fused stage
  std::optional<ColumnSweeps> columns;  ///< apply: sweeps these instead of evaluating cells
  Reduction reduction = Reduction::sum;
  std::shared_ptr<ParameterRecord> target;

  // permute: afterwards name i stands for what name i + 1 stood for, the last for the first
  std::vector<std::shared_ptr<FieldRecord>> names;
  std::shared_ptr<GridState> grid;

  std::shared_ptr<Samples> samples;  ///< sample

  // compute, call
  std::function<void()> function;
  std::function<void(double time)> timed_function;  ///< compute: instead, if it asks for the time
  std::vector<std::shared_ptr<FieldRecord>> reads, writes;
  std::vector<std::shared_ptr<ParameterRecord>> parameters;  ///< compute: all it reads or writes

  // repeat, until
  std::shared_ptr<const Program> body;
  std::shared_ptr<const Program> check;  ///< until: run before each evaluation of the condition
  Index count = 1;                       ///< repeat: times; until: steps between checks
  Index limit = 0;                       ///< until: most steps
  Condition condition;

  bool is_sweep() const { return kind == Kind::apply || kind == Kind::reduce; }
  bool moves() const { return kind == Kind::move; }
  bool is_loop() const { return kind == Kind::repeat || kind == Kind::until; }
  /// Of a scalar stage; the simulated time of the step.
  void compute(double time) const { timed_function ? timed_function(time) : function(); }
  /// Overwrites all of its outputs whatever they held.
  bool covers_everything() const { return !region && !mask; }
};

/// The grid whose cells a stage updates: that of what it writes, else of its first field; null for
/// stages without fields.
std::shared_ptr<GridState> grid_of(const Stage& stage);

/// For what argument `a` of a sweep reads.
IndexMap map_of(const Stage& sweep, std::size_t a);
/// Some of what it reads lies on another grid than what it writes.
bool reads_other_grids(const Stage& sweep);

/// The error (ExitCode::diverged) of an `until` whose condition does not hold after so many steps.
Error not_converged(const Stage& until, Index steps);

/// Why a sweep computes one cell at a time, and what would be faster; empty if it does not.
std::string why_one_by_one(const Stage& sweep);

}  // namespace goban
