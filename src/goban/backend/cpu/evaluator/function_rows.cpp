#include "goban/backend/cpu/evaluator/function_rows.hpp"

#include "goban/stencil/pack.hpp"
#include "goban/stencil/pack_math.hpp"

namespace goban::cpu {
namespace {

/// An operand of packs: a row, or one number.
template <class T, bool IsOne>
struct PackOperand {
  const T* row;
  template <int N>
  GOBAN_INLINE Pack<T, N> pack(Index i) const {
    if constexpr (IsOne) return Pack<T, N>(*row);
    return load<N>(row + i);
  }
};

/// Whole registers, then single numbers: the result of a lane depends on its argument alone.
template <class F, class T, class... Operands>
GOBAN_INLINE void each_pack(T* to, Index n, const Operands&... operands) {
  constexpr int lanes = detail::register_bytes / sizeof(T);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    store(to + i, F::of(operands.template pack<lanes>(i)...));
  }
  for (; i < n; ++i) store(to + i, F::of(operands.template pack<1>(i)...));
}

template <class F, class T>
void of_one(void* to, const void* a, const void*, const void*, Index n) {
  each_pack<F>(static_cast<T*>(to), n, PackOperand<T, false>{static_cast<const T*>(a)});
}
template <class F, class T, bool A, bool B>
void of_two(void* to, const void* a, const void* b, const void*, Index n) {
  each_pack<F>(static_cast<T*>(to), n, PackOperand<T, A>{static_cast<const T*>(a)},
               PackOperand<T, B>{static_cast<const T*>(b)});
}

#define GOBAN_FUNCTION_ROW(name)                                                        \
  struct name##_row {                                                                   \
    GOBAN_INLINE static auto of(const auto&... packs) { return goban::name(packs...); } \
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
