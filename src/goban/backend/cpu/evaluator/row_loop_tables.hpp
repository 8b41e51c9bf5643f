#pragma once
// The same loops over rows, compiled for several instruction sets.

#include "goban/backend/cpu/evaluator/row_operations.hpp"

namespace goban::cpu {

enum class Move { fill, copy, masked_store, stream };

/// Where they are found in one of the instruction sets.
struct RowLoops {
  RowOperation (*operation)(GraphOp op, Lane lane, const OneNumber& is_one);
  RowOperation (*pair)(const OperationPair& pair, Lane lane, const OneNumber& is_one);
  RowOperation (*move)(Move move, Index bytes);
  RowOperation (*conversion)(Lane to, Lane from);
};

namespace baseline {
extern const RowLoops loops;
}
namespace avx2 {
extern const RowLoops loops;
}
namespace avx512 {
extern const RowLoops loops;
}

/// For machines without instructions for that.
void float_from_half_one_by_one(float* to, const half* from, Index n);
void half_from_float_one_by_one(half* to, const float* from, Index n);

}  // namespace goban::cpu
