#pragma once
// Reciprocals without branches, for GPUs.

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/scalar_math.hpp"

namespace goban {

/// 1/x, correctly rounded where x and 1/x are normal numbers and |x| < 2^125; anything otherwise.
/// Division itself branches on GPUs, lane by lane: not for quotients of such numbers, but the
/// compiler does not know of them, and for zero over anything. In place of a/x: a * reciprocal(x).
template <std::floating_point T>
GOBAN_FUNCTION T reciprocal(T x) {
  return 1 / x;
}

template <std::floating_point T, bool Varying>
GOBAN_FUNCTION auto reciprocal(const Traced<T, Varying>& x) {
  return detail::traced_operation<Traced<T, Varying>>(detail::Operation::arithmetic,
                                                      GraphOp::reciprocal, x);
}

}  // namespace goban
