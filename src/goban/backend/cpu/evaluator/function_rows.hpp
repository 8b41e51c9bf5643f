#pragma once
// The mathematical functions on rows.

#include "goban/backend/cpu/evaluator/row_operations.hpp"

namespace goban::cpu {

/// Null: it is none of them.
RowOperation function_row(GraphOp op, Lane lane, const OneNumber& is_one);

}  // namespace goban::cpu
