#include "goban/backend/cuda/inspect.cuh"

#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/base/mix.hpp"

namespace goban::cuda {
namespace {

/// Axes as in the grid; `fast` is the one along which values lie side by side.
struct Cells {
  const std::byte* origin;
  Index stride[3], step[3];
  Index low[3], extent[3];
  Index first;
  int fast;
};

constexpr int block = 256;

/// Calls visit(value, number) for every value; a block takes rows in turn.
template <class T, class Visit>
__device__ void visit_all(const Cells& c, Visit&& visit) {
  const int middle = c.fast == 0 ? 1 : 0, slow = 3 - c.fast - middle;
  const Index rows = c.extent[middle] * c.extent[slow];
  for (Index row = blockIdx.x; row < rows; row += gridDim.x) {
    const Index s = c.low[slow] + row / c.extent[middle];
    const Index m = c.low[middle] + row % c.extent[middle];
    const Index place = m * c.stride[middle] + s * c.stride[slow];
    const Index number = c.first + m * c.step[middle] + s * c.step[slow];
    for (Index i = threadIdx.x; i < c.extent[c.fast]; i += blockDim.x) {
      const Index f = c.low[c.fast] + i;
      visit(reinterpret_cast<const T*>(c.origin)[place + f * c.stride[c.fast]],
            number + f * c.step[c.fast]);
    }
  }
}

template <class T>
__device__ unsigned long long bits_of(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<unsigned long long>(__double_as_longlong(value));
  } else if constexpr (std::is_same_v<T, float>) {
    return __float_as_uint(value);
  } else if constexpr (std::is_same_v<T, half>) {
    return value.bits;
  } else {
    return static_cast<unsigned long long>(static_cast<long long>(value));
  }
}

template <class T>
constexpr unsigned long long exponent_bits() {
  if constexpr (std::is_same_v<T, double>) return 0x7ff0000000000000ull;
  return std::is_same_v<T, float> ? 0x7f800000ull : 0x7c00ull;
}

template <class T>
__global__ void __launch_bounds__(block)
    nonfinite_kernel(const __grid_constant__ Cells cells, unsigned long long* found) {
  constexpr unsigned long long mask = exponent_bits<T>();
  bool any = false;
  visit_all<T>(cells, [&](const T& value, Index) { any |= (bits_of(value) & mask) == mask; });
  if (any) *found = 1;
}

#ifdef __CUDA_ARCH__
__device__ unsigned long long mixed(unsigned long long v) { return mix(v); }
#else
__device__ unsigned long long mixed(unsigned long long v);
#endif

template <class T>
__global__ void __launch_bounds__(block)
    checksum_kernel(const __grid_constant__ Cells cells, unsigned long long* total) {
  unsigned long long sum = 0;
  visit_all<T>(cells, [&](const T& value, Index number) {
    sum += mixed(mixed(static_cast<unsigned long long>(number)) ^ bits_of(value));
  });
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

Cells cells_of(const DeviceCells& c) {
  Cells cells{};
  cells.origin = c.origin;
  cells.first = c.first;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    cells.stride[a] = c.stride[axis];
    cells.step[a] = c.step[axis];
    cells.low[a] = c.box.lower[axis];
    cells.extent[a] = c.box.extent(a);
    if (c.stride[axis] == 1) cells.fast = a;
  }
  return cells;
}

template <class Launch>
unsigned long long result_of(unsigned long long* result, cudaStream_t stream, Launch&& launch) {
  unsigned long long value = 0;
  check(cudaMemsetAsync(result, 0, sizeof(value), stream), "looking at its values");
  launch();
  check(cudaGetLastError(), "looking at its values");
  check(cudaMemcpyAsync(&value, result, sizeof(value), cudaMemcpyDeviceToHost, stream),
        "looking at its values");
  check(cudaStreamSynchronize(stream), "looking at its values");
  return value;
}

unsigned int blocks_for(const DeviceCells& c) {
  constexpr Index most = 8192;
  return static_cast<unsigned int>(
      std::min(most, c.box.volume() / std::max<Index>(1, c.box.extent(0)) + 1));
}

}  // namespace

bool is_finite(const DeviceCells& cells, unsigned long long* result, cudaStream_t stream) {
  if (cells.box.empty()) return true;
  return visit_element(cells.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return true;
    } else {
      return result_of(result, stream, [&] {
               nonfinite_kernel<T>
                   <<<blocks_for(cells), block, 0, stream>>>(cells_of(cells), result);
             }) == 0;
    }
  });
}

std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, cudaStream_t stream) {
  if (cells.box.empty()) return 0;
  return result_of(result, stream, [&] {
    visit_element(cells.type, [&]<class T>(T) {
      checksum_kernel<T><<<blocks_for(cells), block, 0, stream>>>(cells_of(cells), result);
    });
  });
}

}  // namespace goban::cuda
