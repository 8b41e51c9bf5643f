#pragma once
// cbrt: Newton's iteration for z^(-1/3), z = x / 8^k in 1 ... 8, and a last step that is exact but
// for its own size.

#include "goban/stencil/mathematics/values.hpp"

namespace goban::mathematics {

template <class V>
GOBAN_MATHEMATICS V cbrt(V x) {
  using T = Element<V>;
  using F = Format<T>;
  const V size = magnitude_of(x);
  const auto is_subnormal = size < V(F::least_normal);
  const V lifted = select(is_subnormal, size * V(is_single<V> ? T(0x1p24) : T(0x1p54)), size);
  const V to_integer(F::to_integer), one(T(1));
  // lifted = 2^exponent m, exponent = 3 third + 0, 1 or 2.
  const V exponent = number(bits(to_integer) + shifted_right<F::fraction_bits>(bits(lifted))) -
                     (to_integer + V(static_cast<T>(F::bias)));
  const V m = number((bits(lifted) & Bits<V>(F::fraction)) | Bits<V>(F::one));
  const V third = fma(exponent - one, V(T(1) / T(3)), to_integer) - to_integer;
  const V rest = fma(V(T(-3)), third, exponent);
  const auto is_one = rest == one, is_two = rest == V(T(2));
  const V z = m * select(is_two, V(T(4)), select(is_one, V(T(2)), one));
  const V start =
      select(is_two, V(T(0x1.428a2f98d728bp-1)), select(is_one, V(T(0x1.965fea53d6e3dp-1)), one));
  V root;
  if constexpr (is_single<V>) {
    root =
        polynomial(m, 0x6.ae16fp-2f, -0x4.b1093p-2f, 0xb.20b85p-4f, -0xe.28cbbp-6f, 0xe.a385p-9f);
  } else {
    root = polynomial(m, 0x7.1fcda3bd0c4fp-2, -0xc.873a00d00cffp-3, 0x4.f9a292005177p-2,
                      -0x9.90e1490911e3p-4, 0x4.fe8816eb4cbbp-5, -0x4.5b59db33b41bp-8);
  }
  root = root * start;  // z^(-1/3), roughly
  const V missing = fma(-(z * root), root * root, one);
  root = fma(root * missing, fma(missing, V(T(2) / T(9)), V(T(1) / T(3))), root);
  const V square = root * root;
  const V near = z * square;
  const auto near_square = product_of(near, near);
  const auto near_cube = product_of(near_square.high, near);
  const V left = (z - near_cube.high) - fma(near_square.low, near, near_cube.low);
  const V found = fma(left * square, V(T(1) / T(3)), near);
  const V k = third - select(is_subnormal, V(is_single<V> ? T(8) : T(18)), V(T(0)));
  const V result = number(bits(found) + as_exponent<V>(bits(k + to_integer)));
  const V plain = select(size > V(T(0)) && size < infinity<V>(), result, size);
  return select(x == x, turned(plain, sign_of(x)), not_a_number<V>());
}

}  // namespace goban::mathematics
