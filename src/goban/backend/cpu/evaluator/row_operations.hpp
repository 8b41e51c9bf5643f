#pragma once
// The operations of graphs on rows of numbers, compiled for several instruction sets: the machine
// at hand decides which of them run.

#include "goban/backend/cpu/evaluator/lane.hpp"

namespace goban::cpu {

/// Computes n numbers from those of up to three operands. The result may take the place of an
/// operand whose elements have its size, and overlaps none otherwise.
using RowOperation = void (*)(void* to, const void* a, const void* b, const void* c, Index n);

/// Which operands are one number for the whole row.
struct OneNumber {
  bool a = false, b = false, c = false;
};

/// An operation of the graph on operands of this lane; null: it is none of rows.
RowOperation row_operation(GraphOp op, Lane lane, const OneNumber& is_one);
/// Two operations one after the other: the result of the first, on a and b, is the left operand of
/// the second, c the right one; or the other way round. Null: not of these two.
struct OperationPair {
  GraphOp first, second;
  bool is_right = false;  ///< the first one's result is the right operand
};
RowOperation row_pair(const OperationPair& pair, Lane lane, const OneNumber& is_one);
/// The number in every place.
RowOperation row_fill(Lane lane);
RowOperation row_copy(Lane lane);
/// To and from half as well.
RowOperation row_conversion(Lane to, Lane from);
/// The numbers of a where the bytes of b are not 0; elsewhere what stands there stays.
RowOperation row_masked_store(Lane stored);
/// Copies n bytes past the caches, as far as they fill lines of memory: others may read them after
/// _mm_sfence().
RowOperation row_streaming_copy();

}  // namespace goban::cpu
