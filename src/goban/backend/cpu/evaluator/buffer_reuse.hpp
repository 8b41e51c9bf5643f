#pragma once
// Which rows in cache the values of a program share.

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// Numbers the buffers anew, so that those which are no longer needed are used again; returns how
/// many there are. A result takes the place of an operand only where both have elements of one
/// size, as operations ask for.
int reuse_buffers(std::vector<Instruction>& instructions);

}  // namespace goban::cpu
