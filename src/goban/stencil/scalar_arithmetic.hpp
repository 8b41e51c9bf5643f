#pragma once
// What pack_arithmetic.hpp has, for plain numbers: values that are the same for all cells.

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

template <std::floating_point T>
GOBAN_FUNCTION T sqrt(T x) {
  return std::sqrt(x);
}
template <std::floating_point T>
GOBAN_FUNCTION T floor(T x) {
  return std::floor(x);
}
template <std::floating_point T>
GOBAN_FUNCTION T ceil(T x) {
  return std::ceil(x);
}
template <std::floating_point T>
GOBAN_FUNCTION T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

}  // namespace goban
