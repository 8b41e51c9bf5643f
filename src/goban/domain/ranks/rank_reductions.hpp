#pragma once
// Reductions over all ranks.

#include <span>

#include "goban/backend/kernel_call.hpp"
#include "goban/base/communicator.hpp"
#include "goban/grid/box.hpp"

namespace goban {

/// Returns the minimum of the values of all ranks; NaN if any of them is NaN. Collective.
double minimum_of_ranks(Communicator& communicator, double value);
/// Adds up the sums of all ranks. Collective.
void sum_over_ranks(Communicator& communicator, ExactSum& sum);
/// Combines the partial results of all ranks. Collective.
void reduce_over_ranks(Communicator& communicator, Reducer& reducer);
/// Adds up the values of the ranks on this machine, element by element. Collective.
void sum_over_machine(Communicator& communicator, std::span<Index> values);
/// Returns whether all ranks pass this box. Collective.
bool all_have(Communicator& communicator, const Box& box);

}  // namespace goban
