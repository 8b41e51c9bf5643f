#pragma once
// The operations of numbers.hpp for packs of CPUs.

#include "goban/stencil/pack/pack_arithmetic.hpp"

namespace goban::mathematics {

/// The bits of floating-point numbers as integers; of float they count as signed.
template <std::floating_point T, int N>
GOBAN_INLINE auto bits(const Pack<T, N>& a) {
  return detail::packed<std::conditional_t<sizeof(T) == 4, std::int32_t, std::uint64_t>, N>(a.raw);
}
template <int N>
GOBAN_INLINE Pack<float, N> number(const Pack<std::int32_t, N>& bits) {
  return detail::packed<float, N>(bits.raw);
}
template <int N>
GOBAN_INLINE Pack<double, N> number(const Pack<std::uint64_t, N>& bits) {
  return detail::packed<double, N>(bits.raw);
}
template <int Count, std::integral T, int N>
GOBAN_INLINE Pack<T, N> shifted_right(const Pack<T, N>& bits) {
  using Unsigned = detail::Vector<std::make_unsigned_t<T>, N>;
  return detail::packed<T, N>((Unsigned)bits.raw >> Count);
}
template <std::floating_point T, int N>
GOBAN_INLINE Mask<sizeof(T), N> is_negative(const Pack<T, N>& a) {
  using Raw = typename Mask<sizeof(T), N>::Raw;
  return Mask<sizeof(T), N>((Raw)a.raw < Raw{});
}
template <int B, int N>
GOBAN_INLINE bool any(const Mask<B, N>& mask) {
  if constexpr (N == 1) {
    return mask.raw;
  } else {
    [[maybe_unused]] constexpr std::size_t bytes = sizeof(mask.raw);
#ifdef __AVX512F__
    if constexpr (bytes == 64) {
      return _mm512_test_epi64_mask((__m512i)mask.raw, (__m512i)mask.raw) != 0;
    }
#endif
#ifdef __AVX__
    if constexpr (bytes == 32) return !_mm256_testz_si256((__m256i)mask.raw, (__m256i)mask.raw);
#endif
    bool found = false;
    for (int i = 0; i < N; ++i) found = found || mask.lane(i);
    return found;
  }
}

#ifdef __AVX512F__
// What scaled() of values.hpp does in several steps.
GOBAN_INLINE Pack<float, 16> scaled(const Pack<float, 16>& x, const Pack<float, 16>& n) {
  return Pack<float, 16>(
      (Pack<float, 16>::Raw)_mm512_maskz_scalef_ps(0xffff, (__m512)x.raw, (__m512)n.raw));
}
GOBAN_INLINE Pack<double, 8> scaled(const Pack<double, 8>& x, const Pack<double, 8>& n) {
  return Pack<double, 8>(
      (Pack<double, 8>::Raw)_mm512_maskz_scalef_pd(0xff, (__m512d)x.raw, (__m512d)n.raw));
}
#endif

}  // namespace goban::mathematics
