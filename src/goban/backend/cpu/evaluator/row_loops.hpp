// Loops over rows, for the instruction set that the including source is compiled for and a
// namespace of its own, GOBAN_ROW_LOOPS: without #pragma once, and without inline functions of
// other headers, of which the linker keeps one.

#include <immintrin.h>

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

/// An operand: a row, or one number.
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

template <class Op, class T>
void unary(void* to, const void* a, const void*, const void*, Index n) {
  auto* const result = static_cast<decltype(Op::of(T{}))*>(to);
  const T* const x = static_cast<const T*>(a);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = Op::of(x[i]);
}
template <class Op, class T, bool A, bool B>
void binary(void* to, const void* a, const void* b, const void*, Index n) {
  auto* const result = static_cast<decltype(Op::of(T{}, T{}))*>(to);
  const Operand<T, A> x(a);
  const Operand<T, B> y(b);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = Op::of(x[i], y[i]);
}
template <class T, bool A, bool B, bool C>
void fused(void* to, const void* a, const void* b, const void* c, Index n) {
  T* const result = static_cast<T*>(to);
  const Operand<T, A> x(a);
  const Operand<T, B> y(b);
  const Operand<T, C> z(c);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = FusedMultiplyAdd::of(x[i], y[i], z[i]);
}
template <class T, bool B, bool C>
void select(void* to, const void* a, const void* b, const void* c, Index n) {
  T* const result = static_cast<T*>(to);
  const auto* const mask = static_cast<const std::uint8_t*>(a);
  const Operand<T, B> y(b);
  const Operand<T, C> z(c);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) {
    const T yes = y[i], no = z[i];
    result[i] = mask[i] != 0 ? yes : no;
  }
}
/// One truth value for the row.
template <class T, bool B, bool C>
void choose(void* to, const void* a, const void* b, const void* c, Index n) {
  T* const result = static_cast<T*>(to);
  const Operand<T, B> y(b);
  const Operand<T, C> z(c);
  if (*static_cast<const std::uint8_t*>(a) != 0) {
    GOBAN_ROW_LOOP
    for (Index i = 0; i < n; ++i) result[i] = y[i];
  } else {
    GOBAN_ROW_LOOP
    for (Index i = 0; i < n; ++i) result[i] = z[i];
  }
}

template <class T>
void fill(void* to, const void* a, const void*, const void*, Index n) {
  T* const result = static_cast<T*>(to);
  const T value = *static_cast<const T*>(a);
  for (Index i = 0; i < n; ++i) result[i] = value;
}
template <class T>
void copy(void* to, const void* a, const void*, const void*, Index n) {
  T* const result = static_cast<T*>(to);
  const T* const x = static_cast<const T*>(a);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = x[i];
}
template <class T>
void masked_store(void* to, const void* a, const void* b, const void*, Index n) {
  T* const result = static_cast<T*>(to);
  const T* const x = static_cast<const T*>(a);
  const auto* const mask = static_cast<const std::uint8_t*>(b);
  for (Index i = 0; i < n; ++i) {
    if (mask[i] != 0) result[i] = x[i];
  }
}

/// 64 bytes, to a line of memory.
[[gnu::always_inline]] inline void stream_whole_line(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX__)
  for (int i = 0; i < 64; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
  }
#else
  for (int i = 0; i < 64; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#endif
}
void stream(void* to, const void* a, const void*, const void*, Index n) {
  constexpr Index line = 64;
  auto* const result = static_cast<std::byte*>(to);
  const auto* const from = static_cast<const std::byte*>(a);
  const auto within_line = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % line);
  Index i = within_line == 0 ? 0 : line - within_line;
  i = i < n ? i : n;
  __builtin_memcpy(result, from, static_cast<std::size_t>(i));
  for (; i + line <= n; i += line) stream_whole_line(result + i, from + i);
  __builtin_memcpy(result + i, from + i, static_cast<std::size_t>(n - i));
}

/// Bytes come from and go to other numbers by way of int32, as packs do.
template <class To, class From>
void convert(void* to, const void* a, const void*, const void*, Index n) {
  To* const result = static_cast<To*>(to);
  const From* const x = static_cast<const From*>(a);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) {
    if constexpr (sizeof(To) == 1) {
      result[i] = static_cast<To>(static_cast<std::int32_t>(x[i]));
    } else {
      result[i] = static_cast<To>(x[i]);
    }
  }
}

