#pragma once
// The mathematical functions of packs: those of mathematics/ in every lane, a register at a time.

#include "mathematics_packs.hpp"

#include "goban/stencil/mathematics/functions.hpp"

namespace goban::device {

#define GOBAN_FUNCTION_OF_ONE(name)                                             \
  template <class T>                                                            \
  GOBAN_DEVICE T name(T x) {                                                    \
    return mathematics::name(x);                                                \
  }                                                                             \
  template <class T, int N>                                                     \
  GOBAN_DEVICE Pack<T, N> name(const Pack<T, N>& a) {                           \
    return by_registers([](const auto& x) { return mathematics::name(x); }, a); \
  }
GOBAN_FUNCTIONS_OF_ONE(GOBAN_FUNCTION_OF_ONE)
#undef GOBAN_FUNCTION_OF_ONE

#define GOBAN_FUNCTION_OF_TWO(name)                                                              \
  template <class T>                                                                             \
  GOBAN_DEVICE T name(T x, T y) {                                                                \
    return mathematics::name(x, y);                                                              \
  }                                                                                              \
  template <class T, int N>                                                                      \
  GOBAN_DEVICE Pack<T, N> name(const Pack<T, N>& a, const Pack<T, N>& b) {                       \
    return by_registers([](const auto& x, const auto& y) { return mathematics::name(x, y); }, a, \
                        b);                                                                      \
  }
GOBAN_FUNCTIONS_OF_TWO(GOBAN_FUNCTION_OF_TWO)
#undef GOBAN_FUNCTION_OF_TWO

}  // namespace goban::device
