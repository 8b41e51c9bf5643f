#pragma once
// Arithmetic, comparisons, logic and selection of packs. Packs of two types meet by Promoted, a
// plain number takes the type of the pack beside it, integers wrap, nothing depends on N.

#include "goban/stencil/pack/pack_convert.hpp"

namespace goban {

namespace detail {

// Integers are computed unsigned, where wrapping is defined.
template <class T>
struct WrappingOf {
  using Type = T;
};
template <std::integral T>
struct WrappingOf<T> {
  using Type = std::make_unsigned_t<T>;
};
template <class T>
using Wrapping = typename WrappingOf<T>::Type;

template <class T, int N, class V>
GOBAN_INLINE Pack<T, N> packed(const V& raw) {
  Pack<T, N> result;
  result.raw = cast<typename Pack<T, N>::Raw>(raw);
  return result;
}

/// Lanes that nobody asks for are divided, too: integers have a quotient by 0, themselves, with the
/// remainder 0. That by -1 wraps.
template <class T, int N>
GOBAN_INLINE Pack<T, N> divisor(const Pack<T, N>& b) {
  if constexpr (N == 1) {
    const bool is_minus_one = std::is_signed_v<T> && b.raw == static_cast<T>(-1);
    return packed<T, N>(b.raw == 0 || is_minus_one ? T(1) : b.raw);
  } else {
    using Raw = typename Pack<T, N>::Raw;
    auto fixed = b.raw - cast<Raw>(b.raw == 0);
    if constexpr (std::is_signed_v<T>) fixed -= 2 * cast<Raw>(b.raw == -1);
    return packed<T, N>(fixed);
  }
}

template <class T, int N>
GOBAN_INLINE Pack<T, N> quotient(const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (!std::is_integral_v<T>) {
    return packed<T, N>(a.raw / b.raw);
  } else if constexpr (!std::is_signed_v<T>) {
    return packed<T, N>(a.raw / divisor(b).raw);
  } else if constexpr (N == 1) {
    using U = Wrapping<T>;
    if (b.raw == -1) return packed<T, N>(static_cast<T>(U(0) - static_cast<U>(a.raw)));
    return packed<T, N>(static_cast<T>(a.raw / divisor(b).raw));
  } else {
    using Raw = Vector<Wrapping<T>, N>;
    const Raw is_negated = cast<Raw>(b.raw == -1);
    return packed<T, N>((cast<Raw>(a.raw / divisor(b).raw) ^ is_negated) - is_negated);
  }
}

template <class T, int N>
GOBAN_INLINE Pack<T, N> remainder(const Pack<T, N>& a, const Pack<T, N>& b) {
  return packed<T, N>(a.raw % divisor(b).raw);
}

}  // namespace detail

#define GOBAN_PACKS(op, requirement, result)                                                      \
  template <class T, class U, int N>                                                              \
  requires(requirement<T> && requirement<U>) GOBAN_INLINE auto operator op(const Pack<T, N>& a,   \
                                                                           const Pack<U, N>& b) { \
    using R = Promoted<T, U>;                                                                     \
    const Pack<R, N> x = convert<R>(a), y = convert<R>(b);                                        \
    return result;                                                                                \
  }                                                                                               \
  template <class T, int N, Scalar S>                                                             \
  requires requirement<T> GOBAN_INLINE Pack<T, N>                                                 \
  operator op(const Pack<T, N>& a, S s) {                                                         \
    GOBAN_SCALAR_MUST_FIT(S, T);                                                                  \
    return a op Pack<T, N>(s);                                                                    \
  }                                                                                               \
  template <class T, int N, Scalar S>                                                             \
  requires requirement<T> GOBAN_INLINE Pack<T, N>                                                 \
  operator op(S s, const Pack<T, N>& a) {                                                         \
    GOBAN_SCALAR_MUST_FIT(S, T);                                                                  \
    return Pack<T, N>(s) op a;                                                                    \
  }                                                                                               \
  template <class T, int N, class X>                                                              \
  requires requirement<T> GOBAN_INLINE Pack<T, N>                                                 \
  &operator op##=(Pack<T, N>& a, X x) { return a = convert<T>(a op x); }

#define GOBAN_WRAPPING(op)                                                          \
  (detail::packed<R, N>(detail::cast<detail::Vector<detail::Wrapping<R>, N>>(x.raw) \
                            op detail::cast<detail::Vector<detail::Wrapping<R>, N>>(y.raw)))

GOBAN_PACKS(+, LaneType, GOBAN_WRAPPING(+))
GOBAN_PACKS(-, LaneType, GOBAN_WRAPPING(-))
GOBAN_PACKS(*, LaneType, GOBAN_WRAPPING(*))
GOBAN_PACKS(/, LaneType, detail::quotient(x, y))
GOBAN_PACKS(%, std::integral, detail::remainder(x, y))
GOBAN_PACKS(&, std::integral, GOBAN_WRAPPING(&))
GOBAN_PACKS(|, std::integral, GOBAN_WRAPPING(|))
GOBAN_PACKS(^, std::integral, GOBAN_WRAPPING(^))
#undef GOBAN_PACKS
#undef GOBAN_WRAPPING

// Shifts keep the type of the left side; the count is below its number of bits.
#define GOBAN_SHIFT(op, computed)                                                                  \
  template <std::integral T, std::integral U, int N>                                               \
  GOBAN_INLINE Pack<T, N> operator op(const Pack<T, N>& a, const Pack<U, N>& b) {                  \
    using Raw = detail::Vector<computed<T>, N>;                                                    \
    return detail::packed<T, N>(detail::cast<Raw>(a.raw) op detail::cast<Raw>(convert<T>(b).raw)); \
  }                                                                                                \
  template <std::integral T, int N, Scalar S>                                                      \
  GOBAN_INLINE Pack<T, N> operator op(const Pack<T, N>& a, S s) {                                  \
    GOBAN_SCALAR_MUST_FIT(S, T);                                                                   \
    return a op Pack<T, N>(s);                                                                     \
  }                                                                                                \
  template <std::integral T, int N, class X>                                                       \
  GOBAN_INLINE Pack<T, N>& operator op##=(Pack<T, N>& a, X x) {                                    \
    return a = a op x;                                                                             \
  }

