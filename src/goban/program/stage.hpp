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
#include "goban/field/record.hpp"
#include "goban/grid/index_map.hpp"
#include "goban/program/parameter.hpp"
#include "goban/stencil/graph/footprint.hpp"
#include "goban/stencil/graph/recorded_sweep.hpp"
#include "goban/stencil/parameters.hpp"

namespace goban {

class Program;
class Samples;
struct Solve;

enum class Reduction : std::uint8_t { sum, minimum, maximum };

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

/// A value of a neighbour that a sweep over a list of active cells finds by a table.
struct ListRead {
  int parameter = 0, component = 0;
  std::array<int, 3> offset{};
  auto operator<=>(const ListRead&) const = default;
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
  Footprint footprint;
  std::shared_ptr<const Graph> graph;  ///< what the functor computes
  std::optional<Box> region;           ///< global cells; default: all
  std::shared_ptr<FieldRecord> mask;
  /// Fields that the functors of a fused stage make for each other.
  std::vector<Handover> handovers;
  std::optional<ColumnSweeps> columns;  ///< apply: sweeps these instead of evaluating cells
  /// For stages over a list of active cells: how many cells of others a patch has at most beside
  /// its own, among which it finds all that it reads.
  std::vector<ListRead> list_reads;
  Index list_ghosts = 0;
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
  std::vector<Access> parameter_access;                      ///< compute: how each of these is used
  bool is_check = false;  ///< compute: it writes nothing and fails where something is wrong
  /// Compute: the same as a sweep over one cell, of the values of all parameters, which it stores
  /// as as many fields of double; null where it has not been recorded.
  std::shared_ptr<const Stage> as_sweep;

  // repeat, until
  std::shared_ptr<const Program> body;
  std::shared_ptr<const Program> check;  ///< until: run before each evaluation of the condition
  Index count = 1;                       ///< repeat: times; until: steps between checks
  Index limit = 0;                       ///< until: most steps
  Condition condition;

  /// What this stage and those behind it solve, for who derives it; null: nothing is known. See
  /// mark_solve().
  std::shared_ptr<const Solve> solve;

  bool is_sweep() const { return kind == Kind::apply || kind == Kind::reduce; }
  bool moves() const { return kind == Kind::move; }
  bool is_loop() const { return kind == Kind::repeat || kind == Kind::until; }
  /// Runs a scalar stage; `time`: the simulated time of the step.
  void compute(double time) const { timed_function ? timed_function(time) : function(); }
  /// Whether it overwrites all of its outputs, whatever they held.
  bool covers_everything() const { return !region && !mask; }
};

/// The grid whose cells a stage updates: that of what it writes, else of its first field; null for
/// stages without fields.
std::shared_ptr<GridState> grid_of(const Stage& stage);

/// The map to the grid of what argument `a` of a sweep reads.
IndexMap map_of(const Stage& sweep, std::size_t a);
/// Whether some of what it reads lies on another grid than what it writes.
bool reads_other_grids(const Stage& sweep);

/// The error (ExitCode::diverged) of an `until` whose condition does not hold after so many steps,
/// all that it may have, or as its parameter is NaN.
Error not_converged(const Stage& until, Index steps);

}  // namespace goban