template <class Op, class T, bool OnlyVector = false>
RowOperation binary_of(const OneNumber& is_one) {
  if (is_one.a == is_one.b) return &binary<Op, T, false, false>;
  return is_one.a ? &binary<Op, T, true, false> : &binary<Op, T, false, true>;
}

template <class T>
RowOperation fused_of(const OneNumber& is_one) {
  switch ((is_one.a ? 4 : 0) + (is_one.b ? 2 : 0) + (is_one.c ? 1 : 0)) {
    case 1: return &fused<T, false, false, true>;
    case 2: return &fused<T, false, true, false>;
    case 3: return &fused<T, false, true, true>;
    case 4: return &fused<T, true, false, false>;
    case 5: return &fused<T, true, false, true>;
    case 6: return &fused<T, true, true, false>;
    default: return &fused<T, false, false, false>;
  }
}

template <class T>
RowOperation select_of(const OneNumber& is_one) {
  switch ((is_one.a ? 4 : 0) + (is_one.b ? 2 : 0) + (is_one.c ? 1 : 0)) {
    case 0: return &select<T, false, false>;
    case 1: return &select<T, false, true>;
    case 2: return &select<T, true, false>;
    case 3: return &select<T, true, true>;
    case 4: return &choose<T, false, false>;
    case 5: return &choose<T, false, true>;
    case 6: return &choose<T, true, false>;
    default: return &choose<T, true, true>;
  }
}

template <class T>
RowOperation floating_operation(GraphOp op, const OneNumber& is_one) {
  switch (op) {
    case GraphOp::fma: return fused_of<T>(is_one);
    case GraphOp::reciprocal: return &unary<Reciprocal, T>;
    case GraphOp::sqrt: return &unary<SquareRoot, T>;
    case GraphOp::floor: return &unary<Floor, T>;
    case GraphOp::ceil: return &unary<Ceil, T>;
    default: return nullptr;
  }
}
template <class T>
RowOperation integer_operation(GraphOp op, const OneNumber& is_one) {
  switch (op) {
    case GraphOp::complement: return &unary<Complement, T>;
    case GraphOp::remainder: return binary_of<Remainder, T>(is_one);
    case GraphOp::bit_and: return binary_of<BitAnd, T>(is_one);
    case GraphOp::bit_or: return binary_of<BitOr, T>(is_one);
    case GraphOp::bit_xor: return binary_of<BitXor, T>(is_one);
    case GraphOp::shift_left: return binary_of<ShiftLeft, T>(is_one);
    case GraphOp::shift_right: return binary_of<ShiftRight, T>(is_one);
    default: return nullptr;
  }
}
template <class T>
RowOperation operation(GraphOp op, const OneNumber& is_one) {
  switch (op) {
    case GraphOp::negate: return &unary<Negate, T>;
    case GraphOp::add: return binary_of<Add, T>(is_one);
    case GraphOp::subtract: return binary_of<Subtract, T>(is_one);
    case GraphOp::multiply: return binary_of<Multiply, T>(is_one);
    case GraphOp::divide: return binary_of<Divide, T>(is_one);
    case GraphOp::equal: return binary_of<Equal, T>(is_one);
    case GraphOp::not_equal: return binary_of<NotEqual, T>(is_one);
    case GraphOp::less: return binary_of<Less, T>(is_one);
    case GraphOp::less_equal: return binary_of<LessEqual, T>(is_one);
    case GraphOp::greater: return binary_of<Greater, T>(is_one);
    case GraphOp::greater_equal: return binary_of<GreaterEqual, T>(is_one);
    case GraphOp::minimum: return binary_of<Minimum, T>(is_one);
    case GraphOp::maximum: return binary_of<Maximum, T>(is_one);
    case GraphOp::abs: return &unary<Absolute, T>;
    case GraphOp::select: return select_of<T>(is_one);
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return floating_operation<T>(op, is_one);
  } else {
    return integer_operation<T>(op, is_one);
  }
}
RowOperation truth_operation(GraphOp op, const OneNumber& is_one) {
  using T = std::uint8_t;
  switch (op) {
    case GraphOp::logic_not: return &unary<LogicNot, T>;
    case GraphOp::logic_and: return binary_of<BitAnd, T>(is_one);
    case GraphOp::logic_or: return binary_of<BitOr, T>(is_one);
    case GraphOp::logic_xor:
    case GraphOp::not_equal: return binary_of<BitXor, T>(is_one);
    case GraphOp::logic_equal:
    case GraphOp::equal: return binary_of<LogicEqual, T>(is_one);
    case GraphOp::select: return select_of<T>(is_one);
    default: return nullptr;
  }
}

