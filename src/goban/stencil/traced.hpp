#pragma once
// Values that record instead of computing. They have the syntax of packs (Traced<T>) and of numbers
// that are the same for all cells (Traced<T, false>: parameters, step, time), so that one functor
// serves both; types meet by the same rules.

#include "goban/stencil/misuse.hpp"
#include "goban/stencil/promotion.hpp"
#include "goban/stencil/recorder.hpp"

namespace goban {

template <class T, bool Varying = true>
struct Traced;
template <int LaneBytes, bool Varying = true>
struct TracedMask;

namespace detail {

template <class X>
inline constexpr bool is_traced = false;
template <class T, bool Varying>
inline constexpr bool is_traced<Traced<T, Varying>> = true;

template <class X>
inline constexpr bool is_varying = false;
template <class T>
inline constexpr bool is_varying<Traced<T, true>> = true;
template <int LaneBytes>
inline constexpr bool is_varying<TracedMask<LaneBytes, true>> = true;

// Bytes of the lanes compared; 0 for what is not a mask.
template <class X>
inline constexpr int mask_bytes = 0;
template <int LaneBytes, bool Varying>
inline constexpr int mask_bytes<TracedMask<LaneBytes, Varying>> = LaneBytes;

template <class T, bool Varying>
struct PlainOf<Traced<T, Varying>> {
  using Type = T;
};
template <class X>
using Plain = typename PlainOf<X>::Type;

template <class X>
concept TracedOrScalar = is_traced<X> || Scalar<X>;

// The value in which a and b meet: by the rules of packs, of plain C++ where nothing varies.
template <class A, class B>
constexpr auto traced_common() {
  if constexpr (is_varying<A> && is_varying<B>) {
    return Traced<Promoted<Plain<A>, Plain<B>>>{};
  } else if constexpr (is_varying<A>) {
    GOBAN_SCALAR_MUST_FIT(B, Plain<A>);
    return Traced<Plain<A>>{};
  } else if constexpr (is_varying<B>) {
    GOBAN_SCALAR_MUST_FIT(A, Plain<B>);
    return Traced<Plain<B>>{};
  } else {
    return Traced<decltype(Plain<A>{} + Plain<B>{}), false>{};
  }
}
template <class A, class... More>
struct TracedCommonOf {
  using Type = decltype(traced_common<A, typename TracedCommonOf<More...>::Type>());
};
template <class A>
struct TracedCommonOf<A> {
  using Type = A;
};
template <class... X>
using TracedCommon = typename TracedCommonOf<X...>::Type;

template <class A, class... More>
GOBAN_FUNCTION Recorder* recorder_of(const A& a, const More&... more) {
  if constexpr (requires { a.recorder; }) {
    if (a.recorder != nullptr) return a.recorder;
  }
  if constexpr (sizeof...(More) > 0) {
    return recorder_of(more...);
  } else {
    return nullptr;
  }
}

template <class Result, class... X>
GOBAN_FUNCTION Result traced_from(const X&... x) {
  return Result(recorder_of(x...));
}

// An operation is counted where its result differs between cells.
template <class Result, class... X>
GOBAN_FUNCTION Result traced_operation(Operation operation, const X&... x) {
  Result result = traced_from<Result>(x...);
  if (is_varying<Result> && result.recorder != nullptr) {
    result.recorder->count(operation, std::is_floating_point_v<typename Result::Value>);
  }
  return result;
}

template <class A, class B>
GOBAN_FUNCTION auto traced_logic(const A& a, const B& b) {
  constexpr bool varying = is_varying<A> || is_varying<B>;
  constexpr int bytes_a = is_varying<A> == varying ? mask_bytes<A> : 0;
  constexpr int bytes_b = is_varying<B> == varying ? mask_bytes<B> : 0;
  return traced_from<TracedMask<(bytes_a > bytes_b ? bytes_a : bytes_b), varying>>(a, b);
}

template <class A, class B>
GOBAN_FUNCTION auto traced_arithmetic(const A& a, const B& b) {
  if constexpr (mask_bytes < A >> 0 || mask_bytes < B >> 0) {
    return traced_logic(a, b);
  } else {
    return traced_operation<TracedCommon<A, B>>(Operation::arithmetic, a, b);
  }
}

template <class A, class B>
GOBAN_FUNCTION auto traced_comparison(const A& a, const B& b) {
  if constexpr (mask_bytes < A >> 0 || mask_bytes < B >> 0) {
    return traced_logic(a, b);
  } else {
    using Common = TracedCommon<A, B>;
    return traced_from<TracedMask<sizeof(typename Common::Value), is_varying<Common>>>(a, b);
  }
}

// Base of traced values and masks. Its operators are found beside them alone. All here and of packs
// take numbers by value: to devices a constant has no address.
struct TracedBase {
#define GOBAN_TRACED_BINARY(op, function)            \
  template <class A, class B>                        \
  friend GOBAN_FUNCTION auto operator op(A a, B b) { \
    return function(a, b);                           \
  }

