#pragma once
// Compiler switches. GOBAN_FUNCTION marks what a functor and the code it calls are made of.

#ifdef __FAST_MATH__
#error "goban: -ffast-math breaks the bit contract; build with -ffp-contract=off and no fast-math"
#endif

// nvcc reads a source once for the host and once for the device. What a functor is made of is plain
// host code in the first and device code in the second, so that both may implement it their own
// way.
#ifdef __CUDA_ARCH__
#define GOBAN_FUNCTION constexpr __host__ __device__
#define GOBAN_INLINE __host__ __device__ __forceinline__
#else
#define GOBAN_FUNCTION constexpr
#define GOBAN_INLINE [[gnu::always_inline]] inline
#endif
