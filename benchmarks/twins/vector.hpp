#pragma once
// 64 bytes of cells in a register: vector extensions, and what they cannot say in intrinsics.

#include <immintrin.h>

#include <cstring>
#include <utility>

#include "goban/base/types.hpp"

// Everything here is inlined: how wide vectors are passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define GOBAN_TWIN_INLINE inline __attribute__((always_inline))

namespace goban::twins {

inline constexpr Index vector_bytes = 64;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(64)));
  typedef T unaligned __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr int lanes = vector_bytes / sizeof(T);

/// From any address.
template <class T>
GOBAN_TWIN_INLINE Vector<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T>::unaligned*>(from);
}

template <class T>
GOBAN_TWIN_INLINE void store(T* to, const Vector<T>& value) {
  std::memcpy(__builtin_assume_aligned(to, vector_bytes), &value, sizeof(value));
}

/// Past the caches; `to` on 64 bytes.
template <class T>
GOBAN_TWIN_INLINE void stream(T* to, const Vector<T>& value) {
#ifdef __AVX512F__
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
#else
  __m256i half[2];
  std::memcpy(half, &value, sizeof(value));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), half[0]);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + 1, half[1]);
#endif
}

/// load(from + Shift) for `from` on 64 bytes, by aligned loads: an unaligned load that meets an
/// older store with the same address modulo 4096 waits for it.
template <int Shift, class T>
GOBAN_TWIN_INLINE Vector<T> load_shifted(const T* from) {
  static_assert(-lanes<T> < Shift && Shift < lanes<T>);
  if constexpr (Shift == 0) {
    return load(from);
  } else {
    constexpr int n = lanes<T>, skip = Shift < 0 ? Shift + n : Shift;
    const Vector<T> low = load(Shift < 0 ? from - n : from),
                    high = load(Shift < 0 ? from : from + n);
#ifdef __AVX512F__
    if constexpr (sizeof(T) >= 4) {
      typedef int Words __attribute__((vector_size(64)));
      return (Vector<T>)__builtin_ia32_alignd512_mask((Words)high, (Words)low,
                                                      skip * static_cast<int>(sizeof(T) / 4),
                                                      (Words)high, static_cast<__mmask16>(-1));
    }
#endif
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
      return __builtin_shufflevector(low, high, (Lane + skip)...);
    }
    (std::make_integer_sequence<int, n>{});
  }
}

enum class Cache { first = 3, second = 2 };

/// Always inlined: g++ 12 takes a function that does nothing but fetch for one without effect and
/// drops calls of it, which happens where a pointer to it is passed on.
template <Cache Level>
GOBAN_TWIN_INLINE void fetch(const void* line) {
  __builtin_prefetch(line, 0, static_cast<int>(Level));
}

}  // namespace goban::twins
