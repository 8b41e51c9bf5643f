#include "goban/backend/cpu/evaluator/row_operations.hpp"

#include "goban/backend/cpu/evaluator/row_loop_tables.hpp"
#include "goban/backend/instruction_set.hpp"

namespace goban::cpu {
namespace {

const RowLoops& loops_of_machine() {
  static const RowLoops& loops = GOBAN_LOOPS_OF_PROCESSOR(loops);
  return loops;
}

}  // namespace

void float_from_half_one_by_one(float* to, const half* from, Index n) {
  for (Index i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
void half_from_float_one_by_one(half* to, const float* from, Index n) {
  for (Index i = 0; i < n; ++i) to[i] = half(from[i]);
}

RowOperation row_operation(GraphOp op, Lane lane, const OneNumber& is_one) {
  return loops_of_machine().operation(op, lane, is_one);
}
RowOperation row_pair(const OperationPair& pair, Lane lane, const OneNumber& is_one) {
  return loops_of_machine().pair(pair, lane, is_one);
}
RowOperation row_fill(Lane lane) { return loops_of_machine().move(Move::fill, bytes_of(lane)); }
RowOperation row_copy(Lane lane) { return loops_of_machine().move(Move::copy, bytes_of(lane)); }
RowOperation row_conversion(Lane to, Lane from) { return loops_of_machine().conversion(to, from); }
RowOperation row_streaming_copy() { return loops_of_machine().move(Move::stream, 1); }

}  // namespace goban::cpu
