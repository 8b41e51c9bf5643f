#pragma once
// Looks at all values of a field on the device that holds them.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cuda {

/// Returns at once. Leaves in the device's memory the inverse of the least number of a value that
/// is NaN or infinite, if that is more than what is there.
void look_for_nonfinite(const std::vector<DeviceCells>& all, unsigned long long* found,
                        CUstream stream);

/// `result` has room for an ExactSum::State in the device's memory. Both return when they know.
std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream);
void reduce(const DeviceCells& cells, Reducer& reducer, unsigned long long* result,
            CUstream stream);

/// Adds what a reduction has left to its reducer: the state of a sum, or a number that orders as
/// the extremum does, 0 where there were no terms; see kernels/exact_sum.cuh.
void add_result(const std::int64_t* state, Reducer& reducer);

}  // namespace goban::cuda
