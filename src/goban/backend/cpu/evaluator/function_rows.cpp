#include "goban/backend/cpu/evaluator/function_rows.hpp"

#include "goban/stencil/scalar_math.hpp"

namespace goban::cpu {
namespace {

template <class F, class T>
void of_one(void* to, const void* a, const void*, const void*, Index n) {
  const T* const from = static_cast<const T*>(a);
  for (Index i = 0; i < n; ++i) static_cast<T*>(to)[i] = F::of(from[i]);
}
template <class F, class T, bool A, bool B>
void of_two(void* to, const void* a, const void* b, const void*, Index n) {
  const T *const x = static_cast<const T*>(a), *const y = static_cast<const T*>(b);
  for (Index i = 0; i < n; ++i) static_cast<T*>(to)[i] = F::of(x[A ? 0 : i], y[B ? 0 : i]);
}

#define GOBAN_FUNCTION_ROW(name)                                                     \
  struct name##_row {                                                                \
    GOBAN_INLINE static auto of(auto... numbers) { return goban::name(numbers...); } \
  };
GOBAN_FUNCTIONS_OF_ONE(GOBAN_FUNCTION_ROW)
GOBAN_FUNCTIONS_OF_TWO(GOBAN_FUNCTION_ROW)
#undef GOBAN_FUNCTION_ROW

template <class F, class T>
RowOperation of_two_as(const OneNumber& is_one) {
  if (is_one.a == is_one.b) return &of_two<F, T, false, false>;
  return is_one.a ? &of_two<F, T, true, false> : &of_two<F, T, false, true>;
}

template <class T>
RowOperation function_of(GraphOp op, const OneNumber& is_one) {
  switch (op) {
#define GOBAN_CASE(name) \
  case GraphOp::name: return &of_one<name##_row, T>;
    GOBAN_FUNCTIONS_OF_ONE(GOBAN_CASE)
#undef GOBAN_CASE
#define GOBAN_CASE(name) \
  case GraphOp::name: return of_two_as<name##_row, T>(is_one);
    GOBAN_FUNCTIONS_OF_TWO(GOBAN_CASE)
#undef GOBAN_CASE
    default: return nullptr;
  }
}

}  // namespace

RowOperation function_row(GraphOp op, Lane lane, const OneNumber& is_one) {
  if (lane == Lane::float32) return function_of<float>(op, is_one);
  if (lane == Lane::float64) return function_of<double>(op, is_one);
  return nullptr;
}

}  // namespace goban::cpu
