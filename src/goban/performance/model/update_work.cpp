#include "goban/performance/model/update_work.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "goban/stencil/graph/graph.hpp"

namespace goban {
namespace {

/// A mathematical function is made of about as many operations.
constexpr double operations_of_function = 20;
/// So is a division or a root.
constexpr double operations_of_division = 10;

bool is_function(GraphOp op) { return op >= GraphOp::cbrt && op <= GraphOp::atan2; }

double operations_of(GraphOp op) {
  switch (op) {
    case GraphOp::constant:
    case GraphOp::read:
    case GraphOp::gather:
    case GraphOp::neighbor:
    case GraphOp::value:
    case GraphOp::walled:
    case GraphOp::within: return 0;
    case GraphOp::divide:
    case GraphOp::reciprocal:
    case GraphOp::sqrt: return operations_of_division;
    default: return is_function(op) ? operations_of_function : 1;
  }
}

/// The operations on floating-point numbers, for what differs from cell to cell.
double operations_of(const Graph& graph) {
  double operations = 0;
  for (const GraphNode& node : graph.nodes()) {
    const GraphType& type = node.type;
    if (type.kind == GraphType::Kind::floating && type.varies) operations += operations_of(node.op);
  }
  return operations;
}

Arithmetic arithmetic_of(const Stage& stage) {
  for (const StageArgument& argument : stage.arguments) {
    if (argument.field && argument.field->type == ElementType::float64) {
      return Arithmetic::double_precision;
    }
  }
  return Arithmetic::single_precision;
}

/// What is read of each component beside one value of it.
double reads_around(const Footprint& footprint, std::size_t fast, bool is_gpu) {
  std::set<std::pair<int, int>> components;
  double reads = 0;
  for (const Read& read : footprint.reads) {
    components.insert({read.parameter, read.component});
    reads += !is_gpu && read.offset[fast] != 0 ? 2 : 1;
  }
  return reads - static_cast<double>(components.size());
}

std::size_t fast_axis_of(const Stage& stage) {
  for (const StageArgument& argument : stage.arguments) {
    if (argument.field) return static_cast<std::size_t>(argument.field->order[0]);
  }
  return static_cast<std::size_t>(ijk::order[0]);
}

}  // namespace

Arithmetic kind_of_reads(const Stage& stage) {
  const auto reads = [&](ElementType type) {
    return std::any_of(stage.arguments.begin(), stage.arguments.end(),
                       [&](const auto& it) { return it.field && it.field->type == type; });
  };
  if (reads(ElementType::float64)) return Arithmetic::double_precision;
  const bool has_floats = reads(ElementType::float32) || reads(ElementType::half);
  return has_floats ? Arithmetic::single_precision : Arithmetic::integer;
}

UpdateWork work_of_update(const Stage& stage, bool is_gpu) {
  UpdateWork work;
  const auto add = [&](const Footprint& footprint, const Graph* graph) {
    work.operations +=
        graph ? operations_of(*graph)
              : static_cast<double>(footprint.flops) +
                    operations_of_function * static_cast<double>(footprint.special_functions);
    work.integers += static_cast<double>(footprint.integer_operations);
    work.reads += reads_around(footprint, fast_axis_of(stage), is_gpu);
  };
  if (!stage.columns) {
    add(stage.footprint, stage.graph.get());
  } else {
    add(stage.columns->forward.footprint, nullptr);
    add(stage.columns->backward.footprint, nullptr);
  }
  return work;
}

UpdateSeconds seconds_per_update(const Stage& stage, const DeviceRates& device) {
  const UpdateWork work = work_of_update(stage, device.is_gpu);
  const double reads_a_second = device.reads[static_cast<std::size_t>(kind_of_reads(stage))];
  return {work.operations / device.rate(arithmetic_of(stage)) +
              work.integers / device.rate(Arithmetic::integer),
          reads_a_second > 0 ? work.reads / reads_a_second : 0};
}

}  // namespace goban
