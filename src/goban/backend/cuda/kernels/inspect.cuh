#pragma once
// Looks at all values of a field, stored as `Element`.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

/// Axes as in the grid; `fast` is the one along which values lie side by side.
struct InspectedCells {
  const unsigned char* origin;
  Index stride[3], step[3];
  Index low[3], extent[3];
  Index first;
  int fast;
  int padding;
};

inline constexpr int inspect_threads = 256;

/// Components and fields that one launch looks at, side by side along y.
struct ManyInspectedCells {
  InspectedCells all[32];
};

}  // namespace goban::device

#if GOBAN_KERNEL

#include "exact_sum.cuh"
#include "goban/backend/kernels/mix.hpp"
#include "memory.cuh"

namespace goban::device {

/// Calls visit(value, number) for every value; a warp takes rows in turn. `look(has_value, value)`
/// is called by all threads of a warp before, as often by each.
template <class Look, class Visit>
GOBAN_DEVICE void visit_all(const InspectedCells& c, Look&& look, Visit&& visit) {
  constexpr uint32 warps = inspect_threads / 32;
  const int middle = c.fast == 0 ? 1 : 0, slow = 3 - c.fast - middle;
  const auto across = static_cast<uint32>(c.extent[middle]);
  const auto rows = static_cast<uint32>(c.extent[middle] * c.extent[slow]);
  const uint32 lane = threadIdx.x % 32;
  for (uint32 row = blockIdx.x * warps + threadIdx.x / 32; row < rows; row += gridDim.x * warps) {
    const Index s = c.low[slow] + row / across, m = c.low[middle] + row % across;
    const Index f = c.low[c.fast];
    const Element* const values =
        reinterpret_cast<const Element*>(c.origin) +
        (m * c.stride[middle] + s * c.stride[slow] + f * c.stride[c.fast]);
    const Index number = c.first + m * c.step[middle] + s * c.step[slow] + f * c.step[c.fast];
#pragma unroll 4
    for (Index begin = 0; begin < c.extent[c.fast]; begin += 32) {
      const bool has_value = begin + lane < c.extent[c.fast];
      const Index i = has_value ? begin + lane : begin;
      const Element value = values[i * c.stride[c.fast]];
      look(has_value, value);
      if (has_value) visit(value, number + i * c.step[c.fast]);
    }
  }
}
template <class Visit>
GOBAN_DEVICE void visit_all(const InspectedCells& c, Visit&& visit) {
  visit_all(
      c, [](bool, const Element&) {}, visit);
}

template <class E>
GOBAN_DEVICE double number_of(const E& value) {
  if constexpr (same<E, half>) {
    return static_cast<double>(float_of_half(value.bits));
  } else {
    return static_cast<double>(value);
  }
}

template <class E>
GOBAN_DEVICE uint64 bits_of(const E& value) {
  if constexpr (same<E, double>) {
    return static_cast<uint64>(__double_as_longlong(value));
  } else if constexpr (same<E, float>) {
    return __float_as_uint(value);
  } else if constexpr (same<E, half>) {
    return value.bits;
  } else {
    return static_cast<uint64>(static_cast<long long>(value));
  }
}

/// Set in all bits of NaN and infinity, and in no other number.
constexpr uint64 exponent_bits() {
  if constexpr (same<Element, double>) return 0x7ff0000000000000ull;
  return same<Element, float> ? 0x7f800000ull : 0x7c00ull;
}

}  // namespace goban::device

/// Looks for floating-point elements that are NaN or infinite: the inverse of the least number of
/// such an element goes to `found` if that is more than what is there.
extern "C" __global__ void __launch_bounds__(goban::device::inspect_threads)
    goban_find_nonfinite(const __grid_constant__ goban::device::ManyInspectedCells cells,
                         goban::device::uint64* found) {
  using namespace goban::device;
  constexpr uint64 mask = exponent_bits();
  uint64 least = ~uint64{0};
  visit_all(cells.all[blockIdx.y], [&](const Element& value, Index number) {
    const bool is_finite = (bits_of(value) & mask) != mask;
    if (!is_finite && static_cast<uint64>(number) < least) least = static_cast<uint64>(number);
  });
  if (least != ~uint64{0}) atomicMax(found, ~least);
}

extern "C" __global__ void __launch_bounds__(goban::device::inspect_threads)
    goban_checksum(const __grid_constant__ goban::device::InspectedCells cells,
                   goban::device::uint64* total) {
  using namespace goban::device;
  uint64 sum = 0;
  visit_all(cells, [&](const Element& value, Index number) {
    sum += mix(mix(static_cast<uint64>(number)) ^ bits_of(value));
  });
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

/// Leaves an ordered() number, of a minimum that of its inverse, or order_of_nan.
extern "C" __global__ void __launch_bounds__(goban::device::inspect_threads)
    goban_extremum(const __grid_constant__ goban::device::InspectedCells cells,
                   goban::device::uint64* found, int is_minimum) {
  using namespace goban::device;
  PartialExtremum extremum(is_minimum != 0);
  visit_all(cells, [&](const Element& value, Index) { extremum.add(number_of(value)); });
  extremum.flush(found, static_cast<int>(threadIdx.x) % 32);
}

/// Adds to the state of an exact sum.
extern "C" __global__ void __launch_bounds__(goban::device::inspect_threads)
    goban_sum(const __grid_constant__ goban::device::InspectedCells cells,
              goban::device::uint64* state) {
  using namespace goban::device;
  __shared__ uint64 limbs[state_size];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < state_size; i += threads) limbs[i] = 0;
  __syncthreads();
  PartialSum sum;
  visit_all(
      cells,
      [&](bool has_value, const Element& value) {
        if (sum.is_open()) sum.begin(most_of_warp(has_value ? limb_of(number_of(value)) : -1));
      },
      [&](const Element& value, Index) { sum.add(number_of(value), limbs); });
  __syncwarp();
  sum.flush(limbs, thread % 32);
  __syncthreads();
  for (int i = thread; i < state_size; i += threads) {
    const auto part = static_cast<uint64>(with_carries(limbs, i));
    if (part != 0) atomicAdd(state + i, part);
  }
}

#endif
