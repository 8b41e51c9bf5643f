#pragma once
// exp: n ln 2 is taken off the argument, the rest, |r| <= ln(2)/2, goes through a polynomial.

#include "goban/stencil/mathematics/values.hpp"

namespace goban::mathematics {

/// x = n ln 2 + high + low.
template <class V>
struct ExpArgument {
  V n, high, low;
};
template <class V>
GOBAN_MATHEMATICS ExpArgument<V> reduced_by_ln2(V x) {
  using T = Element<V>;
  const V to_integer(Format<T>::to_integer);
  const V n = fma(x, V(T(0x1.71547652b82fep0)), to_integer) - to_integer;
  const V exact = fma(-n, V(Format<T>::ln2_high), x);
  const V high = fma(-n, V(Format<T>::ln2_low), exact);
  return {n, high, fma(-n, V(Format<T>::ln2_low), exact - high)};
}

/// exp(high + low) - 1 - high.
template <class V>
GOBAN_MATHEMATICS V exp_beyond_linear(V high, V low) {
  if constexpr (is_single<V>) {
    const V p = polynomial(high, 0x7.fffffp-4f, 0x5.55523p-5f, 0x2.aab0bp-6f, 0x8.91ec3p-10f,
                           0xb.55f01p-13f);
    return fma(high * high, p, low);
  } else {
    const V p = polynomial(high, 0x1p-1, 0x1.555555555555dp-3, 0x5.55555555555bp-7,
                           0x8.8888888872a5p-10, 0x1.6c16c16c0a449p-10, 0x1.a01a01b5f65e9p-13,
                           0x6.806807a7236bp-18, 0xb.8eef56398be3p-22, 0x1.27e442c3cee4fp-22,
                           0x3.5ee41a3e0ae9p-27, 0x1.203eb49239839p-29);
    return fma(high * high, p, low);
  }
}

template <class V>
GOBAN_MATHEMATICS V exp_of(const ExpArgument<V>& x) {
  const auto linear = sum_of_ordered(V(Element<V>(1)), x.high);
  return scaled(linear.high + (linear.low + exp_beyond_linear(x.high, x.low)), x.n);
}

template <class V>
GOBAN_MATHEMATICS V exp(V x) {
  using T = Element<V>;
  const V least(is_single<V> ? T(-104) : T(-746)), most(is_single<V> ? T(89) : T(710));
  V within = select(x < least, least, x);
  within = select(within > most, most, within);
  return select(x == x, exp_of(reduced_by_ln2(within)), not_a_number<V>());
}

}  // namespace goban::mathematics
