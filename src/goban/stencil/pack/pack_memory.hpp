#pragma once
// Packs from and to stored elements. Half-precision elements become float on the way, by the F16C
// instructions where the machine has them, with the same bits otherwise.

#include <immintrin.h>

#include <cstring>

#include "goban/base/types.hpp"
#include "goban/stencil/pack/pack_convert.hpp"

namespace goban {

namespace detail {

// N stored elements as they lie in memory.
template <class S>
using StoredLane = std::conditional_t<std::same_as<S, half>, std::uint16_t, S>;
template <class S, int N>
using StoredRaw = Vector<StoredLane<S>, N>;

#ifdef __F16C__
inline constexpr int half_rounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

template <int N>
GOBAN_INLINE Pack<float, N> float_from_half(const StoredRaw<half, N>& stored) {
  Pack<float, N> result;
  if constexpr (N < 8) {
    __m128i bits = _mm_setzero_si128();
    std::memcpy(&bits, &stored, sizeof(stored));
    const __m128 values = _mm_cvtph_ps(bits);
    std::memcpy(&result.raw, &values, sizeof(result.raw));
  } else if constexpr (N == 8) {
    result.raw = (Vector<float, N>)_mm256_cvtph_ps((__m128i)stored);
#ifdef __AVX512F__
  } else if constexpr (N == 16) {
    result.raw = (Vector<float, N>)_mm512_maskz_cvtph_ps(0xffff, (__m256i)stored);
#endif
  } else {
    StoredRaw<half, N / 2> part[2];
    std::memcpy(part, &stored, sizeof(stored));
    const Pack<float, N / 2> parts[2] = {float_from_half<N / 2>(part[0]),
                                         float_from_half<N / 2>(part[1])};
    std::memcpy(&result.raw, parts, sizeof(parts));
  }
  return result;
}

template <int N>
GOBAN_INLINE void half_from_float(const Pack<float, N>& values, StoredRaw<half, N>& stored) {
  if constexpr (N < 8) {
    __m128 wide = _mm_setzero_ps();
    std::memcpy(&wide, &values.raw, sizeof(values.raw));
    const __m128i bits = _mm_cvtps_ph(wide, half_rounding);
    std::memcpy(&stored, &bits, sizeof(stored));
  } else if constexpr (N == 8) {
    stored = (StoredRaw<half, N>)_mm256_cvtps_ph((__m256)values.raw, half_rounding);
#ifdef __AVX512F__
  } else if constexpr (N == 16) {
    stored = (StoredRaw<half, N>)_mm512_maskz_cvtps_ph(0xffff, (__m512)values.raw, half_rounding);
#endif
  } else {
    Pack<float, N / 2> parts[2];
    std::memcpy(parts, &values.raw, sizeof(parts));
    StoredRaw<half, N / 2> part[2];
    half_from_float<N / 2>(parts[0], part[0]);
    half_from_float<N / 2>(parts[1], part[1]);
    std::memcpy(&stored, part, sizeof(stored));
  }
}
#else
template <int N>
GOBAN_INLINE Pack<float, N> float_from_half(const StoredRaw<half, N>& stored) {
  half elements[N];
  std::memcpy(static_cast<void*>(elements), &stored, sizeof(stored));
  Pack<float, N> result;
  for (int i = 0; i < N; ++i) result.set_lane(i, static_cast<float>(elements[i]));
  return result;
}

template <int N>
GOBAN_INLINE void half_from_float(const Pack<float, N>& values, StoredRaw<half, N>& stored) {
  half elements[N];
  for (int i = 0; i < N; ++i) elements[i] = half(values.lane(i));
  std::memcpy(&stored, elements, sizeof(stored));
}
#endif

// The pack in its stored form.
template <class S, int N>
GOBAN_INLINE void to_stored(const Pack<ArithmeticOf<S>, N>& values, StoredRaw<S, N>& stored) {
  if constexpr (std::same_as<S, half>) {
    half_from_float<N>(values, stored);
  } else {
    stored = values.raw;
  }
}

}  // namespace detail

/// The values that come back from memory once stored as S.
template <class S, int N>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> as_stored(const Pack<ArithmeticOf<S>, N>& values) {
  if constexpr (std::same_as<S, half>) {
    detail::StoredRaw<half, N> stored;
    detail::to_stored<half, N>(values, stored);
    return detail::float_from_half<N>(stored);
  } else {
    return values;
  }
}

/// The N elements from p on; no alignment is asked for.
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load(const S* p) {
  detail::StoredRaw<S, N> stored;
  std::memcpy(&stored, p, sizeof(stored));
  if constexpr (std::same_as<S, half>) {
    return detail::float_from_half<N>(stored);
  } else {
    Pack<S, N> result;
    result.raw = stored;
    return result;
  }
}

namespace detail {

#ifdef __AVX512VBMI__
template <class S>
inline constexpr bool has_byte_shuffles = sizeof(S) == 1;
#else
template <class S>
inline constexpr bool has_byte_shuffles = false;
#endif

// Lanes First ... First + N - 1 of low and high side by side, which fill a register each. (g++ 12
// warns of its own header where no mask is given.)
template <int First, class S, int N>
GOBAN_INLINE Pack<S, N> window(Pack<S, N> low, Pack<S, N> high) {
  Pack<S, N> result;
#ifdef __AVX512F__
  if constexpr (sizeof(S) == 4) {
    result.raw =
        (Vector<S, N>)_mm512_maskz_alignr_epi32(0xffff, (__m512i)high.raw, (__m512i)low.raw, First);
  } else if constexpr (sizeof(S) == 8) {
    result.raw =
        (Vector<S, N>)_mm512_maskz_alignr_epi64(0xff, (__m512i)high.raw, (__m512i)low.raw, First);
  } else
#endif
    [&]<int... I>(std::integer_sequence<int, I...>) {
      using Bits = Vector<SignedOfSize<sizeof(S)>, N>;
      result.raw = (Vector<S, N>)__builtin_shuffle(
          (Bits)low.raw, (Bits)high.raw, Bits{static_cast<SignedOfSize<sizeof(S)>>(First + I)...});
    }
  (std::make_integer_sequence<int, N>{});
  return result;
}

}  // namespace detail

/// The N elements from p + d on, d a constant after inlining. Where a pack is a whole register,
/// near neighbours are taken from the packs at p - N, p and p + N by a shuffle: they then share
/// loads, and no load crosses a line if p is aligned. Reads nothing beyond these three packs.
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_beside(const S* p, int d) {
#ifdef __AVX512F__
  if constexpr ((sizeof(S) >= 4 || detail::has_byte_shuffles<S>)&&sizeof(S) * N == 64) {
    if (__builtin_constant_p(d)) {
      switch (d) {
        case -4: return detail::window<N - 4>(load<N>(p - N), load<N>(p));
        case -3: return detail::window<N - 3>(load<N>(p - N), load<N>(p));
        case -2: return detail::window<N - 2>(load<N>(p - N), load<N>(p));
        case -1: return detail::window<N - 1>(load<N>(p - N), load<N>(p));
        case 1: return detail::window<1>(load<N>(p), load<N>(p + N));
        case 2: return detail::window<2>(load<N>(p), load<N>(p + N));
        case 3: return detail::window<3>(load<N>(p), load<N>(p + N));
        case 4: return detail::window<4>(load<N>(p), load<N>(p + N));
        default: break;
      }
    }
  }
#endif
  return load<N>(p + d);
}

/// Writes the N elements from p on; no alignment is asked for.
template <class S, int N>
GOBAN_INLINE void store(S* p, const Pack<ArithmeticOf<S>, N>& values) {
  detail::StoredRaw<S, N> stored;
  detail::to_stored<S, N>(values, stored);
  std::memcpy(static_cast<void*>(p), &stored, sizeof(stored));
}

/// The same past the caches, for results not read soon: p is a multiple of the bytes written. A
/// thread that has used it calls store_fence() before others may read.
template <class S, int N>
GOBAN_INLINE void store_streaming(S* p, const Pack<ArithmeticOf<S>, N>& values) {
  detail::StoredRaw<S, N> stored;
  detail::to_stored<S, N>(values, stored);
  constexpr std::size_t bytes = sizeof(stored);
  if constexpr (bytes == 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)stored);
#ifdef __AVX__
  } else if constexpr (bytes == 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)stored);
