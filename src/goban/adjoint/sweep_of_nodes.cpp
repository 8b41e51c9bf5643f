#include "goban/adjoint/sweep_of_nodes.hpp"

#include <bit>
#include <map>

#include "goban/program/arguments.hpp"
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
  explicit SweepMaker(const SweepOfNodes& sweep) : sweep_(sweep), recorder_(recorded_) {}

  void sum(int node) { summed_ = node; }
  void assign(const NodeAssignment& one) { assignments_.push_back(one); }

  std::shared_ptr<Stage> make() {
    const std::vector<int> needed = find_needed();
    find_arguments(needed);
    if (summed_ >= 0) recorder_.describe(DescriptionOf<ReductionResult>::value);
    for (const StageArgument& argument : arguments_) recorder_.describe(description(argument));
    if (recorder_.footprint().error == TraceError::none) {
      recorder_.explore([&] { record(needed); });
    }
    auto stage = std::make_shared<Stage>();
    stage->name = sweep_.name;
    stage->footprint = Footprint(recorder_.footprint());
    stage->graph = std::make_shared<const Graph>(std::move(recorded_.graph));
    if (summed_ >= 0) {
      stage->arguments.push_back(
          {StageArgument::Kind::value, Access::out, nullptr, nullptr, nullptr});
    }
    stage->arguments.insert(stage->arguments.end(), arguments_.begin(), arguments_.end());
    std::vector<std::string> names;
    for (const StageArgument& argument : stage->arguments) names.push_back(argument.name());
    goban::check(stage->footprint, stage->name, names);
    return stage;
  }

 private:
  using ReductionResult = FieldParameter<Access::out, double, 1>;

  static ParameterDescription description(const StageArgument& argument) {
    using Kind = ParameterDescription::Kind;
    if (!argument.field) return {.kind = argument.parameter ? Kind::value : Kind::site};
    return {Kind::field, argument.access, argument.field->type, argument.field->components};
  }

  std::vector<int> find_needed() const {
    std::vector<int> roots;
    for (const NodeAssignment& one : assignments_) roots.push_back(one.node);
    if (summed_ >= 0) roots.push_back(summed_);
    return sweep_.graph->needed_for(roots);
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

  void find_arguments(const std::vector<int>& needed) {
    std::map<const FieldRecord*, int> components;
    for (const NodeAssignment& one : assignments_) ++components[one.to.field.get()];
    bool has_site = false;
    for (const int n : needed) {
      const GraphNode& node = sweep_.graph->node(n);
      has_site = has_site || is_of_site(node.op);
      if (node.op == GraphOp::read || node.op == GraphOp::value) position(parameter(node));
    }
    const std::size_t read = arguments_.size();
    for (const NodeAssignment& one : assignments_) {
      const auto at = static_cast<std::size_t>(position(one.to) - first());
      const bool is_whole = components[one.to.field.get()] == one.to.field->components;
      arguments_[at].access = at < read || !is_whole ? Access::inout : Access::out;
    }
    bool has_field = false;
    for (const StageArgument& one : arguments_) has_field = has_field || one.field;
    if (!has_field) position(sweep_.anchor);
    if (has_site) position(SiteArgument{}.argument());
  }

  void record(const std::vector<int>& needed) {
    std::map<int, int> copies;
    for (const int n : needed) {
      GraphNode node = sweep_.graph->node(n);
      for (int& operand : node.operands) {
        if (operand >= 0) operand = copies.at(operand);
      }
      copies[n] = copied(node);
    }
    if (summed_ >= 0) {
      const GraphType type = sweep_.graph->node(summed_).type;
      int sum = copies.at(summed_);
      if (type.bytes != 8) {
        sum = recorder_.node({GraphOp::convert, GraphType::of<double>(type.varies), {sum, -1, -1}});
      }
      recorder_.assign(0, 0, sum);
    }
    for (const NodeAssignment& one : assignments_) {
      recorder_.assign(position(one.to), one.component, copies.at(one.node));
    }
  }

  int copied(GraphNode node) {
    auto& data = node.data;
    if (node.op == GraphOp::read || node.op == GraphOp::value) {
      data[0] = position(parameter(node));
    }
    if (node.op == GraphOp::read) {
      recorder_.read(static_cast<int>(data[0]), static_cast<int>(data[1]),
                     static_cast<int>(data[2]), static_cast<int>(data[3]),
                     static_cast<int>(data[4]));
    }
    if (node.op == GraphOp::position && data[5] == 0) {
      data[4] = std::bit_cast<std::int64_t>(sweep_.offset[static_cast<std::size_t>(data[0])]);
      data[5] = 1;
    }
    if (sees_step(node.op)) recorder_.see_step();
    if (node.type.varies) {
      recorder_.count(counted_as(node.op), node.type.kind == GraphType::Kind::floating);
    }
    return recorder_.node(node);
  }

  const SweepOfNodes& sweep_;
  GraphRecorder recorded_;
  Recorder recorder_;
  std::vector<StageArgument> arguments_;
  std::vector<NodeAssignment> assignments_;
  int summed_ = -1;
};

}  // namespace

std::shared_ptr<Stage> assigning_stage(const SweepOfNodes& sweep,
                                       const std::vector<NodeAssignment>& assignments) {
  SweepMaker maker(sweep);
  for (const NodeAssignment& one : assignments) maker.assign(one);
  return maker.make();
}

std::shared_ptr<Stage> summing_stage(const SweepOfNodes& sweep, int node,
                                     std::shared_ptr<ParameterRecord> target) {
  SweepMaker maker(sweep);
  maker.sum(node);
  auto stage = maker.make();
  stage->kind = Stage::Kind::reduce;
  stage->reduction = Reduction::sum;
  stage->target = std::move(target);
  return stage;
}

}  // namespace goban::detail
