#pragma once
// The mathematical functions of packs: those of mathematics/ in every lane.

#include "goban/stencil/pack/pack_arithmetic.hpp"
#include "goban/stencil/scalar_math.hpp"

namespace goban {

namespace detail {

#ifdef __AVX512F__
inline constexpr int register_bytes = 64;
#else
inline constexpr int register_bytes = 32;
#endif

/// f of packs, a register at a time.
template <class F, class T, int N, std::same_as<Pack<T, N>>... More>
GOBAN_INLINE Pack<T, N> by_registers(F f, const Pack<T, N>& a, const More&... more) {
  if constexpr (N == 1) {
    return Pack<T, N>(f(a.raw, more.raw...));
  } else if constexpr (sizeof(a.raw) <= register_bytes) {
    return f(a, more...);
  } else {
    constexpr int lanes = register_bytes / sizeof(T);
    Pack<T, N> result;
    for (int first = 0; first < N; first += lanes) {
      const auto part = [first](const Pack<T, N>& whole) {
        Pack<T, lanes> some;
        std::memcpy(&some.raw, reinterpret_cast<const T*>(&whole.raw) + first, sizeof(some.raw));
        return some;
      };
      const auto found = f(part(a), part(more)...);
      std::memcpy(reinterpret_cast<T*>(&result.raw) + first, &found.raw, sizeof(found.raw));
    }
    return result;
  }
}

}  // namespace detail

#define GOBAN_FUNCTION_OF_ONE(name)                                              \
  template <std::floating_point T, int N>                                        \
  GOBAN_INLINE Pack<T, N> name(const Pack<T, N>& a) {                            \
    return detail::by_registers([](auto x) { return mathematics::name(x); }, a); \
  }

GOBAN_FUNCTIONS_OF_ONE(GOBAN_FUNCTION_OF_ONE)
#undef GOBAN_FUNCTION_OF_ONE

#define GOBAN_FUNCTION_OF_TWO(name)                                                     \
  template <class X, class Y>                                                           \
  requires PackArguments<X, Y> GOBAN_INLINE auto name(X x, Y y) {                       \
    using P = detail::CommonPack<X, Y>;                                                 \
    return detail::by_registers([](auto a, auto b) { return mathematics::name(a, b); }, \
                                detail::to_pack<P>(x), detail::to_pack<P>(y));          \
  }

GOBAN_FUNCTIONS_OF_TWO(GOBAN_FUNCTION_OF_TWO)
#undef GOBAN_FUNCTION_OF_TWO

}  // namespace goban
