#pragma once
// The operations of loops over rows on the numbers of one cell. See row_loops.hpp.

#include <type_traits>

#include "goban/backend/cpu/evaluator/row_loop_tables.hpp"

namespace goban::cpu::GOBAN_ROW_LOOPS {
namespace {

template <class T>
struct WrappingOf {
  using Type = T;
};
template <class T>
requires std::is_integral_v<T>
struct WrappingOf<T> {
  using Type = std::make_unsigned_t<T>;
};
template <class T>
using Wrapping = typename WrappingOf<T>::Type;

/// An operand: a row, or one number for all cells.
template <class T, bool IsOne>
struct Operand {
  [[gnu::always_inline]] explicit Operand(const void* at) : row(static_cast<const T*>(at)) {
    if constexpr (IsOne) one = *row;
  }
  [[gnu::always_inline]] T operator[](Index i) const {
    if constexpr (IsOne) return one;
    return row[i];
  }
  const T* row;
  T one{};
};

#define GOBAN_OPERATION(name, arguments, computed)    \
  struct name {                                       \
    template <class T>                                \
    [[gnu::always_inline]] static auto of arguments { \
      using U [[maybe_unused]] = Wrapping<T>;         \
      return computed;                                \
    }                                                 \
  };

GOBAN_OPERATION(Add, (T a, T b), static_cast<T>(static_cast<U>(a) + static_cast<U>(b)))
GOBAN_OPERATION(Subtract, (T a, T b), static_cast<T>(static_cast<U>(a) - static_cast<U>(b)))
GOBAN_OPERATION(Multiply, (T a, T b), static_cast<T>(static_cast<U>(a) * static_cast<U>(b)))
GOBAN_OPERATION(BitAnd, (T a, T b), static_cast<T>(a& b))
GOBAN_OPERATION(BitOr, (T a, T b), static_cast<T>(a | b))
GOBAN_OPERATION(BitXor, (T a, T b), static_cast<T>(a ^ b))
GOBAN_OPERATION(ShiftLeft, (T a, T b), static_cast<T>(static_cast<U>(a) << static_cast<U>(b)))
GOBAN_OPERATION(ShiftRight, (T a, T b), static_cast<T>(a >> b))
GOBAN_OPERATION(Equal, (T a, T b), static_cast<std::uint8_t>(a == b))
GOBAN_OPERATION(NotEqual, (T a, T b), static_cast<std::uint8_t>(a != b))
GOBAN_OPERATION(Less, (T a, T b), static_cast<std::uint8_t>(a < b))
GOBAN_OPERATION(LessEqual, (T a, T b), static_cast<std::uint8_t>(a <= b))
GOBAN_OPERATION(Greater, (T a, T b), static_cast<std::uint8_t>(a > b))
GOBAN_OPERATION(GreaterEqual, (T a, T b), static_cast<std::uint8_t>(a >= b))
GOBAN_OPERATION(LogicEqual, (T a, T b), static_cast<T>((a ^ b) ^ 1))
GOBAN_OPERATION(Minimum, (T a, T b), b < a ? b : a)
GOBAN_OPERATION(Maximum, (T a, T b), a < b ? b : a)
GOBAN_OPERATION(Complement, (T a), static_cast<T>(~a))
GOBAN_OPERATION(LogicNot, (T a), static_cast<T>(a ^ 1))
GOBAN_OPERATION(Reciprocal, (T a), 1 / a)
#undef GOBAN_OPERATION

struct Negate {
  template <class T>
  [[gnu::always_inline]] static T of(T a) {
    if constexpr (std::is_floating_point_v<T>) return -a;
    return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(a));
  }
};
struct Divide {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      if (b == 0) return a;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Negate::of(a);
      return static_cast<T>(a / b);
    }
  }
};
struct Remainder {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
    return static_cast<T>(a % b);
  }
};
struct Absolute {
  template <class T>
  [[gnu::always_inline]] static T of(T a) {
    if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(a);
    if constexpr (std::is_same_v<T, double>) return __builtin_fabs(a);
    if constexpr (std::is_unsigned_v<T>) return a;
    if constexpr (std::is_integral_v<T>) return a < 0 ? Negate::of(a) : a;
  }
};
#define GOBAN_BUILTIN(name, function)                                          \
  struct name {                                                                \
    [[gnu::always_inline]] static float of(float a) { return function##f(a); } \
    [[gnu::always_inline]] static double of(double a) { return function(a); }  \
  };
GOBAN_BUILTIN(SquareRoot, __builtin_sqrt)
GOBAN_BUILTIN(Floor, __builtin_floor)
GOBAN_BUILTIN(Ceil, __builtin_ceil)
#undef GOBAN_BUILTIN
struct FusedMultiplyAdd {
  [[gnu::always_inline]] static float of(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  [[gnu::always_inline]] static double of(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};

#ifdef __clang__
#define GOBAN_ROW_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define GOBAN_ROW_LOOP _Pragma("GCC ivdep")
#endif
}  // namespace
}  // namespace goban::cpu::GOBAN_ROW_LOOPS
