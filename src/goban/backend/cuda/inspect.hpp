#pragma once
// Searches and sums all values of a field on the device that holds them.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cuda {

/// Queues a search and returns at once. It stores in the device's memory the inverse of the least
/// number of a value that is NaN or infinite, if that is larger than what is there.
void look_for_nonfinite(const std::vector<DeviceCells>& all, unsigned long long* found,
                        CUstream stream);

/// These wait for their result. `result` must have room for an ExactSum::State in the device's
/// memory.
std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream);
void reduce(const DeviceCells& cells, Reducer& reducer, unsigned long long* result,
            CUstream stream);

/// Adds the result of a reduction kernel to its reducer: the state of a sum, or a number that
/// orders as the extremum does, 0 if there were no terms; see kernels/exact_sum.cuh.
void add_result(const std::int64_t* state, Reducer& reducer);

}  // namespace goban::cuda
