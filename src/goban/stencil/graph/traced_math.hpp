#pragma once
// The mathematical functions of packs, traced.

#include "goban/stencil/graph/traced.hpp"
#include "goban/stencil/scalar_math.hpp"

namespace goban {

#define GOBAN_TRACED_FUNCTION(name, operation)                                                \
  template <class X>                                                                          \
  requires(detail::is_traced<X> && std::floating_point<detail::Plain<X>>) GOBAN_FUNCTION auto \
  name(const X& x) {                                                                          \
    return detail::traced_operation<X>(detail::Operation::operation, GraphOp::name, x);       \
  }

GOBAN_TRACED_FUNCTION(sqrt, arithmetic)
#define GOBAN_TRACED_SPECIAL(name) GOBAN_TRACED_FUNCTION(name, special)
GOBAN_FUNCTIONS_OF_ONE(GOBAN_TRACED_SPECIAL)
#undef GOBAN_TRACED_SPECIAL
#undef GOBAN_TRACED_FUNCTION

// Sign and rounding are not counted.
#define GOBAN_TRACED_FREE_FUNCTION(name, requirement)                                       \
  template <class X>                                                                        \
  requires(detail::is_traced<X> && requirement<detail::Plain<X>>) GOBAN_FUNCTION auto name( \
      const X& x) {                                                                         \
    return detail::traced_operation<X>(detail::Operation::uncounted, GraphOp::name, x);     \
  }

GOBAN_TRACED_FREE_FUNCTION(floor, std::floating_point)
GOBAN_TRACED_FREE_FUNCTION(ceil, std::floating_point)
GOBAN_TRACED_FREE_FUNCTION(abs, LaneType)
#undef GOBAN_TRACED_FREE_FUNCTION

template <int Low, int High, class T, bool Varying>
GOBAN_FUNCTION Traced<T, Varying> within(const Traced<T, Varying>& x) {
  static_assert(Low <= High, "goban: within<low, high> needs low <= high");
  if (x.recorder == nullptr || !x.recorder->makes_graph() || x.node < 0) return x;
  return Traced<T, Varying>(
      x.recorder, x.recorder->node(
                      {GraphOp::within, GraphType::of<T>(Varying), {x.node, -1, -1}, {Low, High}}));
}

#define GOBAN_TRACED_FUNCTION_OF_TWO(name, operation, op)                                     \
  template <class X, class Y>                                                                 \
  requires TracedArguments<X, Y> GOBAN_FUNCTION auto name(X x, Y y) {                         \
    return detail::traced_operation<detail::TracedCommon<X, Y>>(detail::Operation::operation, \
                                                                GraphOp::op, x, y);           \
  }

GOBAN_TRACED_FUNCTION_OF_TWO(min, arithmetic, minimum)
GOBAN_TRACED_FUNCTION_OF_TWO(max, arithmetic, maximum)
GOBAN_TRACED_FUNCTION_OF_TWO(pow, special, pow)
GOBAN_TRACED_FUNCTION_OF_TWO(atan2, special, atan2)
#undef GOBAN_TRACED_FUNCTION_OF_TWO

template <class X, class Y, class Z>
requires TracedArguments<X, Y, Z> GOBAN_FUNCTION auto fma(X a, Y b, Z c) {
  return detail::traced_operation<detail::TracedCommon<X, Y, Z>>(detail::Operation::fused,
                                                                 GraphOp::fma, a, b, c);
}

}  // namespace goban
