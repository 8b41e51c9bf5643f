#pragma once
// Loops that apply mathematical functions to rows. See row_loops.hpp.

#include "goban/backend/cpu/evaluator/row_loop_values.hpp"
#include "goban/stencil/mathematics/functions.hpp"

namespace goban::cpu::GOBAN_ROW_LOOPS {
namespace {

template <class F, class T>
void function_of_one(void* to, const void* a, const void*, const void*, Index n) {
  const T* const x = static_cast<const T*>(a);
  for (Index i = 0; i < n; ++i) static_cast<T*>(to)[i] = F::of(x[i]);
}
template <class F, class T, bool A, bool B>
void function_of_two(void* to, const void* a, const void* b, const void*, Index n) {
  const Operand<T, A> x(a);
  const Operand<T, B> y(b);
  for (Index i = 0; i < n; ++i) static_cast<T*>(to)[i] = F::of(x[i], y[i]);
}

#define GOBAN_ROW_FUNCTION(name)                                                         \
  struct name##_of_cell {                                                                \
    [[gnu::always_inline]] static auto of(auto... x) { return mathematics::name(x...); } \
  };
GOBAN_FUNCTIONS_OF_ONE(GOBAN_ROW_FUNCTION)
GOBAN_FUNCTIONS_OF_TWO(GOBAN_ROW_FUNCTION)
#undef GOBAN_ROW_FUNCTION

template <class F, class T>
RowOperation function_of_two_as(const OneNumber& is_one) {
  if (is_one.a == is_one.b) return &function_of_two<F, T, false, false>;
  return is_one.a ? &function_of_two<F, T, true, false> : &function_of_two<F, T, false, true>;
}

/// Returns the loop of a mathematical function; null if the operation is none.
template <class T>
RowOperation function_row(GraphOp op, const OneNumber& is_one) {
  switch (op) {
#define GOBAN_CASE(name) \
  case GraphOp::name: return &function_of_one<name##_of_cell, T>;
    GOBAN_FUNCTIONS_OF_ONE(GOBAN_CASE)
#undef GOBAN_CASE
#define GOBAN_CASE(name) \
  case GraphOp::name: return function_of_two_as<name##_of_cell, T>(is_one);
    GOBAN_FUNCTIONS_OF_TWO(GOBAN_CASE)
#undef GOBAN_CASE
    default: return nullptr;
  }
}

}  // namespace
}  // namespace goban::cpu::GOBAN_ROW_LOOPS
