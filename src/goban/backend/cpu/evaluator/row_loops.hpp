#pragma once
// Loops over rows for the instruction set that the including source is compiled for, in a namespace
// of its own, GOBAN_ROW_LOOPS. They call no inline functions of other headers that the compiler may
// leave out of line, because the linker would keep those of only one instruction set.

#include "goban/backend/cpu/evaluator/row_loop_functions.hpp"
#include "goban/backend/cpu/evaluator/row_loop_moves.hpp"
#include "goban/backend/cpu/evaluator/row_loop_pairs.hpp"
#include "goban/backend/cpu/evaluator/row_loop_values.hpp"

namespace goban::cpu::GOBAN_ROW_LOOPS {
namespace {

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
/// Selects by one truth value for the whole row.
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

template <class Op, class T>
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
    default: return function_row<T>(op, is_one);
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

}  // namespace

extern const RowLoops loops;
const RowLoops loops{&any_operation, &any_pair, &any_move, &any_conversion};

}  // namespace goban::cpu::GOBAN_ROW_LOOPS
