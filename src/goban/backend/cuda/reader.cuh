#pragma once
// What device kernels hand to functors for fields that are read: packs at multiples of their size,
// straight from memory; neighbours within a row are cut out of two of them.

#include "goban/stencil/accessor.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cuda {

/// Lanes d ... d + N - 1 of low and high side by side; d is a constant after inlining.
template <class T, int N>
GOBAN_INLINE Pack<T, N> window(const Pack<T, N>& low, const Pack<T, N>& high, int d) {
  Pack<T, N> result;
  if constexpr (sizeof(T) == 1 && N % 4 == 0) {
    constexpr int words = N / 4;
    std::uint32_t from[2 * words], to[words];
    memcpy(from, &low.raw, N);
    memcpy(from + words, &high.raw, N);
    unroll<words>([&](auto w) {
      const int first = w + d / 4;
      to[w] = d % 4 == 0 ? from[first] : __funnelshift_r(from[first], from[first + 1], 8 * (d % 4));
    });
    memcpy(&result.raw, to, N);
  } else {
    T from[2 * N], to[N];
    memcpy(from, &low.raw, sizeof(to));
    memcpy(from + N, &high.raw, sizeof(to));
    unroll<N>([&](auto i) { to[i] = from[i + d]; });
    memcpy(&result.raw, to, sizeof(to));
  }
  return result;
}

/// Reads C components stored as S, N cells along UnitAxis from the current one on. The current cell
/// lies Row rows and Plane planes from `cell`: evaluations side by side share one `cell`, so that
/// the compiler sees which of their loads are the same.
template <class S, int C, int N, Axis UnitAxis, int Row = 0, int Plane = 0>
struct Reader : goban::detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  const S* cell;  ///< component 0
  Index slow;     ///< elements to the next plane
  ComponentOffset<S> component;
  int middle;    ///< elements to the next row
  int moved[3];  ///< cells that shift() has moved, along x, y, z

  GOBAN_ACCESSOR_FUNCTION Reader(const S* cell_, int middle_, Index slow_,
                                 ComponentOffset<S> component_, int i = 0, int j = 0, int k = 0)
      : cell(cell_), slow(slow_), component(component_), middle(middle_), moved{i, j, k} {}
  Reader(const Reader&) = default;

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    constexpr auto unit = index_of(UnitAxis);
    const int at[3] = {i + moved[0], j + moved[1], k + moved[2]};
    const int along = at[unit];
    const int row = Row + (UnitAxis == Axis::x ? at[1] : at[0]);
    const int plane = Plane + (UnitAxis == Axis::z ? at[1] : at[2]);
    const S* p = cell + row * static_cast<Index>(middle) + plane * slow;
    const int d = (along % N + N) % N;
    const S* first = p + (along - d);
    if (d == 0) return load_constant<N>(first);
    return window(load_constant<N>(first), load_constant<N>(first + N), d);
  }

  GOBAN_ACCESSOR_FUNCTION Reader<S, 1, N, UnitAxis, Row, Plane> operator[](int c) const {
    return {cell + component(c), middle, slow, component, moved[0], moved[1], moved[2]};
  }

  GOBAN_ACCESSOR_FUNCTION Reader shift(Axis a, int n) const {
    Reader shifted = *this;
    if (a == Axis::x) shifted.moved[0] += n;
    if (a == Axis::y) shifted.moved[1] += n;
    if (a == Axis::z) shifted.moved[2] += n;
    return shifted;
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION Reader shift(int n) const {
    return shift(A, n);
  }

  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const Reader&) const { GOBAN_CHECK_NOT_WRITTEN(Reader); }
};

}  // namespace goban::cuda