RowOperation any_operation(GraphOp op, Lane lane, const OneNumber& is_one) {
  switch (lane) {
    case Lane::truth: return truth_operation(op, is_one);
    case Lane::uint8: return operation<std::uint8_t>(op, is_one);
    case Lane::int32: return operation<std::int32_t>(op, is_one);
    case Lane::uint32: return operation<std::uint32_t>(op, is_one);
    case Lane::int64: return operation<std::int64_t>(op, is_one);
    case Lane::uint64: return operation<std::uint64_t>(op, is_one);
    case Lane::float32: return operation<float>(op, is_one);
    case Lane::float64: return operation<double>(op, is_one);
    case Lane::half: break;
  }
  return nullptr;
}

/// Rows of unsigned numbers of this size, where nothing is computed.
RowOperation any_move(Move move, Index bytes) {
  if (move == Move::stream) return &stream;
  const auto of = [move]<class T>(T) -> RowOperation {
    switch (move) {
      case Move::fill: return &fill<T>;
      case Move::copy: return &copy<T>;
      default: return &masked_store<T>;
    }
  };
  switch (bytes) {
    case 1: return of(std::uint8_t{});
    case 2: return of(std::uint16_t{});
    case 4: return of(std::uint32_t{});
    default: return of(std::uint64_t{});
  }
}

template <class From>
RowOperation conversion_from(Lane to) {
  switch (to) {
    case Lane::truth:
    case Lane::uint8: return &convert<std::uint8_t, From>;
    case Lane::int32: return &convert<std::int32_t, From>;
    case Lane::uint32: return &convert<std::uint32_t, From>;
    case Lane::int64: return &convert<std::int64_t, From>;
    case Lane::uint64: return &convert<std::uint64_t, From>;
    case Lane::float32: return &convert<float, From>;
    case Lane::float64: return &convert<double, From>;
    case Lane::half: break;
  }
  return nullptr;
}

#ifdef __F16C__
void float_from_half(void* to, const void* a, const void*, const void*, Index n) {
  float* const result = static_cast<float*>(to);
  const auto* const x = static_cast<const std::uint16_t*>(a);
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(result + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
  for (; i < n; ++i) result[i] = _cvtsh_ss(x[i]);
}
void half_from_float(void* to, const void* a, const void*, const void*, Index n) {
  constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  auto* const result = static_cast<std::uint16_t*>(to);
  const float* const x = static_cast<const float*>(a);
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), nearest));
  }
  for (; i < n; ++i) result[i] = _cvtss_sh(x[i], nearest);
}
#else
void float_from_half(void* to, const void* a, const void*, const void*, Index n) {
  float_from_half_one_by_one(static_cast<float*>(to), static_cast<const half*>(a), n);
}
void half_from_float(void* to, const void* a, const void*, const void*, Index n) {
  half_from_float_one_by_one(static_cast<half*>(to), static_cast<const float*>(a), n);
}
#endif

RowOperation any_conversion(Lane to, Lane from) {
  switch (from) {
    case Lane::truth:
    case Lane::uint8: return conversion_from<std::uint8_t>(to);
    case Lane::int32: return conversion_from<std::int32_t>(to);
    case Lane::uint32: return conversion_from<std::uint32_t>(to);
    case Lane::int64: return conversion_from<std::int64_t>(to);
    case Lane::uint64: return conversion_from<std::uint64_t>(to);
    case Lane::float32: return to == Lane::half ? &half_from_float : conversion_from<float>(to);
    case Lane::float64: return conversion_from<double>(to);
    case Lane::half: return to == Lane::float32 ? &float_from_half : nullptr;
  }
  return nullptr;
}

}  // namespace

extern const RowLoops loops;
const RowLoops loops{&any_operation, &any_move, &any_conversion};

}  // namespace goban::cpu::GOBAN_ROW_LOOPS
