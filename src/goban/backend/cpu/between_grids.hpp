#pragma once
// Packs of functors that read another grid than they write: of a finer one every second value, of a
// coarser one each value twice.

#include "goban/backend/cpu/sweep.hpp"

namespace goban {

namespace detail {

/// The functor says that it is for stages which read other grids:
/// `static constexpr bool between_grids = true;`.
template <class F>
inline constexpr bool is_between_grids = [] {
  if constexpr (requires { F::between_grids; }) return F::between_grids;
  return false;
}();
template <class F>
inline constexpr bool is_between_grids<ReturningFunctor<F>> = is_between_grids<F>;

}  // namespace detail

namespace cpu {

/// Which values of a row the lanes of a pack get: lane i of two packs side by side, of which the
/// second begins `step` values after the first.
template <class T, int N>
struct Spread {
  using Lane = goban::detail::SignedOfSize<sizeof(T)>;
  using Lanes = goban::detail::Vector<Lane, N>;
  Lanes lanes;
  Index step = 0;

  /// Lane i gets value of_lane(i) of 0 ... 2 N - 1.
  template <class OfLane>
  explicit Spread(OfLane of_lane) {
    for (int i = 0; i < N; ++i) lanes[i] = static_cast<Lane>(of_lane(i));
    if (of_lane(N - 1) >= N) step = N;
  }
  GOBAN_INLINE Pack<T, N> operator()(const Pack<T, N>& first, const Pack<T, N>& second) const {
    Pack<T, N> result;
    result.raw =
        (goban::detail::Vector<T, N>)__builtin_shuffle((Lanes)first.raw, (Lanes)second.raw, lanes);
    return result;
  }
};

template <class T>
struct Spread<T, 1> {
  explicit Spread(auto /*of_lane*/) {}
};

/// See Reader. Offsets are in cells of the field.
template <class S, int C, int N, Axis UnitAxis>
struct SpreadReader : goban::detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  const S* cell;  ///< what the first lane stands for
  Index strides[3];
  ComponentOffset<S> component;
  const Spread<ArithmeticOf<S>, N>* spread;

  GOBAN_ACCESSOR_FUNCTION SpreadReader(const S* cell_, Index3 strides_,
                                       ComponentOffset<S> component_,
                                       const Spread<ArithmeticOf<S>, N>* spread_)
      : cell(cell_),
        strides{strides_[0], strides_[1], strides_[2]},
        component(component_),
        spread(spread_) {}

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    const S* const p = cell + i * strides[0] + j * strides[1] + k * strides[2];
    return (*spread)(load<N>(p), load<N>(p + spread->step));
  }
  GOBAN_ACCESSOR_FUNCTION SpreadReader<S, 1, N, UnitAxis> operator[](int c) const {
    return {cell + component(c), {strides[0], strides[1], strides[2]}, component, spread};
  }
  GOBAN_ACCESSOR_FUNCTION SpreadReader shift(Axis a, int n) const {
    SpreadReader shifted = *this;
    shifted.cell += n * strides[index_of(a)];
    return shifted;
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION SpreadReader shift(int n) const {
    return shift(A, n);
  }

  SpreadReader(const SpreadReader&) = default;
  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const SpreadReader&) const {
    GOBAN_CHECK_NOT_WRITTEN(SpreadReader);
  }
};

/// Where cells of a patch lie on the grid of a field, which may be another.
struct CellsOnGrid {
  CellsOnGrid(const SweepCall& call, std::size_t argument) : map(call.fields[argument].map) {
    if (!map.is_identity()) first = call.site.index;
  }
  GOBAN_INLINE Index operator()(int axis, Index i) const {
    return map(axis, i + first[static_cast<std::size_t>(axis)]);
  }
  IndexMap map;
  Index3 first{};
};

