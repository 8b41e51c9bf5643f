#pragma once
// How operations of graphs are written.

#include "goban/stencil/graph/graph_node.hpp"

namespace goban {

/// "+" between two operands, "~" before one; null: it is none.
const char* sign_of(GraphOp op);
/// "sqrt"; null: it is no function.
const char* name_of(GraphOp op);

}  // namespace goban
