#include "goban/adjoint/partials.hpp"

#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

int square(GraphArithmetic& graph, int a) { return graph.multiply(a, a); }

int reciprocal(GraphArithmetic& graph, int a) { return graph.divide(graph.number(1, a), a); }

int partial_of_one(GraphArithmetic& graph, GraphOp op, int result, int a) {
  const auto number = [&](double value) { return graph.number(value, result); };
  switch (op) {
    case GraphOp::negate: return number(-1);
    case GraphOp::abs: return graph.select(graph.less(a, number(0)), number(-1), number(1));
    case GraphOp::floor:
    case GraphOp::ceil: return number(0);
    case GraphOp::reciprocal: return graph.negate(square(graph, result));
    case GraphOp::sqrt: return graph.divide(number(0.5), result);
    case GraphOp::cbrt:
      return graph.divide(number(1), graph.multiply(number(3), square(graph, result)));
    case GraphOp::exp: return result;
    case GraphOp::log: return reciprocal(graph, a);
    case GraphOp::sin: return graph.call(GraphOp::cos, a);
    case GraphOp::cos: return graph.negate(graph.call(GraphOp::sin, a));
    case GraphOp::tan: return graph.add(number(1), square(graph, result));
    case GraphOp::tanh: return graph.subtract(number(1), square(graph, result));
    case GraphOp::atan: return reciprocal(graph, graph.add(number(1), square(graph, a)));
    default: break;
  }
  throw Error(ExitCode{1}, "internal error: an operation without a derivative");
}

int partial_of_power(GraphArithmetic& graph, int result, int a, int b, int operand) {
  if (operand == 1) return graph.multiply(result, graph.call(GraphOp::log, a));
  const int less_one = graph.subtract(b, graph.number(1, b));
  return graph.multiply(b, graph.call(GraphOp::pow, a, less_one));
}

/// Returns the derivative of the angle of (x, y) by y (operand 0) or x.
int partial_of_angle(GraphArithmetic& graph, int y, int x, int operand) {
  const int squares = graph.add(square(graph, x), square(graph, y));
  return graph.divide(operand == 0 ? x : graph.negate(y), squares);
}

}  // namespace

int partial(GraphArithmetic& graph, int node, int operand) {
  const GraphNode made = graph.node(node);  // a copy: the graph grows
  const auto [a, b, c] = made.operands;
  const auto number = [&](double value) { return graph.number(value, node); };
  switch (made.op) {
    case GraphOp::add: return number(1);
    case GraphOp::subtract: return number(operand == 0 ? 1 : -1);
    case GraphOp::multiply: return operand == 0 ? b : a;
    case GraphOp::divide:
      return operand == 0 ? reciprocal(graph, b) : graph.negate(graph.divide(node, b));
    case GraphOp::fma: return operand == 0 ? b : operand == 1 ? a : number(1);
    case GraphOp::pow: return partial_of_power(graph, node, a, b, operand);
    case GraphOp::atan2: return partial_of_angle(graph, a, b, operand);
    default: return partial_of_one(graph, made.op, node, a);
  }
}

bool may_be_infinite(GraphOp op) {
  switch (op) {
    case GraphOp::divide:
    case GraphOp::reciprocal:
    case GraphOp::sqrt:
    case GraphOp::cbrt:
    case GraphOp::log:
    case GraphOp::exp:
    case GraphOp::tan:
    case GraphOp::pow:
    case GraphOp::atan2: return true;
    default: return false;
  }
}

const char* refusal_of(GraphOp op) {
  switch (op) {
    case GraphOp::gather: return "it reads cells whose number is a value";
    case GraphOp::remainder: return "a remainder jumps";
    default: return nullptr;
  }
}

}  // namespace goban::detail
