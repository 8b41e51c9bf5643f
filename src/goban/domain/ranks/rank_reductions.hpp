#pragma once
// Values of all ranks as one.

#include <span>

#include "goban/backend/kernel_call.hpp"
#include "goban/base/communicator.hpp"
#include "goban/grid/box.hpp"

namespace goban {

/// Collective; NaN is not a value.
double minimum_of_ranks(Communicator& communicator, double value);
/// Collective.
void sum_over_ranks(Communicator& communicator, ExactSum& sum);
/// Collective: what the partial results of all ranks amount to.
void reduce_over_ranks(Communicator& communicator, Reducer& reducer);
/// Collective, element by element: what the ranks of this machine have together.
void sum_over_machine(Communicator& communicator, std::span<Index> values);
/// Collective: all ranks name this box.
bool all_have(Communicator& communicator, const Box& box);

}  // namespace goban
