#pragma once
// What the mathematical functions are made of. A value V is a float or double, or
// in kernels of CPUs a pack of them. These headers are texts of kernels, too: they include nothing
// but each other there.

#include "goban/stencil/mathematics/numbers.hpp"

namespace goban::mathematics {

/// A plain number is its own element.
template <class V>
struct ElementOf {
  using Type = V;
};
#ifdef GOBAN_CPU_KERNEL
template <class T, int N>
struct ElementOf<Pack<T, N>> {
  using Type = T;
};
#endif
template <class V>
using Element = typename ElementOf<V>::Type;
template <class V>
using Bits = decltype(bits(V{}));

/// How numbers of a type are made.
template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr bool is_single = true;
  static constexpr int fraction_bits = 23, bias = 127;
  static constexpr uint32 sign = 0x80000000u, fraction = 0x007fffffu, one = 0x3f800000u,
                          infinity = 0x7f800000u, not_a_number = 0x7fc00000u;
  static constexpr float least_normal = 0x1p-126f, to_integer = 0x1.8p23f;
  static constexpr float ln2_high = 0x1.62e43p-1f, ln2_low = -0x1.05c61p-29f;  // in sum ln 2
};
template <>
struct Format<double> {
  static constexpr bool is_single = false;
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr uint64 sign = 0x8000000000000000u, fraction = 0x000fffffffffffffu,
                          one = 0x3ff0000000000000u, infinity = 0x7ff0000000000000u,
                          not_a_number = 0x7ff8000000000000u;
  static constexpr double least_normal = 0x1p-1022, to_integer = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
};
template <class V>
inline constexpr bool is_single = Format<Element<V>>::is_single;

/// The one NaN that functions return.
template <class V>
GOBAN_MATHEMATICS V not_a_number() {
  return V(number(Format<Element<V>>::not_a_number));
}
template <class V>
GOBAN_MATHEMATICS V infinity() {
  return V(number(Format<Element<V>>::infinity));
}

template <class V>
GOBAN_MATHEMATICS Bits<V> sign_of(V x) {
  return bits(x) & Bits<V>(Format<Element<V>>::sign);
}
template <class V>
GOBAN_MATHEMATICS V magnitude_of(V x) {
  return number(bits(x) ^ sign_of(x));
}
/// The value with its sign turned where the sign bit of `sign` is set.
template <class V>
GOBAN_MATHEMATICS V turned(V x, Bits<V> sign) {
  return number(bits(x) ^ sign);
}
/// The bits of an integer that the exponent is made of.
template <class V>
GOBAN_MATHEMATICS Bits<V> as_exponent(Bits<V> integer) {
  return integer << Format<Element<V>>::fraction_bits;
}
/// x 2^n, rounded once, for x in 1/2 ... 4 and n within twice the range of exponents.
template <class V>
GOBAN_MATHEMATICS V scaled(V x, V n) {
  using T = Element<V>;
  const V to_integer(Format<T>::to_integer);
  const V half = fma(n, V(T(0.5)), to_integer);
  const V first = half - to_integer;
  const V other = (n - first) + to_integer;
  const Bits<V> one(Format<T>::one);
  return x * number(as_exponent<V>(bits(half)) + one) * number(as_exponent<V>(bits(other)) + one);
}

/// c + x (c' + x (...)).
template <class V, class T>
GOBAN_MATHEMATICS V polynomial(V, T c) {
  return V(c);
}
template <class V, class T, class... More>
GOBAN_MATHEMATICS V polynomial(V x, T c, More... more) {
  return fma(x, polynomial(x, more...), V(c));
}

/// A number and what it was rounded by.
template <class V>
struct Pair {
  V high, low;
};
/// a + b where |a| >= |b| or a = 0.
template <class V>
GOBAN_MATHEMATICS Pair<V> sum_of_ordered(V a, V b) {
  const V high = a + b;
  return {high, b - (high - a)};
}
template <class V>
GOBAN_MATHEMATICS Pair<V> sum_of(V a, V b) {
  const V high = a + b;
  const V from_b = high - a;
  return {high, (a - (high - from_b)) + (b - from_b)};
}
template <class V>
GOBAN_MATHEMATICS Pair<V> product_of(V a, V b) {
  const V high = a * b;
  return {high, fma(a, b, -high)};
}
template <class V>
GOBAN_MATHEMATICS Pair<V> operator*(const Pair<V>& a, const Pair<V>& b) {
  const V high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}
/// The quotient as a pair that is not normalised; b.high is no extreme number.
template <class V>
GOBAN_MATHEMATICS Pair<V> quotient_of(const Pair<V>& a, const Pair<V>& b) {
  const V reciprocal = plain_quotient(V(Element<V>(1)), b.high);
  const V high = a.high * reciprocal;
  const V rest = fma(-high, b.high, a.high) + fma(-high, b.low, a.low);
  return {high, rest * reciprocal};
}

}  // namespace goban::mathematics
