#include "functors.hpp"

#include "goban/stencil/graph/graph_evaluator.hpp"
#include "goban/stencil/graph/graph_names.hpp"

namespace goban::python {
namespace {

using detail::Operation;

/// What a step has made.
struct StepValue {
  GraphType type;
  int node = -1;          ///< -1: a number, which becomes a constant where it meets values
  std::int64_t bits = 0;  ///< bits of a number

  bool is_number() const { return node < 0; }
  bool is_condition() const { return type.kind == GraphType::Kind::mask; }
};

GraphType type_named(const std::string& name, bool varies) {
  if (name == "uint8") return GraphType::of<std::uint8_t>(varies);
  if (name == "int32") return GraphType::of<std::int32_t>(varies);
  if (name == "int64") return GraphType::of<std::int64_t>(varies);
  if (name == "float32") return GraphType::of<float>(varies);
  return GraphType::of<double>(varies);
}

bool is_comparison(GraphOp op) { return op >= GraphOp::equal && op <= GraphOp::greater_equal; }
bool is_logic(GraphOp op) {
  return op == GraphOp::logic_not || (op >= GraphOp::logic_and && op <= GraphOp::logic_equal);
}
bool has_one_operand(GraphOp op) {
  return op == GraphOp::negate || op == GraphOp::complement || op == GraphOp::logic_not;
}

/// "-" is of one value or of two, "&" of conditions or of bits.
GraphOp op_named(const std::string& name, std::size_t operands, bool of_conditions) {
  for (GraphOp op = GraphOp::convert; op <= GraphOp::abs;
       op = static_cast<GraphOp>(static_cast<int>(op) + 1)) {
    const char* const sign = sign_of(op);
    const bool is_it = sign ? sign == name && has_one_operand(op) == (operands == 1) &&
                                  is_logic(op) == of_conditions
                            : name_of(op) == name;
    if (is_it) return op;
  }
  throw Error(ExitCode{1}, "internal error: no such operation", name);
}

/// As values that record count them.
Operation counted_as(GraphOp op) {
  switch (op) {
    case GraphOp::convert:
    case GraphOp::negate:
    case GraphOp::select:
    case GraphOp::floor:
    case GraphOp::ceil:
    case GraphOp::abs: return Operation::uncounted;
    case GraphOp::fma: return Operation::fused;
#define GOBAN_SPECIAL(name) case GraphOp::name:
      GOBAN_FUNCTIONS_OF_ONE(GOBAN_SPECIAL)
      GOBAN_FUNCTIONS_OF_TWO(GOBAN_SPECIAL)
#undef GOBAN_SPECIAL
      return Operation::special;
    default:
      return is_comparison(op) || is_logic(op) ? Operation::uncounted : Operation::arithmetic;
  }
}

/// The bits as nodes of constants have them.
std::int64_t bits_of_type(std::uint64_t bits, const GraphType& type) {
  if (type.bytes == 4) return static_cast<std::int32_t>(bits);
  return static_cast<std::int64_t>(bits);
}

/// Plays the steps back once.
class FunctorPlayer {
 public:
  FunctorPlayer(const FunctorSteps& functor, detail::Recorder& recorder)
      : functor_(functor), recorder_(recorder) {}

  void play() {
    for (const Json& step : functor_.steps) values_.push_back(played(step));
  }

 private:
  StepValue played(const Json& step) {
    const std::string name = step[0];
    const Json &type = step[1], &data = step[3];
    const TracedSite site{&recorder_};
    if (name == "number") return {number_type(type), -1, data[0]};
    if (name == "parameter") return parameter(type_named(type, false), data[0]);
    if (name == "read" || name == "before") return read(data, name == "before");
    if (name == "index") return value(site.index(data[0].get<Axis>()));
    if (name == "time") return value(site.time());
    if (name == "step") return value(site.step());
    const bool is_double = type == "float64";
    if (name == "position") {
      const auto axis = data[0].get<Axis>();
      return is_double ? value(site.position<double>(axis)) : value(site.position<float>(axis));
    }
    if (name == "random") {
      const int stream = data[0];
      return is_double ? value(site.random<double>(stream)) : value(site.random<float>(stream));
    }
    std::vector<StepValue> operands;
    for (const std::size_t n : step[2]) operands.push_back(values_[n]);
    if (name != "assign") return operation(name, type, operands);
    const int position = functor_.first + data[0].get<int>(), component = data[1];
    recorder_.assign(position, component, node(operands[0], type_of(position)));
    return {};
  }

