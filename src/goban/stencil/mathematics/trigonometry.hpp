#pragma once
// sin, cos and tan.

#include "goban/stencil/mathematics/angle.hpp"

namespace goban::mathematics {

/// sin(high + low) - high.
template <class V>
GOBAN_MATHEMATICS V sin_beyond_linear(V high, V low, V square) {
  V series;
  if constexpr (is_single<V>) {
    series = polynomial(square, -0xa.aaaa3p-6f, 0x8.883bdp-10f, -0xc.caa4fp-16f);
  } else {
    series = polynomial(square, -0x1.5555555555549p-3, 0x8.888888887c49p-10, -0x1.a01a019c1219dp-13,
                        0x1.71de3576bbc75p-19, -0x1.ae5e64a8f48bfp-26, 0xa.ec92f63c2afdp-36);
  }
  const V of_low = fma(V(Element<V>(-0.5)) * square, low, low);
  return fma(high * square, series, of_low);
}
/// cos(high + low) - 1 + square / 2.
template <class V>
GOBAN_MATHEMATICS V cos_beyond_square(V high, V low, V square) {
  V series;
  if constexpr (is_single<V>) {
    series = polynomial(square, 0xa.aaaa5p-8f, -0xb.6060dp-13f, 0x6.6783dp-18f);
  } else {
    series = polynomial(square, 0x5.555555555553p-7, -0x1.6c16c16c1521p-10, 0x1.a01a019cbcdb1p-16,
                        -0x9.3f27c082450fp-25, 0x1.1ee9ef55fa941p-29, -0xc.7d801eb8b86dp-40);
  }
  return fma(square * square, series, -(high * low));
}

template <class V>
GOBAN_MATHEMATICS Pair<V> sin_of(V high, V low, V square) {
  return sum_of_ordered(high, sin_beyond_linear(high, low, square));
}
template <class V>
GOBAN_MATHEMATICS Pair<V> cos_of(V high, V low, V square) {
  const V half(Element<V>(0.5));
  const V square_low = fma(high, high, -square);
  const auto start = sum_of_ordered(V(Element<V>(1)), -(half * square));
  const V rest = start.low + fma(-half, square_low, cos_beyond_square(high, low, square));
  return sum_of_ordered(start.high, rest);
}

/// Where a bit of an integer is set.
template <int Bit, class V>
GOBAN_MATHEMATICS auto has_bit(Bits<V> integer) {
  constexpr int from_sign = Format<Element<V>>::is_single ? 31 - Bit : 63 - Bit;
  return is_negative(number(integer << from_sign));
}
/// A bit moved to where signs are.
template <int Bit, class V>
GOBAN_MATHEMATICS Bits<V> as_sign(Bits<V> integer) {
  constexpr int from_sign = Format<Element<V>>::is_single ? 31 - Bit : 63 - Bit;
  return (integer << from_sign) & Bits<V>(Format<Element<V>>::sign);
}

/// sin of an angle.
template <class V>
GOBAN_MATHEMATICS V sin_of(const Angle<V>& angle) {
  const V square = angle.high * angle.high;
  const V sine = sin_of(angle.high, angle.low, square).high;
  const V cosine = cos_of(angle.high, angle.low, square).high;
  const V found = select(has_bit<0, V>(angle.quarters), cosine, sine);
  return turned(found, as_sign<1, V>(angle.quarters));
}

template <class V>
GOBAN_MATHEMATICS V sin(V x) {
  const V size = magnitude_of(x);
  const V result = turned(sin_of(angle_of(size)), sign_of(x));
  return select(size < infinity<V>(), result, not_a_number<V>());
}

template <class V>
GOBAN_MATHEMATICS V cos(V x) {
  const V size = magnitude_of(x);
  Angle<V> angle = angle_of(size);
  angle.quarters = angle.quarters + Bits<V>(1);
  return select(size < infinity<V>(), sin_of(angle), not_a_number<V>());
}

template <class V>
GOBAN_MATHEMATICS V tan(V x) {
  const V size = magnitude_of(x);
  const Angle<V> angle = angle_of(size);
  const V square = angle.high * angle.high;
  const auto sine = sin_of(angle.high, angle.low, square);
  const auto cosine = cos_of(angle.high, angle.low, square);
  const auto is_odd = has_bit<0, V>(angle.quarters);
  const auto ratio = quotient_of(
      Pair<V>{select(is_odd, cosine.high, sine.high), select(is_odd, cosine.low, sine.low)},
      Pair<V>{select(is_odd, sine.high, cosine.high), select(is_odd, sine.low, cosine.low)});
  const V result =
      turned(turned(ratio.high + ratio.low, as_sign<0, V>(angle.quarters)), sign_of(x));
  return select(size < infinity<V>(), result, not_a_number<V>());
}

}  // namespace goban::mathematics
