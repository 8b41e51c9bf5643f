#pragma once
// pow: x^y = 2^(y log2 x) with the logarithm as a pair of numbers.

#include "goban/stencil/mathematics/exp.hpp"
#include "goban/stencil/mathematics/log.hpp"

namespace goban::mathematics {

/// log2(x) of a positive finite x, to 2^-35 or 2^-70 of itself.
template <class V>
GOBAN_MATHEMATICS Pair<V> log2_pair(V x) {
  using T = Element<V>;
  const auto [exponent, m] = split_near_one(x);
  const V one(T(1));
  // log2(m) = s (c0 + z (c1 + ...)), s = (m - 1) / (m + 1), z = s^2.
  const auto ratio = quotient_of({m - one, V(T(0))}, sum_of_ordered(one, m));
  const auto s = sum_of_ordered(ratio.high, ratio.low);
  const auto z = s * s;
  Pair<V> series;
  if constexpr (is_single<V>) {
    const V tail = z.high * polynomial(z.high, 0x2.4eefp-2f, 0xd.2c6c7p-5f, 0xa.e73bp-5f);
    series = sum_of_ordered(V(0xf.6384fp-4f), tail);
    series.low = series.low + V(-0x3.b6ce3p-27f);
  } else {
    const V tail =
        z.high * polynomial(z.high, 0x1.a61762a7b0135p-2, 0xa.42589eaf3d7bp-5, 0x1.0c9a85824e613p-2,
                            0x7.1a3b2b1dc5b5p-5, 0xc.506c8c5a94f1p-6, 0xa.c5cc0e1f6393p-6,
                            0x1.63dd2f347143bp-3);
    series = sum_of_ordered(V(0x4.9ddb143be6fdp-3), tail);
    series.low = series.low + V(0x1.4fd14db061649p-55);
    const auto product = z * series;
    series = sum_of_ordered(V(0x1.ec709dc3a03fdp-1), product.high);
    series.low = series.low + (product.low + V(0xe.de5069179ea3p-58));
  }
  const auto product = z * series;
  series = sum_of_ordered(V(is_single<V> ? T(0xb.8aa3bp-2) : T(0xb.8aa3b295c17fp-2)), product.high);
  series.low =
      series.low + (product.low + V(is_single<V> ? T(0x5.2bee7p-27) : T(0x5.ddf2d86e56e5p-57)));
  const auto of_m = s * series;
  const auto sum = sum_of_ordered(exponent, of_m.high);
  return sum_of_ordered(sum.high, sum.low + of_m.low);
}

/// 2^(high + low) for |high| beyond the range of exponents at most by some.
template <class V>
GOBAN_MATHEMATICS V exp2_of(const Pair<V>& x) {
  using T = Element<V>;
  const V to_integer(Format<T>::to_integer);
  const V n = (x.high + to_integer) - to_integer;
  const auto rest = sum_of_ordered(x.high - n, x.low);
  const auto power = rest * Pair<V>{V(Format<T>::ln2_high), V(Format<T>::ln2_low)};
  return exp_of(ExpArgument<V>{n, power.high, power.low});
}

template <class V>
GOBAN_MATHEMATICS V pow(V x, V y) {
  using T = Element<V>;
  const V zero(T(0)), one(T(1));
  const V base = magnitude_of(x);
  const auto is_ordinary = base > zero && base < infinity<V>();
  const auto logarithm = log2_pair(select(is_ordinary, base, one));
  const V of_zero_and_infinity = select(base == zero, -infinity<V>(), infinity<V>());
  const V high = select(is_ordinary, logarithm.high, of_zero_and_infinity);
  V power = high * y;
  const V most(is_single<V> ? T(160) : T(1100));
  const auto is_moderate = magnitude_of(power) < most;
  const V low = select(is_moderate, fma(high, y, -power) + logarithm.low * y, zero);
  power = select(power > most, most, select(power < -most, -most, power));
  V result = exp2_of(Pair<V>{select(base == one, zero, power), select(base == one, zero, low)});

  const V half = y * V(T(0.5));
  const auto is_integer = floor(y) == y;
  const auto is_odd = is_integer && !(floor(half) == half);
  result = turned(result, select(is_odd, sign_of(x), Bits<V>(0)));
  const auto is_root = x < zero && base < infinity<V>() && !is_integer;
  const auto is_number = x == x && y == y && !is_root;
  result = select(is_number, result, not_a_number<V>());
  return select(x == one || y == zero, one, result);
}

}  // namespace goban::mathematics