/// A parameter that may be read on another grid.
template <class P>
struct Spreads {
  using Type = P;
};
template <class P>
struct OfSomeGrid {};
template <class T, int C>
struct Spreads<FieldParameter<Access::in, T, C>> {
  using Type = OfSomeGrid<FieldParameter<Access::in, T, C>>;
};

template <class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<OfSomeGrid<FieldParameter<Access::in, T, C>>, N, Planes, Unit, Shape, Position>
    : public PlainCursor {
  static constexpr auto order = order_of(Unit);

 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : base_(reinterpret_cast<const T*>(call.fields[argument].read)),
        strides_(call.fields[argument].stride),
        component_(component_offset<T>(call.fields[argument])),
        cells_(call, argument),
        spread_(spread_of(cells_)) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = base_ + cells_(order[1], row.middle) * strides_[order[1]] +
           cells_(order[2], row.slow) * strides_[order[2]];
  }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots&) const {
    const T* const cell = row_ + cells_(order[0], i);
    if constexpr (N == 1) {
      return Reader<T, C, 1, Unit>(cell, strides_, component_);
    } else {
      return SpreadReader<T, C, N, Unit>(cell, strides_, component_, &spread_);
    }
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  using Lanes = Spread<ArithmeticOf<T>, N>;
  static Lanes spread_of(const CellsOnGrid& cells) {
    const auto fast = static_cast<std::size_t>(order[0]);
    const int odd = cells.first[fast] % 2 != 0 ? 1 : 0;  // packs begin at even local cells
    if (cells.map.scale[fast] == 2) return Lanes([](int i) { return 2 * i; });
    if (cells.map.halving[fast] == 1) return Lanes([=](int i) { return (i + odd) / 2; });
    return Lanes([](int i) { return i; });
  }

  const T* base_;
  const T* row_ = nullptr;
  Index3 strides_;
  ComponentOffset<T> component_;
  CellsOnGrid cells_;
  Lanes spread_;
};

/// Whole packs where all that they make is stored, single cells around them.
template <class F, int N, Axis Unit, class Shape, class... P>
class BetweenGridsKernel {
  static constexpr int fast = order_of(Unit)[0];

 public:
  static void run(const SweepCall& call) {
    Box packs;
    if constexpr (N > 1) {
      packs = whole_packs(call, std::index_sequence_for<P...>{});
      PartKernel<F, N, Unit, Shape, typename Spreads<P>::Type...>::run(call, packs);
    }
    for (const Box& rest : difference(call.box, packs)) {
      PartKernel<F, 1, Unit, Shape, typename Spreads<P>::Type...>::run(call, rest);
    }
  }

 private:
  template <std::size_t... A>
  static Box whole_packs(const SweepCall& call, std::index_sequence<A...>) {
    Box box = call.box;
    (Cursor<P, N, 1, Unit, Shape, static_cast<int>(A)>::limit(call, A, box), ...);
    box.lower[fast] = round_up(box.lower[fast], N);
    box.upper[fast] = round_down(box.upper[fast], N);
    return box;
  }
};

/// Of a functor that is for stages on several grids; also where all are one.
template <class F, Axis Unit, class... P>
SweepKernels make_kernels_between_grids() {
  using Shape = KernelShape<F, Unit, P...>;
  constexpr int width = Shape::width();
  SweepKernels kernels;
  kernels.pack_width = width;
  if constexpr (is_reduction<F>) {
    kernels.pack = []<class Result, class... Q>(std::tuple<Result, Q...>*) -> SweepFunction {
      return &BetweenGridsKernel<F, width, Unit, QuietShape<Shape>, ReductionParameter, Q...>::run;
    }(static_cast<std::tuple<P...>*>(nullptr));
  } else {
    kernels.pack = &BetweenGridsKernel<F, width, Unit, QuietShape<Shape>, P...>::run;
  }
  kernels.in_cache = kernels.between_grids = kernels.pack;
  return kernels;
}

}  // namespace cpu

}  // namespace goban
