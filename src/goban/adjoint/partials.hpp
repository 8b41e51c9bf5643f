#pragma once
// Derivatives of the operations of graphs with respect to their operands.

#include <string>

#include "goban/adjoint/graph_arithmetic.hpp"

namespace goban::detail {

/// Node of the derivative of a floating node with respect to operand number `operand`, of
/// operations whose result is a smooth function of numbers: all but `select`, `minimum`, `maximum`,
/// `walled`, conversions, and what has no operands.
int partial(GraphArithmetic& graph, int node, int operand);

/// Whether such a derivative may be infinite or undefined where the operation itself is defined, or
/// where its result is not used.
bool may_be_infinite(GraphOp op);

/// Why nothing can be derived through the operation, for a message; null: something can.
const char* refusal_of(GraphOp op);

}  // namespace goban::detail