  GOBAN_TRACED_BINARY(+, traced_arithmetic)
  GOBAN_TRACED_BINARY(-, traced_arithmetic)
  GOBAN_TRACED_BINARY(*, traced_arithmetic)
  GOBAN_TRACED_BINARY(/, traced_arithmetic)
  GOBAN_TRACED_BINARY(%, traced_arithmetic)
  GOBAN_TRACED_BINARY(&, traced_arithmetic)
  GOBAN_TRACED_BINARY(|, traced_arithmetic)
  GOBAN_TRACED_BINARY(^, traced_arithmetic)
  GOBAN_TRACED_BINARY(==, traced_comparison)
  GOBAN_TRACED_BINARY(!=, traced_comparison)
  GOBAN_TRACED_BINARY(<, traced_comparison)
  GOBAN_TRACED_BINARY(<=, traced_comparison)
  GOBAN_TRACED_BINARY(>, traced_comparison)
  GOBAN_TRACED_BINARY(>=, traced_comparison)
  GOBAN_TRACED_BINARY(&&, traced_logic)
  GOBAN_TRACED_BINARY(||, traced_logic)
#undef GOBAN_TRACED_BINARY

#define GOBAN_TRACED_SHIFT(op)                                                \
  template <class T, bool Varying, class X>                                   \
  friend GOBAN_FUNCTION auto operator op(const Traced<T, Varying>& a, X x) {  \
    return traced_operation<Traced<T, Varying>>(Operation::arithmetic, a, x); \
  }

  GOBAN_TRACED_SHIFT(<<)
  GOBAN_TRACED_SHIFT(>>)
#undef GOBAN_TRACED_SHIFT

#define GOBAN_TRACED_COMPOUND(op)                                          \
  template <class T, bool Varying, class X>                                \
  friend GOBAN_FUNCTION auto& operator op##=(Traced<T, Varying>& a, X x) { \
    return a = convert<T>(a op x);                                         \
  }                                                                        \
  template <class T, bool Varying, class X>                                \
  friend GOBAN_FUNCTION void operator op##=(Traced<T, Varying>&&, X) {     \
    GOBAN_CHECK_NOT_A_READ(X);                                             \
  }

  GOBAN_TRACED_COMPOUND(+)
  GOBAN_TRACED_COMPOUND(-)
  GOBAN_TRACED_COMPOUND(*)
  GOBAN_TRACED_COMPOUND(/)
  GOBAN_TRACED_COMPOUND(%)
  GOBAN_TRACED_COMPOUND(&)
  GOBAN_TRACED_COMPOUND(|)
  GOBAN_TRACED_COMPOUND(^)
  GOBAN_TRACED_COMPOUND(<<)
  GOBAN_TRACED_COMPOUND(>>)
#undef GOBAN_TRACED_COMPOUND

  template <class T, bool Varying>
  friend GOBAN_FUNCTION auto operator-(const Traced<T, Varying>& a) {
    return a;
  }
  template <class T, bool Varying>
  friend GOBAN_FUNCTION auto operator~(const Traced<T, Varying>& a) {
    return traced_operation<Traced<T, Varying>>(Operation::arithmetic, a);
  }
};

}  // namespace detail

/// Arguments of functions of traced values: such values and numbers, at least one traced.
template <class... X>
concept TracedArguments = (detail::TracedOrScalar<X> && ...) && (detail::is_traced<X> || ...);

template <class T, bool Varying>
struct Traced : detail::TracedBase {
  using Value = T;

  detail::Recorder* recorder = nullptr;

  constexpr Traced() = default;
  GOBAN_FUNCTION explicit Traced(detail::Recorder* r) : recorder(r) {}
  template <Scalar S>
  GOBAN_FUNCTION Traced(S) {}
  template <class U>
  requires Varying GOBAN_FUNCTION Traced(const Traced<U, false>& uniform)
      : recorder(uniform.recorder) {}
  Traced(const Traced&) = default;
  Traced& operator=(const Traced&) & = default;
  template <class X>
  GOBAN_FUNCTION void operator=(X) && {
    GOBAN_CHECK_NOT_A_READ(X);
  }

  /// A number that is the same for all cells may be a condition; both outcomes are taken.
  GOBAN_FUNCTION explicit operator bool() const {
    static_assert(!Varying, "goban: a value is not a condition; compare it, as in u() != 0");
    return recorder != nullptr && recorder->decide(false);
  }

  GOBAN_FUNCTION operator T() const requires(!std::same_as<T, bool>) {
    static_assert(!sizeof(T),
                  "goban: a value inside a functor is a pack of cells; declare variables auto, "
                  "convert with convert<T>(x), use goban's sqrt, exp, min, ...; it cannot be an "
                  "offset or the bound of a loop");
    return T{};
  }
};

template <int LaneBytes, bool Varying>
struct TracedMask : detail::TracedBase {
  detail::Recorder* recorder = nullptr;

  constexpr TracedMask() = default;
  GOBAN_FUNCTION explicit TracedMask(detail::Recorder* r) : recorder(r) {}
  GOBAN_FUNCTION TracedMask(bool) {}

  GOBAN_FUNCTION TracedMask operator!() const { return *this; }

  /// Both outcomes are taken, one after the other.
  GOBAN_FUNCTION explicit operator bool() const {
    return recorder != nullptr && recorder->decide(Varying);
  }
};

template <LaneType To, class From, bool Varying>
GOBAN_FUNCTION Traced<To, Varying> convert(const Traced<From, Varying>& a) {
  return detail::traced_from<Traced<To, Varying>>(a);
}

/// See select of packs.
template <int LaneBytes, bool Varying, detail::TracedOrScalar X, detail::TracedOrScalar Y>
GOBAN_FUNCTION auto select(const TracedMask<LaneBytes, Varying>& mask, X a, Y b) {
  using namespace detail;
  if constexpr (Varying && !is_varying<X> && !is_varying<Y>) {
    return traced_from<Traced<SelectedScalar<LaneBytes, Plain<X>, Plain<Y>>>>(mask, a, b);
  } else {
    return traced_from<TracedCommon<X, Y>>(mask, a, b);
  }
}
template <class X, class Y>
requires TracedArguments<X, Y> GOBAN_FUNCTION auto select(bool, X a, Y b) {
  return detail::traced_from<detail::TracedCommon<X, Y>>(a, b);
}

}  // namespace goban
