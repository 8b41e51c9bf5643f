#include "goban/adjoint/number_stages.hpp"

#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/program/program.hpp"
#include "goban/program/scalar_stage.hpp"
#include "goban/stencil/graph/branches.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::detail {
namespace {

using Parameters = std::vector<std::shared_ptr<ParameterRecord>>;

/// A scalar stage under construction: the graph of another one and what is made of it, the numbers
/// of that, as they were before it, and, behind them, others.
class NumberStage {
 public:
  explicit NumberStage(const StepSweep& compute)
      : of_(*compute.stage),
        graph_(without_branches(*of_.as_sweep->graph, of_.as_sweep->footprint)),
        roots_(graph_.graph().branches().front().outputs),
        parameters_(of_.parameters) {
    std::size_t overwritten = of_.parameters.size();
    for (std::size_t n = 0; n < of_.parameters.size(); ++n) {
      if (of_.parameter_access[n] != Access::inout) continue;
      if (overwritten >= compute.arguments.size()) break;
      parameters_[n] = compute.arguments[overwritten++].parameter;
    }
  }

  GraphArithmetic& graph() { return graph_; }
  bool is_written(std::size_t n) const { return of_.parameter_access[n] != Access::in; }
  const Parameters& numbers() const { return of_.parameters; }
  const std::shared_ptr<ParameterRecord>& number(const GraphNode& leaf) const {
    return of_.parameters[static_cast<std::size_t>(leaf.data[0])];
  }
  const std::vector<int>& roots() const { return roots_; }

  /// The value of another number.
  int value(const std::shared_ptr<ParameterRecord>& parameter) {
    std::size_t n = of_.parameters.size();
    while (n < parameters_.size() && parameters_[n] != parameter) ++n;
    if (n == parameters_.size()) parameters_.push_back(parameter);
    return graph_.add_node({GraphOp::value,
                            GraphType::of<double>(false),
                            {-1, -1, -1},
                            {static_cast<std::int64_t>(n)}});
  }
  void assign(const std::shared_ptr<ParameterRecord>& parameter, int node) {
    value(parameter);
    assigned_[parameter] = graph_.convert(node, 8);
  }

  std::vector<std::shared_ptr<Stage>> make(const std::string& what) {
    if (assigned_.empty()) return {};
    std::vector<Access> access;
    for (const auto& one : parameters_) {
      access.push_back(assigned_.count(one) > 0 ? Access::inout : Access::in);
    }
    auto stage = scalar_stage(parameters_, access);
    stage->name = what + " of " + of_.name;
    stage->as_sweep = as_sweep(stage->name, access);
    stage->function = scalar_function(stage->as_sweep, parameters_);
    return {stage};
  }

 private:
  /// See scalar_as_sweep: values of all numbers, then where each goes.
  std::shared_ptr<const Stage> as_sweep(const std::string& name,
                                        const std::vector<Access>& access) {
    const int none = graph_.add_node({GraphOp::constant, GraphType::of<double>(false)});
    std::vector<int> results;  // what stays as it is is not stored
    for (const auto& one : parameters_) {
      const auto found = assigned_.find(one);
      results.push_back(found != assigned_.end() ? found->second : none);
    }
    GraphRecorder recorded;
    Recorder recorder(recorded);
    for (std::size_t n = 0; n < access.size(); ++n) {
      recorder.describe({.kind = ParameterDescription::Kind::value});
    }
    for (std::size_t n = 0; n < access.size(); ++n) {
      recorder.describe({ParameterDescription::Kind::field, Access::out, ElementType::float64, 1});
    }
    recorder.explore([&] {
      std::map<int, int> copies;
      for (const int n : graph_.graph().needed_for(results)) {
        GraphNode node = graph_.node(n);
        for (int& operand : node.operands) {
          if (operand >= 0) operand = copies.at(operand);
        }
        copies[n] = recorder.node(node);
      }
      for (std::size_t n = 0; n < results.size(); ++n) {
        recorder.assign(static_cast<int>(results.size() + n), 0, copies.at(results[n]));
      }
    });
    auto stage = std::make_shared<Stage>();
    stage->name = name;
    stage->footprint = Footprint(recorder.footprint());
    stage->graph = std::make_shared<const Graph>(std::move(recorded.graph));
    stage->arguments.resize(2 * access.size());
    for (std::size_t n = 0; n < stage->arguments.size(); ++n) {
      const bool is_value = n < access.size();
      stage->arguments[n].kind = is_value ? StageArgument::Kind::value : StageArgument::Kind::field;
      stage->arguments[n].access = is_value ? access[n] : Access::out;
    }
    return stage;
  }
  const Stage& of_;
  GraphArithmetic graph_;
  std::vector<int> roots_;
  Parameters parameters_;
  std::map<std::shared_ptr<ParameterRecord>, int> assigned_;
};

/// The changes are 0: the numbers depend on nothing that changes.
std::vector<std::shared_ptr<Stage>> no_changes(const StepSweep& compute,
                                               const AdjointNumbers& changes) {
  Program made("no changes of " + compute.stage->name);
  for (std::size_t n = 0; n < compute.stage->parameters.size(); ++n) {
    const auto change = changes.find(compute.stage->parameters[n]);
    if (compute.stage->parameter_access[n] == Access::in || change == changes.end()) continue;
    made.compute([](auto& none) { none = 0; }, out(Parameter<double>(change->second)));
  }
  return made.stages();
}

}  // namespace

