#pragma once
// Numbers that are the same for all cells of a sweep, as functors get them from dt() and
// site.time(). They compute like plain numbers; their mathematical functions are goban's wherever
// the functor is declared, so that CPUs and GPUs have the same bits.

#include "goban/stencil/scalar_math.hpp"

namespace goban {

template <class T>
class Uniform {
 public:
  GOBAN_FUNCTION explicit Uniform(T value) : value_(value) {}
  GOBAN_FUNCTION operator T() const { return value_; }

 private:
  T value_;
};

template <class T>
inline constexpr bool is_scalar<Uniform<T>> = true;

namespace detail {

template <class T>
struct PlainOf<Uniform<T>> {
  using Type = T;
};

template <class X>
inline constexpr bool is_uniform = false;
template <class T>
inline constexpr bool is_uniform<Uniform<T>> = true;

template <class X>
GOBAN_FUNCTION auto plain(X x) {
  return static_cast<typename PlainOf<X>::Type>(x);
}
/// The types that the plain numbers meet in.
template <class... X>
using Together = decltype((plain(X(std::declval<X>())) + ...));

}  // namespace detail

/// Some of them are uniform, the others plain.
template <class... X>
concept UniformArguments = (Scalar<X> && ...) && (detail::is_uniform<X> || ...);

#define GOBAN_UNIFORM_OPERATOR(op)                                            \
  template <class X, class Y>                                                 \
  requires UniformArguments<X, Y> GOBAN_FUNCTION auto operator op(X a, Y b) { \
    return Uniform(detail::plain(a) op detail::plain(b));                     \
  }
GOBAN_UNIFORM_OPERATOR(+)
GOBAN_UNIFORM_OPERATOR(-)
GOBAN_UNIFORM_OPERATOR(*)
GOBAN_UNIFORM_OPERATOR(/)
GOBAN_UNIFORM_OPERATOR(%)
#undef GOBAN_UNIFORM_OPERATOR

template <class T>
GOBAN_FUNCTION auto operator-(Uniform<T> x) {
  return Uniform(-detail::plain(x));
}

#define GOBAN_UNIFORM_FUNCTION(name)             \
  template <class T>                             \
  GOBAN_FUNCTION Uniform<T> name(Uniform<T> x) { \
    return Uniform<T>(name(detail::plain(x)));   \
  }
GOBAN_UNIFORM_FUNCTION(abs)
GOBAN_UNIFORM_FUNCTION(sqrt)
GOBAN_UNIFORM_FUNCTION(floor)
GOBAN_UNIFORM_FUNCTION(ceil)
GOBAN_FUNCTIONS_OF_ONE(GOBAN_UNIFORM_FUNCTION)
#undef GOBAN_UNIFORM_FUNCTION

#define GOBAN_UNIFORM_FUNCTION(name)                                                             \
  template <class X, class Y>                                                                    \
  requires UniformArguments<X, Y> GOBAN_FUNCTION auto name(X x, Y y) {                           \
    using T = detail::Together<X, Y>;                                                            \
    return Uniform<T>(name(static_cast<T>(detail::plain(x)), static_cast<T>(detail::plain(y)))); \
  }
GOBAN_UNIFORM_FUNCTION(min)
GOBAN_UNIFORM_FUNCTION(max)
GOBAN_FUNCTIONS_OF_TWO(GOBAN_UNIFORM_FUNCTION)
#undef GOBAN_UNIFORM_FUNCTION

template <class X, class Y, class Z>
requires UniformArguments<X, Y, Z> GOBAN_FUNCTION auto fma(X x, Y y, Z z) {
  using T = detail::Together<X, Y, Z>;
  return Uniform<T>(fma(static_cast<T>(detail::plain(x)), static_cast<T>(detail::plain(y)),
                        static_cast<T>(detail::plain(z))));
}

template <LaneType To, class T>
GOBAN_FUNCTION Uniform<To> convert(Uniform<T> x) {
  return Uniform<To>(static_cast<To>(detail::plain(x)));
}

}  // namespace goban
