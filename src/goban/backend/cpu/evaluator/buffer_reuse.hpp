#pragma once
// Lets the values of a program share buffers.

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// Renumbers the buffers so that those no longer needed are used again, and returns their number. A
/// result may take the buffer of an operand only if both have elements of the same size, as
/// operations require.
int reuse_buffers(std::vector<Instruction>& instructions);

}  // namespace goban::cpu
