#pragma once
// What a step of a program does to the values of fields, as derivatives need it: its sweeps with
// the fields that they work on, whatever was swapped in between.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/program/program.hpp"
#include "goban/program/solve.hpp"

namespace goban::detail {

/// A sweep of a step, or a scalar stage that computes numbers for sweeps. Its fields are named as
/// they are at the beginning of the step.
struct StepSweep {
  std::shared_ptr<const Stage> stage;
  /// A scalar stage has its parameters here and, behind them, what those that it reads and writes
  /// were.
  std::vector<StageArgument> arguments;
  FieldPointer mask{};
  /// What stages solve, or prepare for solves; `stage` has their name and arguments alone then, and
  /// the equations are sums, Solve::equations.
  std::shared_ptr<const Solve> solve{};
  std::vector<StepSweep> equations{};

  bool covers_everything() const { return stage->covers_everything(); }
  bool computes_numbers() const { return stage->kind == Stage::Kind::compute; }
  /// The field that a field of `solve` is; null: it has none.
  FieldPointer unknown() const { return solve && solve->unknown ? arguments[0].field : nullptr; }
  FieldPointer known() const { return solve && solve->unknown ? arguments[1].field : nullptr; }
  /// Whether it overwrites an argument, whatever this held.
  bool renews(const StageArgument& argument) const {
    return argument.field && argument.access == Access::out && covers_everything();
  }
};

/// Values that a step takes behind so many of its sweeps, of fields named as at its beginning.
struct StepSample {
  std::shared_ptr<Samples> samples;
  std::size_t sweeps_before = 0;
  std::vector<FieldPointer> fields{};
};

/// A stage of a step whose repeats are written out.
struct StepItem {
  std::shared_ptr<Stage> stage;
  int sweep = -1;  ///< its number among the sweeps; -1: it is none
};

struct StepRecord {
  std::vector<StepItem> items;      ///< all that the step does
  std::vector<StepSweep> sweeps;    ///< in their order; those of reductions, too
  std::vector<StepSample> samples;  ///< in their order
  std::map<const ParameterRecord*, std::vector<std::size_t>>
      writers;  ///< the stages that write numbers which its sweeps read
  std::set<const ParameterRecord*> results;  ///< all numbers that it computes
  /// Why there are no derivatives of some of them.
  std::map<const ParameterRecord*, std::string> without_derivative;
  /// Numbers that it hands to the next step, and what holds their last value; see StepNumbers.
  std::vector<std::pair<std::shared_ptr<ParameterRecord>, std::shared_ptr<ParameterRecord>>> handed;
  std::vector<std::shared_ptr<Stage>> follows;  ///< set parameters to functions of the time
  /// What names stand for at the end, by the names of the beginning; others are what they were.
  FieldMap<FieldPointer> renamed;

  FieldPointer at_end(const FieldPointer& name) const {
    const auto found = renamed.find(name);
    return found == renamed.end() ? name : found->second;
  }
  /// Fields that the step overwrites before anything reads them.
  FieldSet overwritten_first() const;
  /// Fields that the step writes, or whose names it exchanges.
  FieldSet changed() const;
};

/// Adds those with which the step exchanges names of `fields`.
void add_renamed(const StepRecord& step, FieldSet& fields);

/// Where in a cell the functor of a sweep is evaluated.
Real3 offset_of(const StepSweep& sweep);

/// Where a sweep computes: at the places of all fields that it writes, or of the first one that a
/// sum reads.
Location location_of(const StepSweep& sweep);

/// Describes a field for values that the sweep computes.
FieldRecord like_of(const StepSweep& sweep);

/// The first field among the arguments of a sweep.
const StageArgument& field_of(const StepSweep& sweep);

/// Whether a field holds numbers that derivatives exist of.
bool is_differentiable(const FieldRecord& field);

/// Error (ExitCode::usage): there are no derivatives of such a program; see docs/gradients.md.
StepRecord record_of(const Program& program);

/// Fields whose values depend on those of `given` at the beginning of some step, before each sweep
/// (and, last, at the end of a step). Parameters of `parameters` are given likewise; numbers that
/// the step computes of what is given are added.
std::vector<FieldSet> dependent_fields(const StepRecord& step, const FieldSet& given,
                                       std::set<std::shared_ptr<ParameterRecord>>& parameters);

}  // namespace goban::detail
