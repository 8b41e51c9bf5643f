#pragma once
// Runs a functor along every path through its branches and writes down what it does.

#include "goban/base/macros.hpp"
#include "goban/stencil/graph/graph_node.hpp"
#include "goban/stencil/graph/static_footprint.hpp"

namespace goban::detail {

enum class Operation { arithmetic, fused, special, uncounted };

/// Keeps the paths of a functor beside its recorder, where a graph is made.
class GraphRecorder;
int record_node(GraphRecorder& recorder, const GraphNode& node);
void record_decision(GraphRecorder& recorder, int condition, bool outcome);
void record_output(GraphRecorder& recorder, int output, int node);
/// What the output was assigned on this path; -1: nothing yet.
int recorded_output(const GraphRecorder& recorder, int output);
void begin_path(GraphRecorder& recorder, int outputs);
void end_path(GraphRecorder& recorder);
/// Error (ExitCode::usage): values of this type hold fewer bits than the whole number has.
void require_fit(std::int64_t number, const GraphType& type);

/// What a functor is a part of. A sweep of a column assigns some outputs and leaves others to the
/// other sweep.
enum class SweepRole { whole, first_of_column, second_of_column };

class Recorder;
/// The one that a functor is recorded by on this thread; null: none is.
Recorder* recorder_at_work();

/// Traced values and accessors report here.
class Recorder {
 public:
  constexpr Recorder() = default;
  /// Makes a graph, too; not in constant expressions.
  explicit Recorder(GraphRecorder& graph) : graph_(&graph) {}

  GOBAN_FUNCTION void set_role(SweepRole role) { role_ = role; }

  /// Whether values have numbers of nodes.
  GOBAN_FUNCTION bool makes_graph() const { return graph_ != nullptr; }
  GOBAN_FUNCTION int node(const GraphNode& node) const {
    return graph_ == nullptr ? -1 : record_node(*graph_, node);
  }

  GOBAN_FUNCTION void describe(const ParameterDescription& p) {
    if (footprint_.parameter_count == StaticFootprint::parameter_capacity) {
      return footprint_.fail(TraceError::too_many_outputs);
    }
    const int position = footprint_.parameter_count++;
    footprint_.parameters[position] = p;
    first_output_[position] = footprint_.output_count;
    if (!p.is_written()) return;
    for (int c = 0; c < p.components; ++c) {
      if (footprint_.output_count == StaticFootprint::output_capacity) {
        return footprint_.fail(TraceError::too_many_outputs);
      }
      footprint_.outputs[footprint_.output_count++] = {.parameter = position, .component = c};
    }
  }

  /// Calls run() once for every path.
  template <class Run>
  GOBAN_FUNCTION void explore(const Run& run) {
    do {
      if (footprint_.paths == StaticFootprint::path_limit) {
        return footprint_.fail(TraceError::too_many_paths);
      }
      path_ = Path{};
      for (int i = 0; i < footprint_.output_count; ++i) assignments_[i] = 0;
      if (graph_ != nullptr) begin_path(*graph_, footprint_.output_count);
      run();
      finish_path();
    } while (next_path());
    check_outputs();
  }

  GOBAN_FUNCTION void read(int parameter, int component, int i, int j, int k) {
    footprint_.add(parameter, component, i, j, k);
  }

  GOBAN_FUNCTION void assign(int parameter, int component, int node) {
    const int output = first_output_[parameter] + component;
    if (output >= footprint_.output_count) return;
    ++assignments_[output];
    if (graph_ != nullptr) record_output(*graph_, output, node);
  }
  /// Node of what an inout holds: what it was assigned on this path; -1: what it held before.
  GOBAN_FUNCTION int assigned(int parameter, int component) const {
    return graph_ == nullptr ? -1 : recorded_output(*graph_, first_output_[parameter] + component);
  }

  /// Reads scratch: what its level holds, or (`before`) what the level visited before held.
  GOBAN_FUNCTION int read_scratch(int parameter, int component, bool before) {
    const int output = first_output_[parameter] + component;
    const bool is_first = role_ == SweepRole::first_of_column;
    if (!is_first) {
      Output& read = footprint_.outputs[output];
      (before ? read.needs_any_before : read.needs_first) |= before || assignments_[output] == 0;
    }
    if (before && is_first) {
      needs_assignment_[output] = true;
    } else if (is_first && assignments_[output] == 0) {
      footprint_.fail(TraceError::unwritten_scratch);
      footprint_.error_output = footprint_.outputs[output];
    }
    if (graph_ == nullptr) return -1;
    const int assigned = before ? -1 : recorded_output(*graph_, output);
    if (assigned >= 0) return assigned;
    const GraphType type = graph_type(footprint_.parameters[parameter].type);
    return node(
        {GraphOp::read, type, {-1, -1, -1}, {parameter, component, 0, 0, 0, before ? 1 : 0}});
  }

  GOBAN_FUNCTION void count(Operation operation, bool floating) {
    if (operation == Operation::uncounted) return;
    if (operation == Operation::special) {
      ++path_.special_functions;
    } else {
      (floating ? path_.flops : path_.integer_operations) += operation == Operation::fused ? 2 : 1;
    }
  }

