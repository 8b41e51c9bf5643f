#pragma once
// atan2 and atan: the smaller side by the larger, turned by pi/4 where that is nearer.

#include "goban/stencil/mathematics/values.hpp"

namespace goban::mathematics {

/// The angle of a point (x, y), y >= 0, from the x axis; `x_is_left` where x has a sign.
template <class V, class M>
GOBAN_MATHEMATICS V angle_of_point(V size_of_x, V size_of_y, M x_is_left) {
  using T = Element<V>;
  const V zero(T(0)), one(T(1));
  const auto is_steep = size_of_y > size_of_x;
  V larger = select(is_steep, size_of_y, size_of_x);
  V smaller = select(is_steep, size_of_x, size_of_y);
  const auto is_infinite = larger == infinity<V>();
  smaller = select(is_infinite, select(smaller == larger, one, zero), smaller);
  larger = select(is_infinite || larger == zero, one, larger);
  // Away from the ends of the range; what gets lost of the smaller one adds nothing.
  const V small_limit(is_single<V> ? T(0x1p-60) : T(0x1p-500));
  const V large_limit(is_single<V> ? T(0x1p60) : T(0x1p500));
  const V scale = select(larger < small_limit, V(is_single<V> ? T(0x1p100) : T(0x1p800)),
                         select(larger < large_limit, V(is_single<V> ? T(0x1p40) : T(0x1p300)),
                                V(is_single<V> ? T(0x1p-40) : T(0x1p-300))));
  larger = larger * scale;
  smaller = smaller * scale;

  const V tan_eighth(is_single<V> ? T(0xd.413cdp-5) : T(0xd.413cccfe7799p-5));
  const auto is_turned = smaller > tan_eighth * larger;  // by pi/4
  const auto difference = sum_of_ordered(-larger, smaller);
  const auto sum = sum_of_ordered(larger, smaller);
  const auto tangent = quotient_of(
      Pair<V>{select(is_turned, difference.high, smaller), select(is_turned, difference.low, zero)},
      Pair<V>{select(is_turned, sum.high, larger), select(is_turned, sum.low, zero)});
  const V square = tangent.high * tangent.high;
  V series;
  if constexpr (is_single<V>) {
    series = polynomial(square, -0xa.aaaa5p-5f, 0x6.66479p-5f, -0x4.8ee73p-5f, 0x1.b2265p-4f,
                        -0xf.97605p-8f);
  } else {
    series = polynomial(square, -0x5.555555555555p-4, 0x1.9999999999583p-3, -0x4.92492491bd23p-5,
                        0x1.c71c71b44d581p-4, -0xb.a2e8a270eb61p-7, 0x1.3b1364b255f35p-4,
                        -0x8.885f39c453e3p-7, 0xf.0b3aefa60f2bp-8, -0x1.ab3971b69d3d5p-5,
                        0xb.7ed48648804fp-8, -0x8.7def3498417p-8, 0x7.9fd3a7d64f83p-9);
  }
  const V beyond_linear =
      fma(tangent.high * square, series, fma(-square, tangent.low, tangent.low));

  // The angle is some eighths of a turn, plus or minus what was found.
  V eighths = select(is_turned, one, zero);
  eighths = select(is_steep, V(T(2)) - eighths, eighths);
  eighths = select(x_is_left, V(T(4)) - eighths, eighths);
  const auto is_minus = is_steep != x_is_left;
  const V linear = select(is_minus, -tangent.high, tangent.high);
  const V beyond = select(is_minus, -beyond_linear, beyond_linear);
  const V eighth(is_single<V> ? T(0x1.921fbp-1) : T(0x3.243f6a8885a3p-2));  // four are exact
  const V eighth_low(is_single<V> ? T(0x5.4442dp-25) : T(0x1.1a62633145c07p-55));
  const auto angle = sum_of_ordered(eighths * eighth, linear);
  return angle.high + (angle.low + fma(eighths, eighth_low, beyond));
}

template <class V>
GOBAN_MATHEMATICS V atan2(V y, V x) {
  const V angle = angle_of_point(magnitude_of(x), magnitude_of(y), is_negative(x));
  return select(x == x && y == y, turned(angle, sign_of(y)), not_a_number<V>());
}

template <class V>
GOBAN_MATHEMATICS V atan(V x) {
  const V one(Element<V>(1));
  const V angle = angle_of_point(one, magnitude_of(x), one < one);
  return select(x == x, turned(angle, sign_of(x)), not_a_number<V>());
}

}  // namespace goban::mathematics
