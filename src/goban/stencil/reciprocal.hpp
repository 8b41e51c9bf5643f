#pragma once
// Reciprocals that GPUs compute without branches.

#include "goban/stencil/pack_math.hpp"
#include "goban/stencil/traced_math.hpp"

namespace goban {

/// 1/x, correctly rounded where x and 1/x are normal numbers and |x| < 2^125; anything otherwise.
/// Division itself branches on GPUs, lane by lane: not for quotients of such numbers, but the
/// compiler does not know of them, and for zero over anything. In place of a/x: a * reciprocal(x).
template <std::floating_point T>
GOBAN_FUNCTION T reciprocal(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::same_as<T, float>) {
    // What CUDA's own 1.0f / x does between its checks.
    float guess = 0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
    return std::fma(guess, std::fma(-x, guess, 1.0f), guess);
  }
#endif
  return 1 / x;
}

template <std::floating_point T, int N>
GOBAN_INLINE Pack<T, N> reciprocal(const Pack<T, N>& x) {
#ifdef __CUDA_ARCH__
  return detail::map_lanes([](T lane) { return reciprocal(lane); }, x);
#else
  return 1 / x;
#endif
}

template <std::floating_point T, bool Varying>
GOBAN_FUNCTION auto reciprocal(const Traced<T, Varying>& x) {
  return 1 / x;
}

}  // namespace goban