GOBAN_SHIFT(<<, detail::Wrapping)
GOBAN_SHIFT(>>, std::type_identity_t)
#undef GOBAN_SHIFT

template <class T, int N>
GOBAN_INLINE Pack<T, N> operator-(const Pack<T, N>& a) {
  if constexpr (std::is_integral_v<T>) {
    return T(0) - a;
  } else {
    return detail::packed<T, N>(-a.raw);
  }
}

template <std::integral T, int N>
GOBAN_INLINE Pack<T, N> operator~(const Pack<T, N>& a) {
  return a ^ static_cast<T>(-1);
}

#define GOBAN_COMPARISON(op)                                                                   \
  template <class T, class U, int N>                                                           \
  GOBAN_INLINE auto operator op(const Pack<T, N>& a, const Pack<U, N>& b) {                    \
    using R = Promoted<T, U>;                                                                  \
    using Result = Mask<sizeof(R), N>;                                                         \
    return Result(detail::cast<typename Result::Raw>(convert<R>(a).raw op convert<R>(b).raw)); \
  }                                                                                            \
  template <class T, int N, Scalar S>                                                          \
  GOBAN_INLINE Mask<sizeof(T), N> operator op(const Pack<T, N>& a, S s) {                      \
    GOBAN_SCALAR_MUST_FIT(S, T);                                                               \
    return a op Pack<T, N>(s);                                                                 \
  }                                                                                            \
  template <class T, int N, Scalar S>                                                          \
  GOBAN_INLINE Mask<sizeof(T), N> operator op(S s, const Pack<T, N>& a) {                      \
    GOBAN_SCALAR_MUST_FIT(S, T);                                                               \
    return Pack<T, N>(s) op a;                                                                 \
  }

GOBAN_COMPARISON(==)
GOBAN_COMPARISON(!=)
GOBAN_COMPARISON(<)
GOBAN_COMPARISON(<=)
GOBAN_COMPARISON(>)
GOBAN_COMPARISON(>=)
#undef GOBAN_COMPARISON

// Both sides are always evaluated. Masks of two sizes give the wider; a bool holds for all lanes.
#define GOBAN_MASK_LOGIC(op, bitwise)                                                           \
  template <int A, int B, int N>                                                                \
  GOBAN_INLINE auto operator op(const Mask<A, N>& a, const Mask<B, N>& b) {                     \
    using Result = Mask<(A > B ? A : B), N>;                                                    \
    constexpr int bytes = A > B ? A : B;                                                        \
    return Result(                                                                              \
        detail::cast<typename Result::Raw>(resize<bytes>(a).raw bitwise resize<bytes>(b).raw)); \
  }                                                                                             \
  template <int A, int N>                                                                       \
  GOBAN_INLINE Mask<A, N> operator op(const Mask<A, N>& a, std::same_as<bool> auto b) {         \
    return a op Mask<A, N>(b);                                                                  \
  }                                                                                             \
  template <int A, int N>                                                                       \
  GOBAN_INLINE Mask<A, N> operator op(std::same_as<bool> auto a, const Mask<A, N>& b) {         \
    return Mask<A, N>(a) op b;                                                                  \
  }

GOBAN_MASK_LOGIC(&, &)
GOBAN_MASK_LOGIC(|, |)
GOBAN_MASK_LOGIC(^, ^)
GOBAN_MASK_LOGIC(&&, &)
GOBAN_MASK_LOGIC(||, |)
GOBAN_MASK_LOGIC(==, ==)
GOBAN_MASK_LOGIC(!=, !=)
#undef GOBAN_MASK_LOGIC

template <int B, int N>
GOBAN_INLINE Mask<B, N> operator!(const Mask<B, N>& m) {
  if constexpr (N == 1) {
    return Mask<B, N>(!m.raw);
  } else {
    return Mask<B, N>(~m.raw);
  }
}

/// In each lane a where the mask holds, else b. Packs meet by Promoted; a number takes the type of
/// the pack beside it, two numbers take the type as wide as the lanes compared.
template <int B, int N, class X, class Y>
requires PackArguments<X, Y> GOBAN_INLINE auto select(const Mask<B, N>& mask, X a, Y b) {
  using P = detail::CommonPack<X, Y>;
  P result;
  result.raw = detail::choose(resize<sizeof(typename P::Value)>(mask).raw,
                              detail::to_pack<P>(a).raw, detail::to_pack<P>(b).raw);
  return result;
}
template <int B, int N, Scalar X, Scalar Y>
GOBAN_INLINE auto select(const Mask<B, N>& mask, X a, Y b) {
  using P = Pack<SelectedScalar<B, X, Y>, N>;
  return select(mask, P(a), P(b));
}

/// One condition for all lanes.
template <class X, class Y>
requires PackArguments<X, Y> GOBAN_INLINE auto select(bool condition, X a, Y b) {
  using P = detail::CommonPack<X, Y>;
  return condition ? detail::to_pack<P>(a) : detail::to_pack<P>(b);
}

}  // namespace goban
