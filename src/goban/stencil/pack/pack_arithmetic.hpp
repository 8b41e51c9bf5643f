#pragma once
// Functions of packs that are operations of IEEE 754 or of integers: rounding, extrema, fma. The
// result of a lane depends on its argument alone.

#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "goban/stencil/pack/pack_operators.hpp"
#include "goban/stencil/pack/scalar_arithmetic.hpp"

namespace goban {

namespace detail {

// g++ makes one vector loop of it where the machine has an instruction for f.
template <class T, int N, class F>
GOBAN_INLINE Pack<T, N> map_lanes(F f, const Pack<T, N>& a) {
  if constexpr (N == 1) {
    return Pack<T, N>(f(a.raw));
  } else {
    T lanes[N];
    std::memcpy(lanes, &a.raw, sizeof(lanes));
    for (int i = 0; i < N; ++i) lanes[i] = f(lanes[i]);
    Pack<T, N> result;
    std::memcpy(&result.raw, lanes, sizeof(lanes));
    return result;
  }
}

template <class T, int N, class F>
GOBAN_INLINE Pack<T, N> map_lanes(F f, const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (N == 1) {
    return Pack<T, N>(f(a.raw, b.raw));
  } else {
    T x[N], y[N];
    std::memcpy(x, &a.raw, sizeof(x));
    std::memcpy(y, &b.raw, sizeof(y));
    for (int i = 0; i < N; ++i) x[i] = f(x[i], y[i]);
    Pack<T, N> result;
    std::memcpy(&result.raw, x, sizeof(x));
    return result;
  }
}

template <class T, int N, class F>
GOBAN_INLINE Pack<T, N> map_lanes(F f, const Pack<T, N>& a, const Pack<T, N>& b,
                                  const Pack<T, N>& c) {
  if constexpr (N == 1) {
    return Pack<T, N>(f(a.raw, b.raw, c.raw));
  } else {
    T x[N], y[N], z[N];
    std::memcpy(x, &a.raw, sizeof(x));
    std::memcpy(y, &b.raw, sizeof(y));
    std::memcpy(z, &c.raw, sizeof(z));
    for (int i = 0; i < N; ++i) x[i] = f(x[i], y[i], z[i]);
    Pack<T, N> result;
    std::memcpy(&result.raw, x, sizeof(x));
    return result;
  }
}

// Rounds towards `Mode` with the vector instruction where the pack fills a register.
template <int Mode, class T, int N, class F>
GOBAN_INLINE Pack<T, N> round_lanes(F f, const Pack<T, N>& a) {
  [[maybe_unused]] constexpr int quiet = Mode | _MM_FROUND_NO_EXC;
  [[maybe_unused]] constexpr bool is_float = std::same_as<T, float>;
  [[maybe_unused]] constexpr std::size_t bytes = sizeof(a.raw);
#ifdef __AVX512F__
  if constexpr (bytes == 64 && is_float) {
    return packed<T, N>(_mm512_maskz_roundscale_ps(0xffff, (__m512)a.raw, quiet));
  } else if constexpr (bytes == 64) {
    return packed<T, N>(_mm512_maskz_roundscale_pd(0xff, (__m512d)a.raw, quiet));
  }
#endif
#ifdef __AVX__
  if constexpr (bytes == 32 && is_float) {
    return packed<T, N>(_mm256_round_ps((__m256)a.raw, quiet));
  } else if constexpr (bytes == 32) {
    return packed<T, N>(_mm256_round_pd((__m256d)a.raw, quiet));
  }
#endif
  return map_lanes(f, a);
}

/// a b + c, rounded once. g++ 12 multiplies and adds lane by lane otherwise.
template <class T, int N>
GOBAN_INLINE Pack<T, N> multiply_add(const Pack<T, N>& a, const Pack<T, N>& b,
                                     const Pack<T, N>& c) {
  [[maybe_unused]] constexpr bool is_float = std::same_as<T, float>;
  [[maybe_unused]] constexpr std::size_t bytes = sizeof(a.raw);
#ifdef __AVX512F__
  if constexpr (bytes == 64 && is_float) {
    return packed<T, N>(_mm512_fmadd_ps((__m512)a.raw, (__m512)b.raw, (__m512)c.raw));
  } else if constexpr (bytes == 64) {
    return packed<T, N>(_mm512_fmadd_pd((__m512d)a.raw, (__m512d)b.raw, (__m512d)c.raw));
  }
#endif
#ifdef __FMA__
  if constexpr (bytes == 32 && is_float) {
    return packed<T, N>(_mm256_fmadd_ps((__m256)a.raw, (__m256)b.raw, (__m256)c.raw));
  } else if constexpr (bytes == 32) {
    return packed<T, N>(_mm256_fmadd_pd((__m256d)a.raw, (__m256d)b.raw, (__m256d)c.raw));
  } else if constexpr (bytes == 16 && N > 1 && is_float) {
    return packed<T, N>(_mm_fmadd_ps((__m128)a.raw, (__m128)b.raw, (__m128)c.raw));
  } else if constexpr (bytes == 16 && N > 1) {
    return packed<T, N>(_mm_fmadd_pd((__m128d)a.raw, (__m128d)b.raw, (__m128d)c.raw));
  }
#endif
  return map_lanes([](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
}

}  // namespace detail

template <std::floating_point T, int N>
GOBAN_INLINE Pack<T, N> sqrt(const Pack<T, N>& a) {
  return detail::map_lanes([](T x) { return std::sqrt(x); }, a);
}

// g++ 12 rounds lane by lane otherwise: vector rounding may raise the inexact flag.
#define GOBAN_ROUNDING(name, to)                                         \
  template <std::floating_point T, int N>                                \
  GOBAN_INLINE Pack<T, N> name(const Pack<T, N>& a) {                    \
    return detail::round_lanes<to>([](T x) { return std::name(x); }, a); \
  }

GOBAN_ROUNDING(floor, _MM_FROUND_TO_NEG_INF)
GOBAN_ROUNDING(ceil, _MM_FROUND_TO_POS_INF)
#undef GOBAN_ROUNDING

/// Clears the sign; an unsigned value is returned as it is.
template <class T, int N>
GOBAN_INLINE Pack<T, N> abs(const Pack<T, N>& a) {
  if constexpr (std::is_unsigned_v<T>) {
    return a;
  } else if constexpr (std::is_integral_v<T>) {
    return select(a < 0, -a, a);
  } else if constexpr (N == 1) {
    return Pack<T, N>(std::abs(a.raw));
  } else {
    return detail::packed<T, N>(detail::magnitude<T, N>(a.raw));
  }
}

/// See within of numbers.
template <int Low, int High, class T, int N>
GOBAN_INLINE Pack<T, N> within(const Pack<T, N>& x) {
  return x;
}

/// b where b < a, else a; a NaN in b is not taken.
template <class X, class Y>
requires PackArguments<X, Y> GOBAN_INLINE auto min(X x, Y y) {
  using P = detail::CommonPack<X, Y>;
  const P a = detail::to_pack<P>(x), b = detail::to_pack<P>(y);
  return select(b < a, b, a);
}

/// b where a < b, else a; a NaN in b is not taken.
template <class X, class Y>
requires PackArguments<X, Y> GOBAN_INLINE auto max(X x, Y y) {
  using P = detail::CommonPack<X, Y>;
  const P a = detail::to_pack<P>(x), b = detail::to_pack<P>(y);
  return select(a < b, b, a);
}

/// a * b + c, rounded once.
template <class X, class Y, class Z>
requires PackArguments<X, Y, Z> GOBAN_INLINE auto fma(X a, Y b, Z c) {
  using P = detail::CommonPack<X, detail::CommonPack<Y, Z>>;
  return detail::multiply_add(detail::to_pack<P>(a), detail::to_pack<P>(b), detail::to_pack<P>(c));
}

}  // namespace goban
