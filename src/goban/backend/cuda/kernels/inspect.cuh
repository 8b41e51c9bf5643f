#pragma once
// Looks at all values of a field, stored as `Element`.

#include "types.cuh"

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

}  // namespace goban::device

#if GOBAN_KERNEL

#include "memory.cuh"
#include "mix.cuh"

namespace goban::device {

/// Calls visit(value, number) for every value; a block takes rows in turn.
template <class Visit>
GOBAN_DEVICE void visit_all(const InspectedCells& c, Visit&& visit) {
  const int middle = c.fast == 0 ? 1 : 0, slow = 3 - c.fast - middle;
  const Index rows = c.extent[middle] * c.extent[slow];
  for (Index row = blockIdx.x; row < rows; row += gridDim.x) {
    const Index s = c.low[slow] + row / c.extent[middle];
    const Index m = c.low[middle] + row % c.extent[middle];
    const Index place = m * c.stride[middle] + s * c.stride[slow];
    const Index number = c.first + m * c.step[middle] + s * c.step[slow];
    for (Index i = threadIdx.x; i < c.extent[c.fast]; i += blockDim.x) {
      const Index f = c.low[c.fast] + i;
      visit(reinterpret_cast<const Element*>(c.origin)[place + f * c.stride[c.fast]],
            number + f * c.step[c.fast]);
    }
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

/// Of floating-point elements.
extern "C" __global__ void __launch_bounds__(goban::device::inspect_threads)
    goban_find_nonfinite(const __grid_constant__ goban::device::InspectedCells cells,
                         goban::device::uint64* found) {
  using namespace goban::device;
  constexpr uint64 mask = exponent_bits();
  bool any = false;
  visit_all(cells, [&](const Element& value, Index) { any |= (bits_of(value) & mask) == mask; });
  if (any) *found = 1;
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

#endif
