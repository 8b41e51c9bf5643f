#pragma once
// Values that record instead of computing. They have the syntax of packs (Traced<T>) and of numbers
// that are the same for all cells (Traced<T, false>: parameters, step, time), so that one functor
// serves both; types meet by the same rules.

#include <bit>

#include "goban/stencil/graph/recorder.hpp"
#include "goban/stencil/misuse.hpp"
#include "goban/stencil/promotion.hpp"

namespace goban {

template <class T, bool Varying = true>
struct Traced;
template <int LaneBytes, bool Varying = true>
struct TracedMask;
template <class T>
struct TracedChoice;

namespace detail {

template <class X>
inline constexpr bool is_traced = false;
template <class T, bool Varying>
inline constexpr bool is_traced<Traced<T, Varying>> = true;
template <class T>
inline constexpr bool is_traced<TracedChoice<T>> = true;

template <class X>
inline constexpr bool is_varying = false;
template <class T>
inline constexpr bool is_varying<Traced<T, true>> = true;
template <class T>
inline constexpr bool is_varying<TracedChoice<T>> = true;
template <int LaneBytes>
inline constexpr bool is_varying<TracedMask<LaneBytes, true>> = true;

// Bytes of the lanes compared; 0 for what is not a mask.
template <class X>
inline constexpr int mask_bytes = 0;
template <int LaneBytes, bool Varying>
inline constexpr int mask_bytes<TracedMask<LaneBytes, Varying>> = LaneBytes;

// What gives its type to the numbers that it meets.
template <class X>
inline constexpr bool has_own_type = is_varying<X>;
template <class T>
inline constexpr bool has_own_type<TracedChoice<T>> = false;

template <class T, bool Varying>
struct PlainOf<Traced<T, Varying>> {
  using Type = T;
};
template <class T>
struct PlainOf<TracedChoice<T>> {
  using Type = T;
};
template <class X>
using Plain = typename PlainOf<X>::Type;

template <class X>
concept TracedOrScalar = is_traced<X> || Scalar<X>;

// The value in which a and b meet: by the rules of packs, of plain C++ where nothing varies.
template <class A, class B>
constexpr auto traced_common() {
  if constexpr (has_own_type<A> && has_own_type<B>) {
    return Traced<Promoted<Plain<A>, Plain<B>>>{};
  } else if constexpr (has_own_type<A>) {
    if constexpr (!is_varying<B>) GOBAN_SCALAR_MUST_FIT(B, Plain<A>);
    return Traced<std::conditional_t<scalar_fits<Plain<B>, Plain<A>>, Plain<A>, Plain<B>>>{};
  } else if constexpr (has_own_type<B>) {
    return traced_common<B, A>();
  } else if constexpr (is_varying<A> || is_varying<B>) {
    return TracedChoice<decltype(Plain<A>{} + Plain<B>{})>{};
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

/// The recorder of operands, or, where all are constants, of the functor that computes with them.
template <class A, class... More>
GOBAN_FUNCTION Recorder* recorder_of(const A& a, const More&... more) {
  if constexpr (requires { a.recorder; }) {
    if (a.recorder != nullptr) return a.recorder;
  }
  if constexpr (sizeof...(More) > 0) {
    return recorder_of(more...);
  } else {
    return std::is_constant_evaluated() ? nullptr : recorder_at_work();
  }
}

template <class T>
GOBAN_FUNCTION std::int64_t bits_of(T value) {
  if constexpr (std::same_as<T, float>) {
    return std::bit_cast<std::int32_t>(value);
  } else if constexpr (std::same_as<T, double>) {
    return std::bit_cast<std::int64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}
template <class T>
GOBAN_FUNCTION int constant_node(const Recorder& recorder, T value) {
  return recorder.node(
      {GraphOp::constant, GraphType::of<T>(false), {-1, -1, -1}, {bits_of(value)}});
}

/// Node of a number that meets values of type To.
template <class To, class S>
GOBAN_FUNCTION int number_node(const Recorder& recorder, S number) {
  if constexpr (std::integral<To> && std::integral<S>) {
    require_fit(static_cast<std::int64_t>(number), GraphType::of<To>(false));
  }
  return constant_node(recorder, static_cast<To>(number));
}

/// Node of x as a value of type To; only where a graph is made.
template <class To, class X>
GOBAN_FUNCTION int operand(const Recorder& recorder, const X& x) {
  if constexpr (is_traced<X>) {
    using From = typename X::Value;
    if (x.node < 0) return number_node<To>(recorder, x.constant);
    if constexpr (std::same_as<From, To>) {
      return x.node;
    } else {
      return recorder.node({GraphOp::convert, GraphType::of<To>(is_varying<X>), {x.node, -1, -1}});
    }
  } else {
    return number_node<To>(recorder, static_cast<Plain<X>>(x));
  }
}
/// The same of truth values.
template <class X>
GOBAN_FUNCTION int mask_operand(const Recorder& recorder, const X& x) {
  if constexpr (mask_bytes < X >> 0) {
    if (x.node >= 0) return x.node;
    return recorder.node(
        {GraphOp::constant, GraphType::mask(1, false), {-1, -1, -1}, {x.constant}});
  } else {
    return recorder.node(
        {GraphOp::constant, GraphType::mask(1, false), {-1, -1, -1}, {static_cast<bool>(x)}});
  }
}

/// A value made of others, each taken as an Operand.
template <class Result, class Operand, class... X>
GOBAN_FUNCTION Result traced_from(GraphOp op, const X&... x) {
  Result result(recorder_of(x...));
  if (result.recorder != nullptr && result.recorder->makes_graph()) {
    std::array<int, 3> operands{-1, -1, -1};
    std::size_t count = 0;
    ((operands[count++] = operand<Operand>(*result.recorder, x)), ...);
    result.node = result.recorder->node({op, Result::graph_type(), operands});
  }
  return result;
}

// An operation is counted where its result differs between cells.
template <class Result, class... X>
GOBAN_FUNCTION Result traced_operation(Operation operation, GraphOp op, const X&... x) {
  Result result = traced_from<Result, typename Result::Value>(op, x...);
  if (is_varying<Result> && result.recorder != nullptr) {
    result.recorder->count(operation, std::is_floating_point_v<typename Result::Value>);
  }
  return result;
}

template <class A, class B>
GOBAN_FUNCTION auto traced_logic(GraphOp op, const A& a, const B& b) {
  constexpr bool varying = is_varying<A> || is_varying<B>;
  constexpr int bytes_a = is_varying<A> == varying ? mask_bytes<A> : 0;
  constexpr int bytes_b = is_varying<B> == varying ? mask_bytes<B> : 0;
  using Result = TracedMask<(bytes_a > bytes_b ? bytes_a : bytes_b), varying>;
  Result result(recorder_of(a, b));
  if (result.recorder != nullptr && result.recorder->makes_graph()) {
    const Recorder& recorder = *result.recorder;
    result.node = recorder.node(
        {op, Result::graph_type(), {mask_operand(recorder, a), mask_operand(recorder, b), -1}});
  }
  return result;
}

/// What an operator of numbers does with truth values.
constexpr GraphOp logic_of(GraphOp op) {
  switch (op) {
    case GraphOp::bit_and: return GraphOp::logic_and;
    case GraphOp::bit_or: return GraphOp::logic_or;
    case GraphOp::equal: return GraphOp::logic_equal;
    default: return GraphOp::logic_xor;
  }
}

template <class A, class B>
GOBAN_FUNCTION auto traced_arithmetic(GraphOp op, const A& a, const B& b) {
  if constexpr (mask_bytes < A >> 0 || mask_bytes < B >> 0) {
    return traced_logic(logic_of(op), a, b);
  } else {
    return traced_operation<TracedCommon<A, B>>(Operation::arithmetic, op, a, b);
  }
}

template <class A, class B>
GOBAN_FUNCTION auto traced_comparison(GraphOp op, const A& a, const B& b) {
  if constexpr (mask_bytes < A >> 0 || mask_bytes < B >> 0) {
    return traced_logic(logic_of(op), a, b);
  } else {
    using Common = TracedCommon<A, B>;
    using Result = TracedMask<sizeof(typename Common::Value), is_varying<Common>>;
    return traced_from<Result, typename Common::Value>(op, a, b);
  }
}

// Base of traced values and masks. Its operators are found beside them alone. All here and of packs
// take numbers by value: to devices a constant has no address.
struct TracedBase {
#define GOBAN_TRACED_BINARY(op, function, name)      \
  template <class A, class B>                        \
  friend GOBAN_FUNCTION auto operator op(A a, B b) { \
    return function(GraphOp::name, a, b);            \
  }

  GOBAN_TRACED_BINARY(+, traced_arithmetic, add)
  GOBAN_TRACED_BINARY(-, traced_arithmetic, subtract)
  GOBAN_TRACED_BINARY(*, traced_arithmetic, multiply)
  GOBAN_TRACED_BINARY(/, traced_arithmetic, divide)
  GOBAN_TRACED_BINARY(%, traced_arithmetic, remainder)
  GOBAN_TRACED_BINARY(&, traced_arithmetic, bit_and)
  GOBAN_TRACED_BINARY(|, traced_arithmetic, bit_or)
  GOBAN_TRACED_BINARY(^, traced_arithmetic, bit_xor)
  GOBAN_TRACED_BINARY(==, traced_comparison, equal)
  GOBAN_TRACED_BINARY(!=, traced_comparison, not_equal)
  GOBAN_TRACED_BINARY(<, traced_comparison, less)
  GOBAN_TRACED_BINARY(<=, traced_comparison, less_equal)
  GOBAN_TRACED_BINARY(>, traced_comparison, greater)
  GOBAN_TRACED_BINARY(>=, traced_comparison, greater_equal)
  GOBAN_TRACED_BINARY(&&, traced_logic, logic_and)
  GOBAN_TRACED_BINARY(||, traced_logic, logic_or)
#undef GOBAN_TRACED_BINARY

#define GOBAN_TRACED_SHIFT(op, name)                                                         \
  template <class T, bool Varying, class X>                                                  \
  friend GOBAN_FUNCTION auto operator op(const Traced<T, Varying>& a, X x) {                 \
    return traced_operation<Traced<T, Varying>>(Operation::arithmetic, GraphOp::name, a, x); \
  }

  GOBAN_TRACED_SHIFT(<<, shift_left)
  GOBAN_TRACED_SHIFT(>>, shift_right)
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

  template <class A>
  requires is_traced<A>
  friend GOBAN_FUNCTION auto operator-(A a) {
    return traced_operation<A>(Operation::uncounted, GraphOp::negate, a);
  }
  template <class T, bool Varying>
  friend GOBAN_FUNCTION auto operator~(const Traced<T, Varying>& a) {
    return traced_operation<Traced<T, Varying>>(Operation::arithmetic, GraphOp::complement, a);
  }
};

}  // namespace detail

/// Arguments of functions of traced values: such values and numbers, at least one traced.
template <class... X>
concept TracedArguments = (detail::TracedOrScalar<X> && ...) && (detail::is_traced<X> || ...);

template <class T, bool Varying>
struct Traced : detail::TracedBase {
  using Value = T;
  static constexpr GraphType graph_type() { return GraphType::of<T>(Varying); }

  detail::Recorder* recorder = nullptr;
  int node = -1;  ///< in the graph, if one is made; -1: the constant
  T constant{};

  constexpr Traced() = default;
  GOBAN_FUNCTION explicit Traced(detail::Recorder* r, int n = -1) : recorder(r), node(n) {}
  template <Scalar S>
  GOBAN_FUNCTION Traced(S s) : constant(static_cast<T>(s)) {}
  template <class U>
  requires Varying GOBAN_FUNCTION Traced(const Traced<U, false>& uniform)
      : recorder(uniform.recorder), constant(static_cast<T>(uniform.constant)) {
    if (recorder != nullptr && recorder->makes_graph()) {
      node = detail::operand<T>(*recorder, uniform);
    }
  }
  Traced(const Traced&) = default;
  Traced& operator=(const Traced&) & = default;
  template <class X>
  GOBAN_FUNCTION void operator=(X) && {
    GOBAN_CHECK_NOT_A_READ(X);
  }

  /// A number that is the same for all cells may be a condition; both outcomes are taken.
  GOBAN_FUNCTION explicit operator bool() const {
    static_assert(!Varying, "goban: a value is not a condition; compare it, as in u() != 0");
    return recorder != nullptr ? recorder->decide(false, node) : static_cast<bool>(constant);
  }

  GOBAN_FUNCTION operator T() const requires(!std::same_as<T, bool>) {
    static_assert(
        !sizeof(T),
        "goban: a value inside a functor stands for those of all cells; declare variables auto, "
        "convert with convert<T>(x), use goban's sqrt, exp, min, ...; it cannot be an "
        "offset or the bound of a loop");
    return T{};
  }
};

template <int LaneBytes, bool Varying>
struct TracedMask : detail::TracedBase {
  static constexpr GraphType graph_type() { return GraphType::mask(LaneBytes, Varying); }

  detail::Recorder* recorder = nullptr;
  int node = -1;  ///< as of values
  bool constant = false;

  constexpr TracedMask() = default;
  GOBAN_FUNCTION explicit TracedMask(detail::Recorder* r) : recorder(r) {}
  GOBAN_FUNCTION TracedMask(bool b) : constant(b) {}

  GOBAN_FUNCTION TracedMask operator!() const {
    TracedMask result = *this;
    result.constant = !constant;
    if (recorder != nullptr && recorder->makes_graph()) {
      result.node = recorder->node({GraphOp::logic_not, graph_type(), {node, -1, -1}});
    }
    return result;
  }

  /// Takes both outcomes, one after the other.
  GOBAN_FUNCTION explicit operator bool() const {
    return recorder != nullptr ? recorder->decide(Varying, node) : constant;
  }
};

/// What select makes of two numbers with fractions, and arithmetic with it and numbers: it has the
/// type of plain code, and beside other values of cells theirs, like the numbers it is made of.
template <class T>
struct TracedChoice : Traced<T> {
  using Traced<T>::Traced;

  template <class U>
  GOBAN_FUNCTION void operator=(const Traced<U>&) {
    static_assert(!sizeof(U),
                  "goban: this variable holds numbers that were selected, which have no type of "
                  "their own; declare it with convert<double>(select(mask, a, b))");
  }
};

template <LaneType To, class From, bool Varying>
GOBAN_FUNCTION Traced<To, Varying> convert(const Traced<From, Varying>& a) {
  Traced<To, Varying> result(a.recorder);
  result.constant = static_cast<To>(a.constant);
  if (a.recorder != nullptr && a.recorder->makes_graph()) {
    result.node = detail::operand<To>(*a.recorder, a);
  }
  return result;
}

namespace detail {
template <class Result, class Mask, class X, class Y>
GOBAN_FUNCTION Result traced_selection(const Mask& mask, const X& a, const Y& b) {
  using T = typename Result::Value;
  Result result(recorder_of(mask, a, b));
  if (result.recorder != nullptr && result.recorder->makes_graph()) {
    const Recorder& recorder = *result.recorder;
    result.node = recorder.node(
        {GraphOp::select,
         Result::graph_type(),
         {mask_operand(recorder, mask), operand<T>(recorder, a), operand<T>(recorder, b)}});
  }
  return result;
}
}  // namespace detail

/// See select of packs.
template <int LaneBytes, bool Varying, detail::TracedOrScalar X, detail::TracedOrScalar Y>
GOBAN_FUNCTION auto select(const TracedMask<LaneBytes, Varying>& mask, X a, Y b) {
  using namespace detail;
  if constexpr (Varying && !is_varying<X> && !is_varying<Y>) {
    using Number = decltype(Plain<X>{} + Plain<Y>{});
    using Result = std::conditional_t<std::is_floating_point_v<Number>, TracedChoice<Number>,
                                      Traced<SelectedInteger<LaneBytes>>>;
    return traced_selection<Result>(mask, a, b);
  } else {
    return traced_selection<TracedCommon<X, Y>>(mask, a, b);
  }
}
template <class X, class Y>
requires TracedArguments<X, Y> GOBAN_FUNCTION auto select(bool condition, X a, Y b) {
  using Result = detail::TracedCommon<X, Y>;
  Result result(detail::recorder_of(a, b));
  if (result.recorder != nullptr && result.recorder->makes_graph()) {
    using T = typename Result::Value;
    result.node = condition ? detail::operand<T>(*result.recorder, a)
                            : detail::operand<T>(*result.recorder, b);
  }
  return result;
}

}  // namespace goban
