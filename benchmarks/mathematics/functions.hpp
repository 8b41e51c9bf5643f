#pragma once
// The mathematical functions as one list, and how far a result is from the true one.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "goban/stencil/graph/traced_math.hpp"

namespace goban::mathematics {

/// The call is goban's, of numbers and of what records functors; `standard` is the standard's of
/// numbers, and `expression` what kernels write.
#define GOBAN_LISTED_OF_ONE(Name, function, least, most)                          \
  struct Name {                                                                   \
    static constexpr const char *name = #function, *expression = #function "(x)"; \
    static constexpr bool has_two = false;                                        \
    static constexpr double from = least, to = most;                              \
    GOBAN_FUNCTION auto operator()(auto x) const { return goban::function(x); }   \
    static auto standard(auto x) { return std::function(x); }                     \
  };
#define GOBAN_LISTED_OF_TWO(Name, function, least, most)                                          \
  struct Name {                                                                                   \
    static constexpr const char *name = #function, *expression = #function "(x, y)";              \
    static constexpr bool has_two = true;                                                         \
    static constexpr double from = least, to = most;                                              \
    GOBAN_FUNCTION auto operator()(auto x, decltype(x) y) const { return goban::function(x, y); } \
    static auto standard(auto x, decltype(x) y) { return std::function(x, y); }                   \
  };

// `least` ... `most`: common arguments, with which rates are measured.
GOBAN_LISTED_OF_ONE(Exp, exp, -20, 20)
GOBAN_LISTED_OF_ONE(Log, log, 0.001, 1000)
GOBAN_LISTED_OF_ONE(Sin, sin, -30, 30)
GOBAN_LISTED_OF_ONE(Cos, cos, -30, 30)
GOBAN_LISTED_OF_ONE(Tan, tan, -30, 30)
GOBAN_LISTED_OF_ONE(Tanh, tanh, -3, 3)
GOBAN_LISTED_OF_ONE(Atan, atan, -5, 5)
GOBAN_LISTED_OF_ONE(Cbrt, cbrt, -1000, 1000)
GOBAN_LISTED_OF_TWO(Pow, pow, 0.01, 10)
GOBAN_LISTED_OF_TWO(Atan2, atan2, -5, 5)
#undef GOBAN_LISTED_OF_ONE
#undef GOBAN_LISTED_OF_TWO

/// f(Exp{}), f(Log{}), ...
template <class F>
void for_each_function(F f) {
  f(Exp{}), f(Log{}), f(Sin{}), f(Cos{}), f(Tan{}), f(Tanh{}), f(Atan{}), f(Cbrt{}), f(Pow{}),
      f(Atan2{});
}

/// f(x), or f(x, y) of a function of two.
template <class F, class T>
T value_of(F f, T x, T y) {
  if constexpr (F::has_two) {
    return f(x, y);
  } else {
    return f(x);
  }
}
/// The same of the standard's.
template <class F, class T>
T standard_value_of(F, T x, T y) {
  if constexpr (F::has_two) {
    return F::standard(x, y);
  } else {
    return F::standard(x);
  }
}

/// A type in which the standard's functions are exact enough to measure errors.
template <class T>
struct FinerOf {
  using Type = double;
};
template <>
struct FinerOf<double> {
  using Type = long double;
};
template <class T>
using Finer = typename FinerOf<T>::Type;

/// Distance in units of the last place that results of this size have; beyond the largest number
/// they are as far apart as below it. 0.5 where it is the closest there is, infinite where the kind
/// or the sign is another.
template <class T>
double error_in_ulps(T found, Finer<T> expected) {
  using Limits = std::numeric_limits<T>;
  using F = Finer<T>;
  const T rounded = static_cast<T>(expected);
  if (std::isnan(rounded) || std::isnan(found)) {
    return std::isnan(rounded) && std::isnan(found) ? 0.5 : Limits::infinity();
  }
  if (std::signbit(found) != std::signbit(rounded)) return Limits::infinity();
  if (found == rounded) return 0.5;
  const int exponent =
      std::max(std::min(std::ilogb(expected), Limits::max_exponent - 1), Limits::min_exponent - 1);
  const F unit = std::ldexp(F(1), exponent - (Limits::digits - 1));
  const F number = std::isinf(found)
                       ? std::copysign(std::ldexp(F(1), Limits::max_exponent), expected)
                       : F(found);
  return static_cast<double>(std::abs((number - expected) / unit));
}

/// A number with these bits.
inline float number_of(std::uint64_t bits, float) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
inline double number_of(std::uint64_t bits, double) { return std::bit_cast<double>(bits); }

/// An argument number n of a set that has all kinds: any bits at all, moderate numbers, numbers
/// close to 1 and close to multiples of pi / 2, zeros, infinities and the like.
template <class T>
T some_argument(std::uint64_t n, int which) {
  std::uint64_t random = 2 * n + static_cast<std::uint64_t>(which) + 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 2; ++i) {
    random = (random ^ (random >> 30)) * 0xbf58476d1ce4e5b9u;
    random = (random ^ (random >> 27)) * 0x94d049bb133111ebu;
    random ^= random >> 31;
  }
  using Limits = std::numeric_limits<T>;
  const double unit = static_cast<double>(random >> 11) * 0x1p-53;
  constexpr T special[] = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(2),
                           T(-3),
                           T(0.5),
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN()};
  switch ((n >> (2 * which)) % 8) {  // of two arguments all kinds meet
    case 0: return number_of(random, T());
    case 1: return static_cast<T>(std::ldexp(2 * unit - 1, static_cast<int>(random % 40) - 20));
    case 2: return static_cast<T>(1 + std::ldexp(2 * unit - 1, -static_cast<int>(random % 24)));
    case 3: return static_cast<T>(static_cast<double>(random % 4096) * 1.5707963267948966);
    case 4: return static_cast<T>(static_cast<int>(random % 64) - 32);
    case 5: return special[random % std::size(special)];
    default: return static_cast<T>(200 * unit - 100);
  }
}

}  // namespace goban::mathematics
