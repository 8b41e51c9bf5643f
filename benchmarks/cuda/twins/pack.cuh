#pragma once
// Hand-written CUDA twins: the fastest code we know for a kernel, on raw pointers, to measure goban
// against. Each has the bits of the formula at its head, without contraction (-fmad=false).
//
// Here: what a twin is told of its arrays, packs of cells, and launches.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace goban::cuda_twins {

using Index = std::int64_t;

/// An array of cells with x fastest. Pointers go to cell (0, 0, 0), which lies, like `pitch`, on a
/// multiple of 128 bytes. Ghost cells of the stencil's reach surround the cells, hold valid values
/// and are never written; 16 bytes on either side of a row, its last 16 bytes filled up, are
/// readable.
struct Grid {
  int nx, ny, nz;
  Index pitch;  ///< elements from a row to the next
  Index plane;  ///< elements from a plane to the next
};

inline constexpr unsigned all_lanes = 0xffffffffu;

__host__ __device__ constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

template <int Bytes>
struct Words;
template <>
struct Words<2> {
  using type = unsigned short;
};
template <>
struct Words<4> {
  using type = unsigned;
};
template <>
struct Words<8> {
  using type = uint2;
};
template <>
struct Words<16> {
  using type = uint4;
};

/// N cells beside each other in x, loaded and stored together.
template <class T, int N = 16 / sizeof(T)>
struct Pack {
  static constexpr int size = N;
  T v[N];
};

template <int N, class T>
__device__ __forceinline__ Pack<T, N> load(const T* from) {
  using W = typename Words<N * sizeof(T)>::type;
  const W words = *reinterpret_cast<const W*>(from);
  Pack<T, N> pack;
  __builtin_memcpy(&pack, &words, sizeof(pack));
  return pack;
}
template <class T>
__device__ __forceinline__ Pack<T> load(const T* from) {
  return load<16 / sizeof(T)>(from);
}

template <class T, int N>
__device__ __forceinline__ void store(T* to, const Pack<T, N>& pack) {
  typename Words<N * sizeof(T)>::type words;
  __builtin_memcpy(&words, &pack, sizeof(pack));
  *reinterpret_cast<decltype(words)*>(to) = words;
}

/// As store, first to leave the cache.
template <class T, int N>
__device__ __forceinline__ void stream(T* to, const Pack<T, N>& pack) {
  typename Words<N * sizeof(T)>::type words;
  __builtin_memcpy(&words, &pack, sizeof(pack));
  __stcs(reinterpret_cast<decltype(words)*>(to), words);
}

/// As stream, of the first `cells` cells.
template <class T, int N>
__device__ __forceinline__ void stream_first(T* to, const Pack<T, N>& pack, int cells) {
  if (cells >= N) {
    stream(to, pack);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (i < cells) to[i] = pack.v[i];
    }
  }
}

/// The block's dynamic shared memory.
template <class T>
__device__ __forceinline__ T& shared_memory() {
  extern __shared__ __align__(128) unsigned char memory[];
  return *reinterpret_cast<T*>(memory);
}

struct Launch {
  dim3 blocks, threads;
  unsigned shared_bytes = 0;
  unsigned cluster = 1;  ///< blocks of a cluster, along y
};

inline cudaLaunchConfig_t configure(const Launch& shape, cudaStream_t stream,
                                    cudaLaunchAttribute& attribute) {
  attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 1;
  attribute.val.clusterDim.y = shape.cluster;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  return config;
}

template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...), const Launch& shape) {
  if (shape.shared_bytes <= 48 * 1024) return;
  cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(shape.shared_bytes));
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& shape, cudaStream_t stream,
            const Arguments&... arguments) {
  allow_shared_memory(kernel, shape);
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config = configure(shape, stream, attribute);
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// Clusters of this shape that run at the same time.
template <class... Parameters>
int places(void (*kernel)(Parameters...), const Launch& shape) {
  const auto* function = reinterpret_cast<const void*>(kernel);
  int device = 0, processors = 1, blocks = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  allow_shared_memory(kernel, shape);
  if (shape.cluster > 1) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = configure(shape, nullptr, attribute);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, function, &config) == cudaSuccess) {
      return std::max(clusters, 1);
    }
    cudaGetLastError();
  }
  const int threads = static_cast<int>(shape.threads.x * shape.threads.y);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shape.shared_bytes);
  return std::max(processors * blocks / static_cast<int>(shape.cluster), 1);
}

/// Planes a block should march where `columns` clusters stand beside each other: they fill the
/// device evenly, and few of them spend `lead` planes to begin with.
template <class... Parameters>
int chunk_of_planes(void (*kernel)(Parameters...), const Launch& shape, int columns, int planes,
                    int lead) {
  const int at_once = places(kernel, shape);
  int best = planes;
  Index least = 0;
  for (int chunks = 1; chunks <= divide_up(planes, 16); ++chunks) {
    const int chunk = divide_up(planes, chunks);
    const Index rounds = divide_up(columns * divide_up(planes, chunk), at_once);
    const Index time = rounds * (chunk + lead);
    if (chunks == 1 || time < least) least = time, best = chunk;
  }
  return best;
}

}  // namespace goban::cuda_twins
