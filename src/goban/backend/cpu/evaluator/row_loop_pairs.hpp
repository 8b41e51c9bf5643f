#pragma once
// Loops that do two operations at once. See row_loops.hpp.

#include "goban/backend/cpu/evaluator/row_loop_values.hpp"

namespace goban::cpu::GOBAN_ROW_LOOPS {
namespace {

/// Subtracts the left operand from the right one.
struct SubtractFrom {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    return Subtract::of(b, a);
  }
};

template <class First, class Second, class T, bool A, bool B, bool C>
void both(void* to, const void* a, const void* b, const void* c, Index n) {
  T* const result = static_cast<T*>(to);
  const Operand<T, A> x(a);
  const Operand<T, B> y(b);
  const Operand<T, C> z(c);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = Second::of(First::of(x[i], y[i]), z[i]);
}

template <class First, class Second, class T>
RowOperation both_of(const OneNumber& is_one) {
  switch ((is_one.a ? 4 : 0) + (is_one.b ? 2 : 0) + (is_one.c ? 1 : 0)) {
    case 0: return &both<First, Second, T, false, false, false>;
    case 1: return &both<First, Second, T, false, false, true>;
    case 2: return &both<First, Second, T, false, true, false>;
    case 4: return &both<First, Second, T, true, false, false>;
    default: return nullptr;
  }
}

template <class First, class T>
RowOperation pair_after(const OperationPair& pair, const OneNumber& is_one) {
  switch (pair.second) {
    case GraphOp::add: return both_of<First, Add, T>(is_one);
    case GraphOp::multiply: return both_of<First, Multiply, T>(is_one);
    case GraphOp::subtract:
      return pair.is_right ? both_of<First, SubtractFrom, T>(is_one)
                           : both_of<First, Subtract, T>(is_one);
    default: return nullptr;
  }
}

template <class T>
RowOperation pair_of(const OperationPair& pair, const OneNumber& is_one) {
  switch (pair.first) {
    case GraphOp::add: return pair_after<Add, T>(pair, is_one);
    case GraphOp::subtract: return pair_after<Subtract, T>(pair, is_one);
    case GraphOp::multiply: return pair_after<Multiply, T>(pair, is_one);
    default: return nullptr;
  }
}

RowOperation any_pair(const OperationPair& pair, Lane lane, const OneNumber& is_one) {
  switch (lane) {
    case Lane::uint8: return pair_of<std::uint8_t>(pair, is_one);
    case Lane::float32: return pair_of<float>(pair, is_one);
    case Lane::float64: return pair_of<double>(pair, is_one);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace goban::cpu::GOBAN_ROW_LOOPS
