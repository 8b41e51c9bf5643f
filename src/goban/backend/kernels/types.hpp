#pragma once
// What every kernel text begins with. Kernel texts include nothing but each other: they are
// compiled at run time, and what host and kernels share is compiled by the host, too.

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define GOBAN_KERNEL 1
#define GOBAN_DEVICE __device__ __forceinline__
#elif defined(GOBAN_CPU_KERNEL)
#define GOBAN_KERNEL 1
#define GOBAN_DEVICE __attribute__((always_inline)) inline
#else
#define GOBAN_KERNEL 0
#define GOBAN_DEVICE inline
#endif

namespace goban::device {

using Index = long long;
using int32 = int;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using int64 = long long;
using uint64 = unsigned long long;

/// Reads a number that others may have written since the kernel began.
GOBAN_DEVICE double number_in_memory(const double* number) {
#ifdef __CUDA_ARCH__
  return __ldcg(number);
#else
  return *number;
#endif
}

static_assert(sizeof(Index) == 8 && sizeof(int) == 4 && sizeof(void*) == 8);

}  // namespace goban::device
