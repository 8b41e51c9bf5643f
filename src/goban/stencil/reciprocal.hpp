#pragma once
// Reciprocals for GPUs: without branches, and with a branch for every lane.

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
  return detail::traced_operation<Traced<T, Varying>>(detail::Operation::arithmetic,
                                                      GraphOp::reciprocal, x);
}

/// 1/x of any x. On GPUs the compiler's own, lane by lane, each with a branch, for functors that
/// read many components once each: across these branches the compiler keeps what it has loaded.
/// D3Q19 in halves and in place reaches 0.84 of the copy of an H200 so, with quotients of packs
/// 0.76 and with reciprocal() 0.73.
template <std::floating_point T>
GOBAN_FUNCTION T reciprocal_by_lane(T x) {
  return 1 / x;
}

template <std::floating_point T, int N>
GOBAN_INLINE Pack<T, N> reciprocal_by_lane(const Pack<T, N>& x) {
#ifdef __CUDA_ARCH__
  return detail::map_lanes([](T lane) { return 1 / lane; }, x);
#else
  return 1 / x;
#endif
}

template <std::floating_point T, bool Varying>
GOBAN_FUNCTION auto reciprocal_by_lane(const Traced<T, Varying>& x) {
  return detail::traced_operation<Traced<T, Varying>>(detail::Operation::arithmetic,
                                                      GraphOp::reciprocal_by_lane, x);
}

}  // namespace goban
