#pragma once
// Joins pairs of instructions, so that the result of the first does not go through memory.

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// Joins each sum, difference or product with the sum, difference or product that alone uses it.
/// Must be called before buffers are shared.
void join_pairs(RowProgram& program);

}  // namespace goban::cpu
