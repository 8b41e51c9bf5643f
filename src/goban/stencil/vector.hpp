#pragma once
// N lanes of a number as one value, under packs: the compiler's vector types. They have the
// operators of numbers, lane by lane; comparisons give lanes of signed integers as wide, all bits
// set or none.

#include <immintrin.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "goban/base/macros.hpp"

namespace goban::detail {

template <std::size_t Bytes>
using SignedOfSize = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t,
                       std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

template <class T, int N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T>
struct VectorOf<T, 1> {
  using Type = T;
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

/// The same bits as another type as large; of numbers the same number.
template <class To, class From>
GOBAN_INLINE To cast(const From& v) {
  return (To)v;
}

/// Subtraction keeps the sign of -0.0; it folds to a broadcast.
template <class V, class T>
GOBAN_INLINE V all_lanes(T value) {
  return value - V{};
}

/// 0, 1, ..., N-1.
template <class V, class T, int N>
GOBAN_INLINE V count_lanes() {
  return []<int... I>(std::integer_sequence<int, I...>) { return V{static_cast<T>(I)...}; }
  (std::make_integer_sequence<int, N>{});
}

template <class V, class T>
GOBAN_INLINE void set_lane(V& v, int i, T value) {
  v[i] = value;
}

/// Clears the sign of floating-point lanes.
template <class T, int N>
GOBAN_INLINE auto magnitude(const Vector<T, N>& v) {
  using Bits = SignedOfSize<sizeof(T)>;
  return (Vector<Bits, N>)v & std::numeric_limits<Bits>::max();
}

template <class M, class V>
GOBAN_INLINE V choose(const M& mask, const V& a, const V& b) {
  return mask ? a : b;
}

// g++ 12 makes scalar code of a convertvector that changes the size by more than two or goes
// between uint8 and float, so longer ways take steps; see convert().

template <class To, class From, int N>
GOBAN_INLINE Vector<To, N> converted(const Vector<From, N>& v) {
  if constexpr (std::is_same_v<From, std::uint8_t>) {
#ifdef __AVX512F__
    if constexpr (N == 16) return (Vector<To, N>)_mm512_maskz_cvtepu8_epi32(0xffff, (__m128i)v);
#endif
    return __builtin_convertvector(__builtin_convertvector(v, Vector<std::uint16_t, N>),
                                   Vector<To, N>);
  } else if constexpr (std::is_same_v<To, std::uint8_t>) {
#ifdef __AVX512F__
    if constexpr (N == 16) return (Vector<To, N>)_mm512_maskz_cvtepi32_epi8(0xffff, (__m512i)v);
#endif
    return __builtin_convertvector(__builtin_convertvector(v, Vector<std::uint16_t, N>),
                                   Vector<To, N>);
  } else {
    return __builtin_convertvector(v, Vector<To, N>);
  }
}

}  // namespace goban::detail
