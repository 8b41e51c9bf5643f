#pragma once
// Copies that run by themselves and barriers in shared memory (PTX of compute capability 9.0).

#include <cuda.h>

#include "pack.cuh"

namespace goban::cuda_twins {

/// Counts arrivals and bytes; a phase ends when all that was expected has come.
struct Barrier {
  std::uint64_t state;
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// By one thread, then fence_barriers, then a block barrier.
__device__ __forceinline__ void initialize(Barrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
/// Arrives, and lets the phase last until `bytes` more have been copied.
__device__ __forceinline__ void arrive_and_expect(Barrier& barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
}
/// Until the phase of this parity is over; phases are numbered from 0.
__device__ __forceinline__ void wait(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}
/// As wait, for what other blocks of the cluster have written.
__device__ __forceinline__ void wait_in_cluster(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

/// Number of the block in its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// Until all blocks of the cluster are here.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// Where block `rank` has what is at `p` here.
__device__ __forceinline__ unsigned address_in_cluster(const void* p, unsigned rank) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
  return address;
}
__device__ __forceinline__ void store_in_cluster(unsigned address, const uint4& value) {
  asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}
__device__ __forceinline__ void arrive_in_cluster(unsigned barrier_address) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier_address)
               : "memory");
}

/// True for one lane of a full warp. The compiler then knows that a branch has one thread, which
/// copy_box, whose operands a warp shares, would otherwise find out in a loop.
__device__ __forceinline__ bool is_elected() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

/// A box of an array of three dimensions, as the copy engine is told.
using BoxMap = CUtensorMap;

/// Boxes of `width` x `height` x 1 of the cells and `ghosts` layers around them (in x full packs).
/// Copies of what lies beyond bring zeros.
template <class T>
BoxMap box_map(const T* u, const Grid& grid, int ghosts, int width, int height) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                     &found);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  constexpr int n = Pack<T>::size;
  const int x_ghosts = divide_up(ghosts, n) * n;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(divide_up(grid.nx, n) * n + 2 * x_ghosts),
                             static_cast<cuuint64_t>(grid.ny + 2 * ghosts),
                             static_cast<cuuint64_t>(grid.nz + 2 * ghosts)};
  const cuuint64_t strides[] = {grid.pitch * sizeof(T), grid.plane * sizeof(T)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(width), static_cast<cuuint32_t>(height), 1};
  const cuuint32_t every[] = {1, 1, 1};
  BoxMap map{};
  encode(&map, sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
         3, const_cast<T*>(u - ghosts * grid.plane - ghosts * grid.pitch - x_ghosts), size, strides,
         box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// The box that begins at (x, y, z), counted from the first ghost cell, to `to` on 128 bytes.
/// Counted by `barrier`, always as a full box.
__device__ __forceinline__ void copy_box(void* to, const BoxMap& map, int x, int y, int z,
                                         Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(&barrier))
      : "memory");
}

}  // namespace goban::cuda_twins
