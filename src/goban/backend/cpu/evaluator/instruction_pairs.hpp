#pragma once
// Instructions that are carried out together, so that what one hands to the other takes no way
// through memory.

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// Joins each sum, difference or product with the one that alone uses it, where there is such an
/// operation; buffers are not yet shared.
void join_pairs(RowProgram& program);

}  // namespace goban::cpu