  template <class T, bool Varying>
  static StepValue value(const Traced<T, Varying>& traced) {
    return {traced.graph_type(), traced.node};
  }
  static GraphType number_type(const Json& type) {
    return type.is_number() ? GraphType::mask(0, false) : type_named(type, false);
  }
  StepValue parameter(const GraphType& type, int position) {
    return {type,
            recorder_.node({GraphOp::value, type, {-1, -1, -1}, {functor_.first + position}})};
  }

  GraphType type_of(int position) const {
    return detail::Recorder::graph_type(recorder_.footprint().parameters[position].type);
  }
  StepValue read(const Json& data, bool before) {
    const int position = functor_.first + data[0].get<int>(), component = data[1];
    const ParameterDescription& described = recorder_.footprint().parameters[position];
    if (described.kind == ParameterDescription::Kind::scratch) {
      return {type_of(position), recorder_.read_scratch(position, component, before)};
    }
    const int i = data[2], j = data[3], k = data[4];
    recorder_.read(position, component, i, j, k);
    int node = described.is_written() ? recorder_.assigned(position, component) : -1;
    if (node < 0) node = recorder_.read_node(position, component, i, j, k);
    return {type_of(position), node};
  }

  StepValue operation(const std::string& name, const Json& type, const std::vector<StepValue>& x) {
    bool varies = false, are_numbers = true;
    for (const StepValue& one : x) {
      varies = varies || one.type.varies;
      are_numbers = are_numbers && one.is_number();
    }
    const GraphType operand =
        type.is_number() ? GraphType::mask(type.get<int>(), varies) : type_named(type, varies);
    const GraphOp op = op_named(name, x.size(), x[0].is_condition());
    const GraphType result = is_comparison(op) ? GraphType::mask(operand.bytes, varies) : operand;
    if (are_numbers) return {result, -1, computed(op, result, operand, x)};
    if (op == GraphOp::convert) return {result, node(x[0], result)};
    if (op == GraphOp::select && x[0].is_number()) {
      return {result, node(x[x[0].bits != 0 ? 1 : 2], result)};
    }
    GraphNode made{op, result};
    for (std::size_t n = 0; n < x.size(); ++n) made.operands[n] = node(x[n], operand);
    if (varies) recorder_.count(counted_as(op), result.kind == GraphType::Kind::floating);
    return {result, recorder_.node(made)};
  }

  /// Node of a value as one of another type; conditions stay what they are.
  int node(const StepValue& x, GraphType to) {
    if (x.is_condition()) to = GraphType::mask(1, false);
    to.varies = x.type.varies;
    if (x.is_number()) {
      return recorder_.node({GraphOp::constant, to, {-1, -1, -1}, {as_constant(x, to)}});
    }
    if (x.is_condition() || (x.type.kind == to.kind && x.type.bytes == to.bytes)) return x.node;
    return recorder_.node({GraphOp::convert, to, {x.node, -1, -1}});
  }
  static std::int64_t as_constant(const StepValue& number, const GraphType& to) {
    return number.is_condition() ? number.bits
                                 : computed(GraphOp::convert, to, number.type, {number});
  }

  /// What numbers give, by the definition of the operations.
  static std::int64_t computed(GraphOp op, const GraphType& result, const GraphType& operand,
                               const std::vector<StepValue>& numbers) {
    Graph graph;
    GraphNode made{op, result};
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      const StepValue& x = numbers[n];
      const GraphType& to = x.is_condition() || op == GraphOp::convert ? x.type : operand;
      const std::int64_t bits = to == x.type ? x.bits : as_constant(x, to);
      made.operands[n] = graph.add({GraphOp::constant, to, {-1, -1, -1}, {bits}});
    }
    const int root = graph.add(made);
    return bits_of_type(GraphEvaluator(graph).bits(root, {}), result);
  }

  const FunctorSteps& functor_;
  detail::Recorder& recorder_;
  std::vector<StepValue> values_;  ///< values of the steps so far
};

}  // namespace

RecordedSweep recorded(const FunctorSteps& functor, detail::GraphRecorder& graph) {
  graph.graph.forget_paths();
  detail::Recorder recorder(graph);
  recorder.set_role(functor.role);
  for (const ParameterDescription& parameter : functor.parameters) recorder.describe(parameter);
  if (recorder.footprint().error == TraceError::none) {
    recorder.explore([&] { FunctorPlayer(functor, recorder).play(); });
  }
  return {Footprint(recorder.footprint()), std::make_shared<const Graph>(graph.graph)};
}

}  // namespace goban::python
