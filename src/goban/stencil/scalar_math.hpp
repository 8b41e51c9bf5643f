#pragma once
// The mathematical functions for plain numbers: values that are the same for all cells.

#include "goban/base/macros.hpp"
#include "goban/stencil/mathematics/functions.hpp"
#include "goban/stencil/scalar_arithmetic.hpp"

namespace goban {

#define GOBAN_FUNCTION_OF_ONE(name) \
  template <std::floating_point T>  \
  GOBAN_FUNCTION T name(T x) {      \
    return mathematics::name(x);    \
  }

GOBAN_FUNCTION_OF_ONE(cbrt)
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
  return mathematics::pow(x, y);
}
template <std::floating_point T>
GOBAN_FUNCTION T atan2(T y, T x) {
  return mathematics::atan2(y, x);
}

}  // namespace goban
