#include "goban/adjoint/sweep_of_nodes.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "goban/program/program.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::detail {
namespace {

bool is_of_site(GraphOp op) {
  return op == GraphOp::index || op == GraphOp::position || op == GraphOp::random ||
         op == GraphOp::time || op == GraphOp::step || op == GraphOp::walled;
}

bool sees_step(GraphOp op) {
  return op == GraphOp::random || op == GraphOp::time || op == GraphOp::step;
}

Operation counted_as(GraphOp op) {
  if (op == GraphOp::fma) return Operation::fused;
#define GOBAN_SPECIAL(name) \
  if (op == GraphOp::name) return Operation::special;
  GOBAN_FUNCTIONS_OF_ONE(GOBAN_SPECIAL)
  GOBAN_FUNCTIONS_OF_TWO(GOBAN_SPECIAL)
#undef GOBAN_SPECIAL
  switch (op) {
    case GraphOp::add:
    case GraphOp::subtract:
    case GraphOp::multiply:
    case GraphOp::divide:
    case GraphOp::remainder:
    case GraphOp::minimum:
    case GraphOp::maximum:
    case GraphOp::reciprocal:
    case GraphOp::sqrt: return Operation::arithmetic;
    default: return Operation::uncounted;
  }
}

class SweepMaker {
 public:
  SweepMaker(const SweepOfNodes& sweep, ParameterDescription scratch = {})
      : sweep_(sweep), scratch_(scratch) {}

  /// The stage of what one sweep assigns or, of columns, the forward one and the backward one.
  std::shared_ptr<Stage> make(const std::vector<const AssignedNodes*>& sweeps) {
    find_arguments(sweeps);
    auto stage = std::make_shared<Stage>();
    stage->name = sweep_.name;
    if (summed_ >= 0) {
      stage->arguments.push_back(
          {StageArgument::Kind::value, Access::out, nullptr, nullptr, nullptr});
    }
    stage->arguments.insert(stage->arguments.end(), arguments_.begin(), arguments_.end());
    return stage;
  }
  std::shared_ptr<Stage> summing(int node, const AssignedNodes& nothing) {
    summed_ = node;
    return whole(nothing);
  }
  std::shared_ptr<Stage> whole(const AssignedNodes& assigned) {
    auto stage = make({&assigned});
    RecordedSweep made = recorded(assigned, SweepRole::whole);
    stage->footprint = std::move(made.footprint);
    stage->graph = std::move(made.graph);
    goban::check(stage->footprint, stage->name, names_of(*stage));
    return stage;
  }
  std::shared_ptr<Stage> columns(Axis axis, const AssignedNodes& forward,
                                 const AssignedNodes& backward) {
    auto stage = make({&forward, &backward});
    ColumnSweeps sweeps{axis, {}, {}};
    const bool has_forward = !forward.assignments.empty();
    if (has_forward) sweeps.forward = recorded(forward, SweepRole::first_of_column);
    if (!backward.assignments.empty()) {
      sweeps.backward = recorded(
          backward, has_forward ? SweepRole::second_of_column : SweepRole::first_of_column);
    }
    stage->footprint = together(sweeps.forward.footprint, sweeps.backward.footprint);
    stage->graph = sweeps.backward.graph ? sweeps.backward.graph : sweeps.forward.graph;
    stage->columns = std::move(sweeps);
    Program::prepare_columns(*stage, static_cast<Axis>(sweep_.anchor.field->order[0]));
    return stage;
  }

 private:
  using ReductionResult = FieldParameter<Access::out, double, 1>;

  static std::vector<std::string> names_of(const Stage& stage) {
    std::vector<std::string> names;
    for (const StageArgument& argument : stage.arguments) names.push_back(argument.name());
    return names;
  }

  ParameterDescription description(const StageArgument& argument) const {
    using Kind = ParameterDescription::Kind;
    if (argument.kind == StageArgument::Kind::scratch) return scratch_;
    if (!argument.field) return {.kind = argument.parameter ? Kind::value : Kind::site};
    return {Kind::field, argument.access, argument.field->type, argument.field->components};
  }

  RecordedSweep recorded(const AssignedNodes& assigned, SweepRole role) {
    recorded_.graph.forget_paths();
    Recorder recorder(recorded_);
    recorder.set_role(role);
    if (summed_ >= 0) recorder.describe(DescriptionOf<ReductionResult>::value);
    for (const StageArgument& argument : arguments_) recorder.describe(description(argument));
    if (recorder.footprint().error == TraceError::none) {
      recorder.explore([&] { record(recorder, assigned); });
    }
    return {Footprint(recorder.footprint()), std::make_shared<const Graph>(recorded_.graph)};
  }

  std::vector<int> needed_for(const AssignedNodes& assigned) const {
    std::vector<int> roots;
    for (const NodeAssignment& one : assigned.assignments) roots.push_back(one.node);
    if (summed_ >= 0) roots.push_back(summed_);
    return assigned.graph->needed_for(roots);
  }

