#pragma once
// Copies that run by themselves and barriers in shared memory (compute capability 9.0).

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace goban::cuda {

/// Counts arrivals and bytes; a phase ends when all that was expected has come.
struct CopyBarrier {
  std::uint64_t state;
};

/// A box of an array of three dimensions, as the copy engine is told.
using BoxMap = CUtensorMap;

/// An array of 4-byte words, and what one copy brings of it.
struct CopiedArray {
  const void* first;
  std::int64_t words, rows, planes;
  std::int64_t row_bytes, plane_bytes;  ///< from one to the next
};

/// Copies of `words` x `rows` x 1; what lies beyond the array comes as zeros. False if the copy
/// engine cannot reach it.
inline bool make_box_map(BoxMap& map, const CopiedArray& array, int words, int rows) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found) != cudaSuccess) {
      cudaGetLastError();
      function = nullptr;
    }
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  const auto is_aligned = [](std::int64_t bytes) { return bytes > 0 && bytes % 16 == 0; };
  if (!encode || reinterpret_cast<std::uintptr_t>(array.first) % 16 != 0 ||
      !is_aligned(array.row_bytes) || !is_aligned(array.plane_bytes)) {
    return false;
  }
  const cuuint64_t size[] = {static_cast<cuuint64_t>(array.words),
                             static_cast<cuuint64_t>(array.rows),
                             static_cast<cuuint64_t>(array.planes)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(array.row_bytes),
                                static_cast<cuuint64_t>(array.plane_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(words), static_cast<cuuint32_t>(rows), 1};
  const cuuint32_t every[] = {1, 1, 1};
  return encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<void*>(array.first), size,
                strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/// Whether a kernel was compiled for a device with a copy engine.
inline bool has_copy_engine(const void* kernel) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.ptxVersion >= 90;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// By one thread, then fence_barriers, then a block barrier.
__device__ __forceinline__ void initialize(CopyBarrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive(CopyBarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
/// Arrives, and lets the phase last until `bytes` more have been copied.
__device__ __forceinline__ void arrive_and_expect(CopyBarrier& barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
}
/// Until the phase of this parity is over; phases are numbered from 0.
__device__ __forceinline__ void wait(CopyBarrier& barrier, unsigned parity) {
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

/// The box that begins at this word, row and plane of the array, to `to` on 128 bytes. Counted by
/// `barrier`, always as a full box.
__device__ __forceinline__ void copy_box(void* to, const BoxMap& map, int word, int row, int plane,
                                         CopyBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(word), "r"(row), "r"(plane), "r"(shared_address(&barrier))
      : "memory");
}

#endif

}  // namespace goban::cuda