std::vector<std::shared_ptr<Stage>> reverse_of_compute(const StepSweep& compute,
                                                       const AdjointNumbers& adjoints) {
  if (!compute.stage->as_sweep) return {};  // nothing is derived with respect to what it computes
  NumberStage stage(compute);
  GraphArithmetic& graph = stage.graph();
  std::vector<Seed> seeds;
  for (std::size_t n = 0; n < stage.numbers().size(); ++n) {
    const auto adjoint = adjoints.find(stage.numbers()[n]);
    if (!stage.is_written(n) || adjoint == adjoints.end()) continue;
    const int root = stage.roots()[n], node = stage.value(adjoint->second);
    seeds.push_back({root, {{node, graph.number(1, node)}}});
  }
  const IsWanted is_wanted = [&](const GraphNode& leaf) {
    return leaf.op == GraphOp::value && adjoints.count(stage.number(leaf)) > 0;
  };
  std::map<std::shared_ptr<ParameterRecord>, int> sums;
  for (const auto& [leaf, terms] : reverse_derivatives(graph, seeds, is_wanted)) {
    const auto n = static_cast<std::size_t>(graph.node(leaf).data[0]);
    const int made = graph.convert(node_of(graph, terms), 8);
    const auto [known, is_new] = sums.try_emplace(adjoints.at(stage.numbers()[n]), made);
    if (!is_new) {
      known->second = graph.add(known->second, made);
    } else if (!stage.is_written(n)) {
      known->second = graph.add(stage.value(known->first), made);
    }
  }
  for (std::size_t n = 0; n < stage.numbers().size();
       ++n) {  // of what it overwrites nothing is left
    const auto adjoint = adjoints.find(stage.numbers()[n]);
    if (!stage.is_written(n) || adjoint == adjoints.end()) continue;
    sums.try_emplace(adjoint->second, graph.number(0, stage.value(adjoint->second)));
  }
  for (const auto& [adjoint, sum] : sums) stage.assign(adjoint, sum);
  return stage.make("adjoint");
}

std::vector<std::shared_ptr<Stage>> tangent_of_compute(const StepSweep& compute,
                                                       const AdjointNumbers& changes) {
  if (!compute.stage->as_sweep) return no_changes(compute, changes);
  NumberStage stage(compute);
  GraphArithmetic& graph = stage.graph();
  const std::vector<int> made =
      forward_derivatives(graph, stage.roots(), [&](const GraphNode& leaf) {
        const auto change = changes.find(stage.number(leaf));
        if (change == changes.end()) return -1;
        return graph.convert(stage.value(change->second), leaf.type.bytes);
      });
  for (std::size_t n = 0; n < made.size(); ++n) {
    const auto change = changes.find(stage.numbers()[n]);
    if (!stage.is_written(n) || change == changes.end()) continue;
    stage.assign(change->second, made[n] < 0 ? graph.number(0, stage.roots()[n]) : made[n]);
  }
  return stage.make("changes");
}

}  // namespace goban::detail