  /// Returns the position of an argument among those of the stage; adds it.
  int position(const StageArgument& argument) {
    for (std::size_t n = 0; n < arguments_.size(); ++n) {
      const StageArgument& one = arguments_[n];
      if (one.kind == argument.kind && one.field == argument.field &&
          one.parameter == argument.parameter) {
        return static_cast<int>(n) + first();
      }
    }
    arguments_.push_back(argument);
    arguments_.back().access = Access::in;
    return static_cast<int>(arguments_.size()) - 1 + first();
  }
  int first() const { return summed_ >= 0 ? 1 : 0; }
  const StageArgument& parameter(const GraphNode& node) const {
    return (*sweep_.parameters)[static_cast<std::size_t>(node.data[0])];
  }

  void find_arguments(const std::vector<const AssignedNodes*>& sweeps) {
    bool has_site = false;
    for (const AssignedNodes* one : sweeps) {
      for (const int n : needed_for(*one)) {
        const GraphNode& node = one->graph->node(n);
        has_site = has_site || is_of_site(node.op);
        if (node.op == GraphOp::read || node.op == GraphOp::value) position(parameter(node));
      }
    }
    const std::size_t read = arguments_.size();
    std::map<std::size_t, int> components;
    for (const AssignedNodes* one : sweeps) {
      for (const NodeAssignment& assigned : one->assignments) {
        ++components[static_cast<std::size_t>(position(assigned.to) - first())];
      }
    }
    for (const auto& [n, count] : components) {
      const auto& field = arguments_[n].field;
      const bool is_renewed = n >= read && field && count == field->components;
      arguments_[n].access = is_renewed ? Access::out : Access::inout;
    }
    bool has_field = false;
    for (const StageArgument& one : arguments_) has_field = has_field || one.field;
    if (!has_field) position(sweep_.anchor);
    if (summed_ >= 0) begin_with_place();
    if (has_site) position(SiteArgument{}.argument());
  }

  /// A sum is over the places of its first field.
  void begin_with_place() {
    const auto is_there = [&](const StageArgument& one) {
      return one.field && one.field->location == sweep_.anchor.field->location;
    };
    auto first = std::find_if(arguments_.begin(), arguments_.end(), is_there);
    if (first == arguments_.end()) first = arguments_.insert(first, sweep_.anchor);
    std::rotate(arguments_.begin(), first, first + 1);
    arguments_.front().access = Access::in;
  }

  void record(Recorder& recorder, const AssignedNodes& assigned) {
    std::map<int, int> copies;
    for (const int n : needed_for(assigned)) {
      GraphNode node = assigned.graph->node(n);
      for (int& operand : node.operands) {
        if (operand >= 0) operand = copies.at(operand);
      }
      copies[n] = copied(recorder, node);
    }
    if (summed_ >= 0) {
      const GraphType type = assigned.graph->node(summed_).type;
      int sum = copies.at(summed_);
      if (type.bytes != 8) {
        sum = recorder.node({GraphOp::convert, GraphType::of<double>(type.varies), {sum, -1, -1}});
      }
      recorder.assign(0, 0, sum);
    }
    for (const NodeAssignment& one : assigned.assignments) {
      recorder.assign(position(one.to), one.component, copies.at(one.node));
    }
  }

  int copied(Recorder& recorder, GraphNode node) {
    auto& data = node.data;
    if (node.op == GraphOp::read || node.op == GraphOp::value) {
      const StageArgument& argument = parameter(node);
      data[0] = position(argument);
      const auto at = static_cast<int>(data[0]), component = static_cast<int>(data[1]);
      if (argument.kind == StageArgument::Kind::scratch) {
        return recorder.read_scratch(at, component, data[5] != 0);
      }
      if (node.op == GraphOp::read) {
        recorder.read(at, component, static_cast<int>(data[2]), static_cast<int>(data[3]),
                      static_cast<int>(data[4]));
      }
    }
    if (node.op == GraphOp::position && data[5] == 0) {
      data[4] = std::bit_cast<std::int64_t>(sweep_.offset[static_cast<std::size_t>(data[0])]);
      data[5] = 1;
    }
    if (sees_step(node.op)) recorder.see_step();
    if (node.type.varies) {
      recorder.count(counted_as(node.op), node.type.kind == GraphType::Kind::floating);
    }
    return recorder.node(node);
  }

  const SweepOfNodes& sweep_;
  ParameterDescription scratch_;
  GraphRecorder recorded_;
  std::vector<StageArgument> arguments_;
  int summed_ = -1;
};

}  // namespace

std::shared_ptr<Stage> assigning_stage(const SweepOfNodes& sweep,
                                       const std::vector<NodeAssignment>& assignments) {
  return SweepMaker(sweep).whole({sweep.graph, assignments});
}

std::shared_ptr<Stage> summing_stage(const SweepOfNodes& sweep, int node,
                                     std::shared_ptr<ParameterRecord> target) {
  auto stage = SweepMaker(sweep).summing(node, {sweep.graph, {}});
  stage->kind = Stage::Kind::reduce;
  stage->reduction = Reduction::sum;
  stage->target = std::move(target);
  return stage;
}

std::shared_ptr<Stage> column_stage(const SweepOfNodes& sweep, Axis axis,
                                    ParameterDescription scratch, const AssignedNodes& forward,
                                    const AssignedNodes& backward) {
  return SweepMaker(sweep, scratch).columns(axis, forward, backward);
}

}  // namespace goban::detail
