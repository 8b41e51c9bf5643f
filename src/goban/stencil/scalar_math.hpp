#pragma once
// The functions of packs for plain numbers: what they compute with values that are the same for
// all cells.

#include <cmath>

#include "goban/base/macros.hpp"
#include "goban/stencil/promotion.hpp"

namespace goban {

/// static_cast under the name it has for packs.
template <LaneType To, Scalar S>
GOBAN_FUNCTION To convert(S s) {
  return static_cast<To>(s);
}

template <Scalar X, Scalar Y>
GOBAN_FUNCTION auto select(bool condition, X a, Y b) {
  return condition ? a : b;
}

template <class S>
requires std::is_arithmetic_v<S> GOBAN_FUNCTION S abs(S x) {
  if constexpr (std::is_floating_point_v<S>) {
    return std::abs(x);
  } else {
    return x < 0 ? static_cast<S>(-x) : x;
  }
}
template <class S>
requires std::is_arithmetic_v<S> GOBAN_FUNCTION S min(S a, S b) { return b < a ? b : a; }
template <class S>
requires std::is_arithmetic_v<S> GOBAN_FUNCTION S max(S a, S b) { return a < b ? b : a; }

/// x, of which the functor knows that it lies in Low ... High: devices compute sums and comparisons
/// of bytes in fewer steps then. Nothing checks it; what depends on a wrong one is unspecified.
template <int Low, int High, class S>
requires std::is_arithmetic_v<S> GOBAN_FUNCTION S within(S x) { return x; }

#define GOBAN_FUNCTION_OF_ONE(name) \
  template <std::floating_point T>  \
  GOBAN_FUNCTION T name(T x) {      \
    return std::name(x);            \
  }

GOBAN_FUNCTION_OF_ONE(sqrt)
GOBAN_FUNCTION_OF_ONE(cbrt)
GOBAN_FUNCTION_OF_ONE(floor)
GOBAN_FUNCTION_OF_ONE(ceil)
GOBAN_FUNCTION_OF_ONE(exp)
GOBAN_FUNCTION_OF_ONE(log)
GOBAN_FUNCTION_OF_ONE(sin)
GOBAN_FUNCTION_OF_ONE(cos)
GOBAN_FUNCTION_OF_ONE(tan)
GOBAN_FUNCTION_OF_ONE(tanh)
GOBAN_FUNCTION_OF_ONE(atan)
#undef GOBAN_FUNCTION_OF_ONE

template <std::floating_point T>
GOBAN_FUNCTION T pow(T x, T y) {
  return std::pow(x, y);
}
template <std::floating_point T>
GOBAN_FUNCTION T atan2(T y, T x) {
  return std::atan2(y, x);
}
template <std::floating_point T>
GOBAN_FUNCTION T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

}  // namespace goban
