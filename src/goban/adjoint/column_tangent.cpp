#include "goban/adjoint/column_tangent.hpp"

#include "goban/adjoint/column_record.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"

namespace goban::detail {
namespace {

using Kind = ColumnRead::Kind;
using Assignments = std::vector<NodeAssignment>;

class ColumnTangent {
 public:
  ColumnTangent(const StepSweep& sweep, const AdjointFields& changes, const IsWanted& is_wanted,
                const std::function<StageArgument(const StageArgument&)>& change_of)
      : sweep_(sweep),
        changes_(changes),
        is_wanted_(is_wanted),
        change_of_(change_of),
        record_(sweep),
        active_(record_.active(is_wanted)),
        parameters_(sweep.arguments) {}

  std::shared_ptr<Stage> make() {
    GraphArithmetic forth = record_.forward.graph, back = record_.backward.graph;
    const Assignments rising = assignments(record_.forward, forth);
    const Assignments falling = assignments(record_.backward, back);
    ParameterDescription scratch = record_.scratch_description;
    scratch.components *= 2;
    const SweepOfNodes sweep = {sweep_.stage->name, nullptr, &parameters_, offset_of(sweep_),
                                field_of(sweep_)};
    return column_stage(sweep, sweep_.stage->columns->axis, scratch, {&forth.graph(), rising},
                        {&back.graph(), falling});
  }

 private:
  const StageArgument& argument(std::int64_t parameter) const {
    return sweep_.arguments[static_cast<std::size_t>(parameter)];
  }
  /// The component of scratch that holds the change of another.
  int beside(std::int64_t component) const {
    return record_.scratch_description.components + static_cast<int>(component);
  }

  int change_of_leaf(GraphArithmetic& graph, const ColumnRecord::Sweep& by, GraphNode leaf) {
    const ColumnRead read = record_.read(by, leaf);
    const bool is_wanted =
        read.kind == Kind::field ? is_wanted_(leaf) : active_.count(read.output) > 0;
    if (!is_wanted) return -1;
    if (read.kind != Kind::field && record_.is_scratch(read.output)) {
      leaf.data[1] = beside(leaf.data[1]);
    } else {
      parameters_.push_back(change_of_(argument(leaf.data[0])));
      leaf.data[0] = static_cast<std::int64_t>(parameters_.size()) - 1;
    }
    return graph.add_node(leaf);
  }

  Assignments assignments(const ColumnRecord::Sweep& by, GraphArithmetic& graph) {
    std::vector<int> outputs, roots;
    for (int n = 0; n < static_cast<int>(record_.outputs.size()); ++n) {
      if (!by.assigns(n)) continue;
      outputs.push_back(n);
      roots.push_back(by.roots[static_cast<std::size_t>(n)]);
    }
    const std::vector<int> changes = forward_derivatives(
        graph, roots, [&](const GraphNode& leaf) { return change_of_leaf(graph, by, leaf); });
    Assignments all;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Output& output = record_.outputs[static_cast<std::size_t>(outputs[i])];
      const StageArgument& written = argument(output.parameter);
      all.push_back({written, output.component, roots[i]});
      const auto change = [&] { return changes[i] < 0 ? graph.number(0, roots[i]) : changes[i]; };
      if (written.field && changes_.knows(written.field)) {
        all.push_back({change_of_(written), output.component, change()});
      } else if (!written.field && active_.count(outputs[i]) > 0) {
        all.push_back({written, beside(output.component), change()});
      }
    }
    return all;
  }

  const StepSweep& sweep_;
  const AdjointFields& changes_;
  const IsWanted& is_wanted_;
  const std::function<StageArgument(const StageArgument&)>& change_of_;
  ColumnRecord record_;
  std::set<int> active_;
  std::vector<StageArgument> parameters_;
};

}  // namespace

std::shared_ptr<Stage> columns_with_changes(
    const StepSweep& sweep, const AdjointFields& changes, const IsWanted& is_wanted,
    const std::function<StageArgument(const StageArgument&)>& change_of) {
  return ColumnTangent(sweep, changes, is_wanted, change_of).make();
}

}  // namespace goban::detail
