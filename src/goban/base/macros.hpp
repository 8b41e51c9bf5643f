#pragma once
// Compiler switches. GOBAN_FUNCTION marks what a functor and the code it calls are made of.

#ifdef __FAST_MATH__
#error "goban: -ffast-math breaks the bit contract; build with -ffp-contract=off and no fast-math"
#endif

#ifdef __CUDACC__
#define GOBAN_FUNCTION constexpr __host__ __device__
#else
#define GOBAN_FUNCTION constexpr
#endif

#define GOBAN_INLINE [[gnu::always_inline]] inline