#endif
#ifdef __AVX512F__
  } else if constexpr (bytes == 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)stored);
#endif
  } else {
    std::memcpy(static_cast<void*>(p), &stored, bytes);
  }
}

/// Orders the streaming stores of this thread before its later stores.
GOBAN_INLINE void store_fence() { _mm_sfence(); }

/// Writes the elements of lanes first ... last-1 alone, each to p[lane].
template <class S, int N>
GOBAN_INLINE void store_lanes(S* p, const Pack<ArithmeticOf<S>, N>& values, int first, int last) {
  detail::StoredRaw<S, N> stored;
  detail::to_stored<S, N>(values, stored);
#if defined(__AVX512BW__)
  if constexpr (N > 1 && sizeof(stored) <= 64) {
    __m512i wide = _mm512_setzero_si512();
    std::memcpy(&wide, &stored, sizeof(stored));
    const std::uint64_t below = last < 64 ? (std::uint64_t{1} << last) - 1 : ~std::uint64_t{0};
    const std::uint64_t mask = first < 64 ? below >> first << first : 0;
    if constexpr (sizeof(S) == 1) {
      _mm512_mask_storeu_epi8(p, mask, wide);
    } else if constexpr (sizeof(S) == 2) {
      _mm512_mask_storeu_epi16(p, static_cast<__mmask32>(mask), wide);
    } else if constexpr (sizeof(S) == 4) {
      _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(mask), wide);
    } else {
      _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(mask), wide);
    }
    return;
  }
#endif
  S elements[N];
  std::memcpy(static_cast<void*>(elements), &stored, sizeof(stored));
  for (int i = first; i < last; ++i) p[i] = elements[i];
}

// The same of elements stored in place. Others write to the same lines meanwhile: nothing is read
// as constant or written past the caches.

template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load(const InPlace<S>* p) {
  return load<N>(&p->value);
}
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_beside(const InPlace<S>* p, int d) {
  return load<N>(p + d);
}

template <class S, int N>
GOBAN_INLINE void store(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values) {
  store(&p->value, values);
}

template <class S, int N>
GOBAN_INLINE void store_streaming(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values) {
  store(p, values);
}

template <class S, int N>
GOBAN_INLINE void store_lanes(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values, int first,
                              int last) {
  store_lanes(&p->value, values, first, last);
}

}  // namespace goban
