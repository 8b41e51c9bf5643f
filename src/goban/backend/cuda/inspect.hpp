#pragma once
// Looks at all values of a field on the device that holds them.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cuda {

/// `result` has room for an ExactSum::State in the device's memory. All return when they know.
bool is_finite(const DeviceCells& cells, unsigned long long* result, CUstream stream);
std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream);
void reduce(const DeviceCells& cells, Reducer& reducer, unsigned long long* result,
            CUstream stream);

/// Adds what a reduction has left to its reducer: the state of a sum, or a number that orders as
/// the extremum does, 0 where there were no terms; see kernels/exact_sum.cuh.
void add_result(const std::int64_t* state, Reducer& reducer);

}  // namespace goban::cuda
