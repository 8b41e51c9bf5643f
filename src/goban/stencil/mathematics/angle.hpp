#pragma once
// Angles as quarter turns and a rest, for sin, cos and tan.

#include "goban/stencil/mathematics/values.hpp"

namespace goban::mathematics {

/// An angle of `quarters` quarter turns, of which the last two bits count, and high + low, at most
/// about pi/4.
template <class V>
struct Angle {
  V high, low;
  Bits<V> quarters;
};

/// pi/2 as the sum of three numbers, and the angle up to which that many bits of it do.
template <class T>
struct QuarterTurn;
template <>
struct QuarterTurn<float> {
  static constexpr float a = 0xc.90fdbp-3f, b = -0x5.dde97p-27f, c = -0xf.72cedp-53f;
  static constexpr float inverse = 0xa.2f983p-4f, far = 0x1p17f;
};
template <>
struct QuarterTurn<double> {
  static constexpr double a = 0x3.243f6a8885a3p-1, b = 0x1.1a62633145c07p-54,
                          c = -0x7.c65dadfb63efp-112;
  static constexpr double inverse = 0x1.45f306dc9c883p-1, far = 0x1p30;
};

/// 2/pi in binary after 64 zeros.
inline constexpr uint64 two_over_pi[] = {0,
                                         0xa2f9836e4e441529u,
                                         0xfc2757d1f534ddc0u,
                                         0xdb6295993c439041u,
                                         0xfe5163abdebbc561u,
                                         0xb7246e3a424dd2e0u,
                                         0x06492eea09d1921cu,
                                         0xfe1deb1cb129a73eu,
                                         0xe88235f52ebb4484u,
                                         0xe99c7026b45f7e41u,
                                         0x3991d639835339f4u,
                                         0x9c845f8bbdf9283bu,
                                         0x1ff897ffde05980fu,
                                         0xef2f118b5a0a6d1fu,
                                         0x6d367ecf27cb09b7u,
                                         0x4f463f669e5fea2du,
                                         0x7527bac7ebe5f17bu,
                                         0x3d0739f78a5292eau,
                                         0x6bfb5fb11f8d5d08u,
                                         0x56033046fc7b6babu,
                                         0xf0cfbc209af4361du};

/// 64 bits of it from a position on.
constexpr uint64 bits_of_two_over_pi(int position) {
  const int word = position / 64, shift = position % 64;
  const uint64 high = two_over_pi[word] << shift;
  return shift == 0 ? high : high | two_over_pi[word + 1] >> (64 - shift);
}

/// The angle x >= far, finite, by 192 bits of 2/pi that begin where products with x are no longer
/// multiples of 4 (Payne, Hanek, SIGNUM Newsletter 18 (1983) 19).
template <class T>
GOBAN_MATHEMATICS Angle<T> far_angle(T x) {
  using F = Format<T>;
  // x = integer 2^power.
  const uint64 integer = (bits(x) & F::fraction) | (F::fraction + 1);
  const int power = static_cast<int>(bits(x) >> F::fraction_bits) - F::bias - F::fraction_bits;
  const int position = 64 + power - 2;
  const uint64 a = bits_of_two_over_pi(position), b = bits_of_two_over_pi(position + 64),
               c = bits_of_two_over_pi(position + 128);
  // high, low: the product as a fraction of 4 quarter turns.
  const uint64 from_c = multiply_high(integer, c);
  uint64 low = integer * b + from_c;
  uint64 high = integer * a + multiply_high(integer, b) + (low < from_c ? 1 : 0);
  const uint64 quarters = (high + (uint64{1} << 61)) >> 62;
  high -= quarters << 62;
  const bool is_below = high >> 63 != 0;
  if (is_below) {
    high = ~high + (low == 0 ? 1 : 0);
    low = 0 - low;
  }
  int zeros = 0;
  if (high == 0) {
    high = low;
    low = 0;
    zeros = 64;
  }
  const int shift = high == 0 ? 0 : leading_zeros(high);
  zeros += shift;
  if (shift > 0) {
    high = high << shift | low >> (64 - shift);
    low <<= shift;
  }
  // Its first bits and those that follow as two numbers.
  constexpr int digits = F::fraction_bits + 1, left = 64 - digits;
  const uint64 next = high << digits | low >> left;
  const T first = static_cast<T>(high >> left);
  const T second = static_cast<T>(next >> left) *
                   number(static_cast<Bits<T>>(F::one - as_exponent<T>(Bits<T>(digits))));
  // high is in units of 2^-62 quarter turns.
  const T unit = number(
      static_cast<Bits<T>>(F::one - as_exponent<T>(static_cast<Bits<T>>(62 - left + zeros))));
  using Q = QuarterTurn<T>;
  const T product = first * Q::a;
  const T rest = fma(first, Q::a, -product) + fma(first, Q::b, second * Q::a);
  const auto angle = sum_of_ordered(product, rest);
  const T sign = is_below ? -unit : unit;
  return {angle.high * sign, angle.low * sign, static_cast<Bits<T>>(quarters)};
}

template <class T>
GOBAN_MATHEMATICS void replace_far_angles(Angle<T>& angle, T x, bool) {
  angle = far_angle(x);
}
#ifdef GOBAN_CPU_KERNEL
template <class T, int N>
void replace_far_angles(Angle<Pack<T, N>>& angle, const Pack<T, N>& x,
                        const Mask<sizeof(T), N>& is_far) {
  for (int i = 0; i < N; ++i) {
    if (!is_far.lane(i)) continue;
    const auto far = far_angle(x.lane(i));
    angle.high.set_lane(i, far.high);
    angle.low.set_lane(i, far.low);
    angle.quarters.set_lane(i, static_cast<typename Bits<Pack<T, N>>::Value>(far.quarters));
  }
}
#endif

/// The angle x >= 0.
template <class V>
GOBAN_MATHEMATICS Angle<V> angle_of(V x) {
  using T = Element<V>;
  using Q = QuarterTurn<T>;
  const V to_integer(Format<T>::to_integer);
  const V counted = fma(x, V(Q::inverse), to_integer);
  const V n = counted - to_integer;
  const V exact = fma(-n, V(Q::a), x);
  const auto second = product_of(n, V(Q::b));
  const auto difference = sum_of(exact, -second.high);
  const auto rest = sum_of_ordered(difference.high, fma(-n, V(Q::c), difference.low - second.low));
  Angle<V> angle{rest.high, rest.low, bits(counted)};
  const auto is_far = x >= V(Q::far) && x < infinity<V>();
  if (any(is_far)) replace_far_angles(angle, x, is_far);
  return angle;
}

}  // namespace goban::mathematics
