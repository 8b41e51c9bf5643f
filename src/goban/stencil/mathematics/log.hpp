#pragma once
// log: the exponent is taken off, the rest, m in sqrt(1/2) ... sqrt(2), goes through the series of
// atanh((m - 1) / (m + 1)).

#include "goban/stencil/mathematics/values.hpp"

namespace goban::mathematics {

/// x = 2^exponent m, for positive finite x.
template <class V>
struct Split {
  V exponent, m;
};
template <class V>
GOBAN_MATHEMATICS Split<V> split_near_one(V x) {
  using T = Element<V>;
  using F = Format<T>;
  const auto is_subnormal = x < V(F::least_normal);
  const V lifted = select(is_subnormal, x * V(is_single<V> ? T(0x1p24) : T(0x1p54)), x);
  const V lift = select(is_subnormal, V(is_single<V> ? T(24) : T(54)), V(T(0)));
  const V sqrt_half(is_single<V> ? T(0xb.504f3p-4) : T(0x1.6a09e667f3bcdp-1));
  // Exponents begin at sqrt(1/2).
  const Bits<V> steps = bits(lifted) - bits(sqrt_half) + Bits<V>(F::one);
  const Bits<V> exponent = shifted_right<F::fraction_bits>(steps);
  const V to_integer(F::to_integer);
  const V number_of_exponent =
      number(bits(to_integer) + exponent) - (to_integer + V(static_cast<T>(F::bias)));
  const V m = number((steps & Bits<V>(F::fraction)) + bits(sqrt_half));
  return {number_of_exponent - lift, m};
}

template <class V>
GOBAN_MATHEMATICS V log(V x) {
  using T = Element<V>;
  const auto [exponent, m] = split_near_one(x);
  const V f = m - V(T(1));
  const V s = plain_quotient(f, f + V(T(2)));
  const V z = s * s;
  V series;
  if constexpr (is_single<V>) {
    series = polynomial(z, 0xa.aaabdp-4f, 0xc.caf6bp-5f, 0x2.63c11p-3f);
  } else {
    series = polynomial(z, 0xa.aaaaaaaaaac9p-4, 0x6.66666665ffc7p-4, 0x9.24924a0f08f9p-5,
                        0x1.c71c5214749cfp-3, 0xb.a331e74aaf8fp-6, 0x4.e687a36145d7p-5,
                        0x1.2f03bcef278c5p-3);
  }
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + z series)); n ln2_short is exact.
  const V half_square = V(T(0.5)) * f * f;
  const V beyond_linear = fma(s, fma(z, series, half_square), -half_square);
  const V ln2_short(is_single<V> ? T(0x5.8b9p-3) : T(0x5.8b90bfbe9p-3));
  const V ln2_rest(is_single<V> ? T(0x5.fdf47p-22) : T(-0x6.10ca86c3898dp-45));
  const auto linear = sum_of_ordered(exponent * ln2_short, f);
  V result = linear.high + (linear.low + fma(exponent, ln2_rest, beyond_linear));
  result = select(x < infinity<V>(), result, x);
  result = select(x == V(T(0)), -infinity<V>(), result);
  return select(x >= V(T(0)), result, not_a_number<V>());
}

}  // namespace goban::mathematics
