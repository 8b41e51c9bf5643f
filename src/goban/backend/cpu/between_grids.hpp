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

/// Which values of a row the lanes of a pack get.
enum class Spread : std::uint8_t { all, every_second, twice, twice_from_odd };

/// Lane i of the result is lane lanes(i) of a and b side by side.
template <class T, int N, class Lanes>
GOBAN_INLINE Pack<T, N> picked(const Pack<T, N>& a, const Pack<T, N>& b, Lanes lanes) {
  using Lane = goban::detail::SignedOfSize<sizeof(T)>;
  using Bits = goban::detail::Vector<Lane, N>;
  Pack<T, N> result;
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    result.raw = (goban::detail::Vector<T, N>)__builtin_shuffle(
        (Bits)a.raw, (Bits)b.raw, Bits{static_cast<Lane>(lanes(I))...});
  }
  (std::make_integer_sequence<int, N>{});
  return result;
}

/// See Reader. Offsets are in cells of the field.
template <class S, int C, int N, Axis UnitAxis>
struct SpreadReader : goban::detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  const S* cell;  ///< what the first lane stands for
  Index strides[3];
  ComponentOffset<S> component;
  Spread spread;

  GOBAN_ACCESSOR_FUNCTION SpreadReader(const S* cell_, Index3 strides_,
                                       ComponentOffset<S> component_, Spread spread_)
      : cell(cell_),
        strides{strides_[0], strides_[1], strides_[2]},
        component(component_),
        spread(spread_) {}

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    const S* const p = cell + i * strides[0] + j * strides[1] + k * strides[2];
    const Value first = load<N>(p);
    switch (spread) {
      case Spread::every_second: return picked(first, load<N>(p + N), [](int l) { return 2 * l; });
      case Spread::twice: return picked(first, first, [](int l) { return l / 2; });
      case Spread::twice_from_odd: return picked(first, first, [](int l) { return (l + 1) / 2; });
      default: return first;
    }
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
        cells_(call, argument) {
    const auto fast = static_cast<std::size_t>(order[0]);
    const bool is_odd = cells_.first[fast] % 2 != 0;  // packs begin at even local cells
    if (cells_.map.scale[fast] == 2) spread_ = Spread::every_second;
    if (cells_.map.halving[fast] == 1) spread_ = is_odd ? Spread::twice_from_odd : Spread::twice;
  }
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
      return SpreadReader<T, C, N, Unit>(cell, strides_, component_, spread_);
    }
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  const T* base_;
  const T* row_ = nullptr;
  Index3 strides_;
  ComponentOffset<T> component_;
  CellsOnGrid cells_;
  Spread spread_ = Spread::all;
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

/// Null: the functor is for stages on one grid.
template <class F, Axis Unit, class... P>
SweepFunction kernel_between_grids() {
  using Shape = KernelShape<F, Unit, P...>;
  if constexpr (!goban::detail::is_between_grids<F>) {
    return nullptr;
  } else if constexpr (is_reduction<F>) {
    return []<class Result, class... Q>(std::tuple<Result, Q...>*) -> SweepFunction {
      return &BetweenGridsKernel<F, Shape::width(), Unit, QuietShape<Shape>, ReductionParameter,
                                 Q...>::run;
    }(static_cast<std::tuple<P...>*>(nullptr));
  } else {
    return &BetweenGridsKernel<F, Shape::width(), Unit, QuietShape<Shape>, P...>::run;
  }
}

}  // namespace cpu

}  // namespace goban
