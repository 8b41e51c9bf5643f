#pragma once
// The operations of graphs on rows of numbers. They are compiled for several instruction sets; the
// processor decides which of them run.

#include "goban/backend/cpu/evaluator/lane.hpp"

namespace goban::cpu {

/// Computes n numbers from those of up to three operands. The result may lie in place of an operand
/// whose elements have the same size, and must not overlap operands otherwise.
using RowOperation = void (*)(void* to, const void* a, const void* b, const void* c, Index n);

/// Tells which operands are one number for the whole row.
struct OneNumber {
  bool a = false, b = false, c = false;
};

/// Returns the loop of a graph's operation on operands of this lane; null if there is none.
RowOperation row_operation(GraphOp op, Lane lane, const OneNumber& is_one);
/// Two operations in one loop. The result of the first, on a and b, is the left operand of the
/// second and c the right one, or the other way round.
struct OperationPair {
  GraphOp first, second;
  bool is_right = false;  ///< the result of the first is the right operand
};
RowOperation row_pair(const OperationPair& pair, Lane lane, const OneNumber& is_one);
/// Returns the loop that fills a row with one number.
RowOperation row_fill(Lane lane);
RowOperation row_copy(Lane lane);
/// Returns the loop that converts between two lanes, `half` included.
RowOperation row_conversion(Lane to, Lane from);
/// Returns the loop that copies n bytes past the caches, as far as they fill whole lines of memory.
/// Others may read them after finish_streaming().
RowOperation row_streaming_copy();

}  // namespace goban::cpu
