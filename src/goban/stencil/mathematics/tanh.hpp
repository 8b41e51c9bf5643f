#pragma once
// tanh: E / (E + 2) with E = exp(2 |x|) - 1 as a pair of numbers.

#include "goban/stencil/mathematics/exp.hpp"

namespace goban::mathematics {

template <class V>
GOBAN_MATHEMATICS V tanh(V x) {
  using T = Element<V>;
  const V most(is_single<V> ? T(20) : T(40));  // beyond, 2 |x| makes no difference
  const V doubled = magnitude_of(x) + magnitude_of(x);
  const auto argument = reduced_by_ln2(select(doubled > most, most, doubled));
  const auto beyond_one =
      sum_of_ordered(argument.high, exp_beyond_linear(argument.high, argument.low));
  const V one(T(1));
  const V scale = scaled(one, argument.n);
  const auto sum = sum_of_ordered(scale - one, scale * beyond_one.high);
  const Pair<V> e{sum.high, fma(scale, beyond_one.low, sum.low)};
  auto e_and_two = sum_of(e.high, V(T(2)));
  e_and_two.low = e_and_two.low + e.low;
  const auto ratio = quotient_of(e, e_and_two);
  return select(x == x, turned(ratio.high + ratio.low, sign_of(x)), not_a_number<V>());
}

}  // namespace goban::mathematics
