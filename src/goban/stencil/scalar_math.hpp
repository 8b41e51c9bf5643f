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

GOBAN_FUNCTIONS_OF_ONE(GOBAN_FUNCTION_OF_ONE)
#undef GOBAN_FUNCTION_OF_ONE

#define GOBAN_FUNCTION_OF_TWO(name) \
  template <std::floating_point T>  \
  GOBAN_FUNCTION T name(T x, T y) { \
    return mathematics::name(x, y); \
  }

GOBAN_FUNCTIONS_OF_TWO(GOBAN_FUNCTION_OF_TWO)
#undef GOBAN_FUNCTION_OF_TWO

}  // namespace goban
