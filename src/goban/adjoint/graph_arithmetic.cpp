#include "goban/adjoint/graph_arithmetic.hpp"

#include <bit>
#include <utility>

#include "goban/stencil/graph/graph_evaluator.hpp"

namespace goban::detail {
namespace {

std::int64_t bits_of_number(double value, int bytes) {
  return bytes == 4 ? std::bit_cast<std::int32_t>(static_cast<float>(value))
                    : std::bit_cast<std::int64_t>(value);
}

}  // namespace

std::optional<double> GraphArithmetic::number_of(int n) const {
  const GraphNode& one = node(n);
  if (one.op != GraphOp::constant || !is_floating(n)) return {};
  return one.type.bytes == 4
             ? static_cast<double>(std::bit_cast<float>(static_cast<std::int32_t>(one.data[0])))
             : std::bit_cast<double>(one.data[0]);
}

int GraphArithmetic::number(double value, int like) {
  GraphType type = node(like).type;
  type.varies = false;
  return add_node({GraphOp::constant, type, {-1, -1, -1}, {bits_of_number(value, type.bytes)}});
}

int GraphArithmetic::add_node(GraphNode node) {
  const bool commutes = node.op == GraphOp::add || node.op == GraphOp::multiply;
  if (commutes && node.operands[0] > node.operands[1]) {
    std::swap(node.operands[0], node.operands[1]);
  }
  return graph_.add(node);
}

/// Adds the node, or the constant that it is.
int GraphArithmetic::folded(GraphNode made) {
  Graph alone;
  for (int& operand : made.operands) {
    if (operand < 0) continue;
    if (node(operand).op != GraphOp::constant) return add_node(made);
  }
  GraphNode copy = made;
  for (int& operand : copy.operands) {
    if (operand >= 0) operand = alone.add(node(operand));
  }
  const int root = alone.add(copy);
  const std::uint64_t bits = GraphEvaluator(alone).bits(root, {});
  const bool is_short = made.type.bytes == 4 && made.type.kind == GraphType::Kind::floating;
  made.type.varies = false;
  return add_node({GraphOp::constant,
                   made.type,
                   {-1, -1, -1},
                   {is_short ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits)}});
}

int GraphArithmetic::call(GraphOp op, int a, int b) {
  GraphType type = node(a).type;
  type.varies = varies(a) || (b >= 0 && varies(b));
  return folded({op, type, {a, b, -1}});
}

int GraphArithmetic::add(int a, int b) {
  if (number_of(a) == 0.0) return b;
  if (number_of(b) == 0.0) return a;
  if (node(b).op == GraphOp::negate) return call(GraphOp::subtract, a, node(b).operands[0]);
  return call(GraphOp::add, a, b);
}

int GraphArithmetic::negate(int a) {
  if (node(a).op == GraphOp::negate) return node(a).operands[0];
  return call(GraphOp::negate, a);
}

int GraphArithmetic::multiply(int a, int b) {
  if (number_of(b)) std::swap(a, b);
  const auto factor = number_of(a);
  if (factor == 0.0) return number(0, a);
  if (factor == 1.0) return b;
  if (factor == -1.0) return negate(b);
  return call(GraphOp::multiply, a, b);
}

int GraphArithmetic::divide(int a, int b) {
  if (number_of(a) == 0.0) return a;
  if (number_of(b) == 1.0) return a;
  return call(GraphOp::divide, a, b);
}

int GraphArithmetic::less(int a, int b) {
  return folded(
      {GraphOp::less, GraphType::mask(node(a).type.bytes, varies(a) || varies(b)), {a, b, -1}});
}

int GraphArithmetic::select(int condition, int a, int b) {
  if (a == b) return a;
  if (node(condition).op == GraphOp::constant) return node(condition).data[0] != 0 ? a : b;
  GraphType type = node(a).type;
  type.varies = varies(condition) || varies(a) || varies(b);
  return add_node({GraphOp::select, type, {condition, a, b}});
}

int GraphArithmetic::multiply_where_nonzero(int a, int b) {
  const int zero = number(0, a);
  const int is_zero =
      folded({GraphOp::equal, GraphType::mask(node(a).type.bytes, varies(a)), {a, zero, -1}});
  return select(is_zero, zero, multiply(a, b));
}

int GraphArithmetic::convert(int a, int bytes) {
  GraphType type = node(a).type;
  if (type.kind == GraphType::Kind::floating && type.bytes == bytes) return a;
  type.kind = GraphType::Kind::floating;
  type.bytes = static_cast<std::uint8_t>(bytes);
  return folded({GraphOp::convert, type, {a, -1, -1}});
}

}  // namespace goban::detail