  /// The value of a field as the functor computes with it.
  GOBAN_FUNCTION int read_node(int parameter, int component, int i, int j, int k) const {
    if (graph_ == nullptr) return -1;
    const GraphType type = graph_type(footprint_.parameters[parameter].type);
    return node({GraphOp::read, type, {-1, -1, -1}, {parameter, component, i, j, k, 0}});
  }

  GOBAN_FUNCTION void see_step() { footprint_.sees_step = true; }

  /// The outcome of a branch on this path; `varying`: it may differ between cells.
  GOBAN_FUNCTION bool decide(bool varying, int condition) {
    footprint_.branching = footprint_.branching || varying;
    const int here = path_.decisions++;
    if (here >= depth_limit) {
      // Too deep to be explored: alternate, so that loops end.
      footprint_.fail(TraceError::too_many_paths);
      return here % 2 == 0;
    }
    if (here == depth_) decisions_[depth_++] = false;
    if (graph_ != nullptr) record_decision(*graph_, condition, decisions_[here]);
    return decisions_[here];
  }

  GOBAN_FUNCTION const StaticFootprint& footprint() const { return footprint_; }

  /// A value of a field or of scratch, as functors compute with it.
  static GOBAN_FUNCTION GraphType graph_type(ElementType type) {
    switch (type) {
      case ElementType::uint8: return GraphType::of<std::uint8_t>(true);
      case ElementType::int32: return GraphType::of<std::int32_t>(true);
      case ElementType::float64: return GraphType::of<double>(true);
      default: return GraphType::of<float>(true);
    }
  }

 private:
  static constexpr int depth_limit = 64;

  struct Path {
    int decisions = 0;
    int flops = 0;
    int integer_operations = 0;
    int special_functions = 0;
  };

  static GOBAN_FUNCTION void raise(int& most, int value) { most = value > most ? value : most; }

  GOBAN_FUNCTION void finish_path() {
    if (graph_ != nullptr) {
      for (int i = 0; i < footprint_.output_count; ++i) {
        const Output& output = footprint_.outputs[i];
        const bool keeps = footprint_.parameters[output.parameter].access == Access::inout;
        if (!keeps || role_ != SweepRole::whole || recorded_output(*graph_, i) >= 0) continue;
        record_output(*graph_, i, read_node(output.parameter, output.component, 0, 0, 0));
      }
      end_path(*graph_);
    }
    raise(footprint_.flops, path_.flops);
    raise(footprint_.integer_operations, path_.integer_operations);
    raise(footprint_.special_functions, path_.special_functions);
    for (int i = 0; i < footprint_.output_count; ++i) {
      Output& output = footprint_.outputs[i];
      const int assigned = assignments_[i];
      if (footprint_.paths == 0 || assigned < output.fewest_assignments) {
        output.fewest_assignments = assigned;
      }
      raise(output.most_assignments, assigned);
    }
    ++footprint_.paths;
  }

  // The last decision not yet taken both ways is turned; those after it are forgotten.
  GOBAN_FUNCTION bool next_path() {
    while (depth_ > 0 && decisions_[depth_ - 1]) --depth_;
    if (depth_ == 0) return false;
    decisions_[depth_ - 1] = true;
    return true;
  }

  // In a sweep of a column all paths assign an output, or none does.
  GOBAN_FUNCTION void check_part() {
    for (int i = 0; i < footprint_.output_count && footprint_.error == TraceError::none; ++i) {
      const Output& output = footprint_.outputs[i];
      if (output.most_assignments > 1) footprint_.fail(TraceError::assigned_twice);
      if (output.fewest_assignments != output.most_assignments) {
        footprint_.fail(TraceError::unassigned_output);
      }
      if (needs_assignment_[i] && output.most_assignments == 0) {
        footprint_.fail(TraceError::unwritten_scratch);
      }
      if (footprint_.error != TraceError::none) footprint_.error_output = output;
    }
  }

  GOBAN_FUNCTION void check_outputs() {
    if (role_ != SweepRole::whole) return check_part();
    for (int i = 0; i < footprint_.output_count; ++i) {
      const Output& output = footprint_.outputs[i];
      const bool keeps = footprint_.parameters[output.parameter].access == Access::inout;
      if (keeps && output.fewest_assignments == 0) {
        // On some path the old value stays: that is a read.
        footprint_.add(output.parameter, output.component, 0, 0, 0);
      }
      if (footprint_.error != TraceError::none) continue;
      if (output.most_assignments > 1) footprint_.fail(TraceError::assigned_twice);
      if (!keeps && output.fewest_assignments == 0) footprint_.fail(TraceError::unassigned_output);
      if (footprint_.error != TraceError::none) footprint_.error_output = output;
    }
  }

  StaticFootprint footprint_{};
  Path path_{};
  int first_output_[StaticFootprint::parameter_capacity] = {};
  int assignments_[StaticFootprint::output_capacity] = {};  // on this path
  bool decisions_[depth_limit] = {};
  bool needs_assignment_[StaticFootprint::output_capacity] = {};
  int depth_ = 0;
  SweepRole role_ = SweepRole::whole;
  GraphRecorder* graph_ = nullptr;
};

}  // namespace goban::detail
