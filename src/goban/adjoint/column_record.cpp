#include "goban/adjoint/column_record.hpp"

#include <algorithm>

#include "goban/stencil/graph/branches.hpp"

namespace goban::detail {
namespace {

ColumnRecord::Sweep record_of(const RecordedSweep& recorded) {
  if (!recorded.graph) return {GraphArithmetic(Graph()), {}};
  GraphArithmetic graph(without_branches(*recorded.graph, recorded.footprint));
  std::vector<int> roots = graph.graph().branches().front().outputs;
  return {std::move(graph), std::move(roots)};
}

}  // namespace

std::vector<int> ColumnRecord::Sweep::needed_for(const std::set<int>& outputs) const {
  std::vector<int> wanted;
  for (const int n : outputs) {
    if (assigns(n)) wanted.push_back(roots[static_cast<std::size_t>(n)]);
  }
  return graph.graph().needed_for(wanted);
}

ColumnRecord::ColumnRecord(const StepSweep& sweep)
    : forward(record_of(sweep.stage->columns->forward)),
      backward(record_of(sweep.stage->columns->backward)) {
  const ColumnSweeps& columns = *sweep.stage->columns;
  outputs = (columns.forward.graph ? columns.forward : columns.backward).footprint.outputs;
  for (std::size_t n = 0; n < sweep.arguments.size(); ++n) {
    if (sweep.arguments[n].kind != StageArgument::Kind::scratch) continue;
    scratch = static_cast<int>(n);
    scratch_description = sweep.stage->footprint.parameters[n];
  }
}

bool ColumnRecord::is_scratch(int output) const {
  return outputs[static_cast<std::size_t>(output)].parameter == scratch;
}

ColumnRead ColumnRecord::read(const Sweep& by, const GraphNode& leaf) const {
  using Kind = ColumnRead::Kind;
  if (leaf.op != GraphOp::read) return {};
  const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const Output& output) {
    return output.parameter == leaf.data[0] && output.component == leaf.data[1];
  });
  if (found == outputs.end()) return {};
  const auto output = static_cast<int>(found - outputs.begin());
  if (is_scratch(output)) return {leaf.data[5] != 0 ? Kind::before : Kind::level, output};
  const bool is_handed_over = &by == &backward && forward.assigns(output);
  return is_handed_over ? ColumnRead{Kind::level, output} : ColumnRead{};
}

std::set<int> ColumnRecord::outputs_read(const Sweep& by, ColumnRead::Kind kind) const {
  std::set<int> all, found;
  for (std::size_t n = 0; n < outputs.size(); ++n) all.insert(static_cast<int>(n));
  for (const int n : by.needed_for(all)) {
    const ColumnRead one = read(by, by.graph.node(n));
    if (one.output >= 0 && one.kind == kind) found.insert(one.output);
  }
  return found;
}

IsWanted ColumnRecord::is_derived(const Sweep& by, const std::set<int>& active,
                                  const IsWanted& is_wanted) const {
  return [this, &by, &active, &is_wanted](const GraphNode& leaf) {
    const ColumnRead one = read(by, leaf);
    return one.kind == ColumnRead::Kind::field ? is_wanted(leaf) : active.count(one.output) > 0;
  };
}

std::set<int> ColumnRecord::active(const IsWanted& is_wanted) const {
  std::set<int> active;
  std::size_t known = 0;
  do {
    known = active.size();
    for (const Sweep* by : {&forward, &backward}) {
      const IsWanted is_such = is_derived(*by, active, is_wanted);
      for (int n = 0; n < static_cast<int>(outputs.size()); ++n) {
        if (depends(*by, n, is_such)) active.insert(n);
      }
    }
  } while (active.size() > known);
  return active;
}

bool ColumnRecord::depends(const Sweep& by, int output, const IsWanted& is_such) {
  if (!by.assigns(output)) return false;
  const std::vector<int> needed = by.needed_for({output});
  return std::any_of(needed.begin(), needed.end(), [&](int n) {
    const GraphNode& node = by.graph.node(n);
    return is_leaf(node) && by.graph.is_floating(n) && is_such(node);
  });
}

}  // namespace goban::detail
