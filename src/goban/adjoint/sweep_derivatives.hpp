#pragma once
// What a sweep adds to adjoint fields and numbers, as nodes of a graph.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/mirrored_ends.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

/// Derivatives with respect to a parameter: what sums over all cells and steps.
using AdjointNumbers = std::map<std::shared_ptr<ParameterRecord>, std::shared_ptr<ParameterRecord>>;

/// What the sweep adds to the adjoint of a component of a field, as a factor of each read.
struct Contribution {
  std::array<int, 3> offset{};
  Terms terms{};
};

/// The same of all components of a field.
struct FieldContributions {
  FieldPointer field;
  std::map<int, std::vector<Contribution>> of_component{};
  ReadsOfField reads{};
};

/// The graph is that of the functor and, behind it, what is made of it; parameters are those of the
/// functor and, behind them, adjoint fields.
struct SweepDerivatives {
  GraphArithmetic graph;
  std::vector<StageArgument> parameters;
  std::vector<FieldContributions> local{}, gathered{};  ///< see ReadsOfField::are_local
  /// Nodes that are summed: over the places of each kind that the sweep computes at.
  std::map<std::shared_ptr<ParameterRecord>, std::map<Location, int>> of_parameter{};
  std::set<int> direct{};  ///< nodes that are values of adjoint fields which stay as they are
  std::set<int> kept{};    ///< nodes that are values of fields which nobody writes meanwhile
  std::vector<std::shared_ptr<Stage>> stages{};  ///< that compute what is kept
  std::vector<StageArgument> made{};             ///< fields that they write, in cells of the sweep

  int add_parameter(const StageArgument& argument);
  /// The value of an adjoint field, or of one that is like these.
  int read(int parameter, const FieldRecord& field, int component,
           const std::array<int, 3>& offset = {});
};

/// None: nothing that the sweep writes has an adjoint other than 0. `zero`: adjoint fields that are
/// to be taken for 0; `active`: fields that derivatives are wanted of.
std::optional<SweepDerivatives> derivatives_of(const StepSweep& sweep, AdjointFields& fields,
                                               const AdjointNumbers& numbers,
                                               const std::set<const FieldRecord*>& zero,
                                               const FieldSet& active);
/// The same of a reduction, whose sum has this adjoint; null: 1.
SweepDerivatives derivatives_of_sum(const StepSweep& sweep, AdjointFields& fields,
                                    const AdjointNumbers& numbers,
                                    const std::set<const FieldRecord*>& zero,
                                    const FieldSet& active,
                                    const std::shared_ptr<ParameterRecord>& adjoint);
/// The same of the sum of what the sweep returns times a component of a field that nobody writes
/// meanwhile.
SweepDerivatives derivatives_of_weighted(const StepSweep& sweep, AdjointFields& fields,
                                         const AdjointNumbers& numbers,
                                         const std::set<const FieldRecord*>& zero,
                                         const FieldSet& active, const StageArgument& weight,
                                         int component);

}  // namespace goban::detail
