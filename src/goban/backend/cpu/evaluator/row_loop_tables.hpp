#pragma once
// The tables of the loops over rows, which are compiled for several instruction sets.

#include "goban/backend/cpu/evaluator/row_operations.hpp"

namespace goban::cpu {

enum class Move { fill, copy, stream };

/// The functions that return the loops of one instruction set.
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

/// Convert halves on machines that have no instructions for it.
void float_from_half_one_by_one(float* to, const half* from, Index n);
void half_from_float_one_by_one(half* to, const float* from, Index n);

}  // namespace goban::cpu
