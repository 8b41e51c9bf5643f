#pragma once
// Compiler switches. GOBAN_FUNCTION marks what a functor and the code it calls are made of.

#ifdef __FAST_MATH__
#error "goban: -ffast-math breaks the bit contract; build with -ffp-contract=off and no fast-math"
#endif

#define GOBAN_FUNCTION constexpr
#define GOBAN_INLINE [[gnu::always_inline]] inline
