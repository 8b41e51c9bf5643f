#pragma once
// Columns side by side: level after level of a tile of columns, each a sweep over the tile's cells
// of that level, with scratch that stays in cache.

#include "goban/backend/cpu/column_scratch.hpp"
#include "goban/backend/cpu/sweep.hpp"
#include "goban/stencil/columns.hpp"

namespace goban::cpu {

template <class T, int C>
inline constexpr int arithmetic_bytes<ScratchParameter<T, C>> = sizeof(T);

/// Scratch lies in rows like a field's; its packs are written when they are assigned.
template <class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<ScratchParameter<T, C>, N, Planes, Unit, Shape, Position> : public PlainCursor {
  static constexpr auto order = order_of(Unit);

 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t) : scratch_(*call.scratch) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = reinterpret_cast<T*>(scratch_.memory) + row.middle * scratch_.stride[order[1]] +
           row.slow * scratch_.stride[order[2]];
  }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots&) const {
    return ScratchAccessor<T, C, N>(row_ + Plane * scratch_.stride[order[2]] + i,
                                    scratch_.component, scratch_.previous);
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  ScratchBinding scratch_;
  T* row_ = nullptr;
};

/// An output that the other sweep of the column assigns.
template <class P>
struct OfOtherSweep {};

template <class P, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<OfOtherSweep<P>, N, Planes, Unit, Shape, Position>
    : public Cursor<P, N, Planes, Unit, Shape, Position> {
 public:
  using Cursor<P, N, Planes, Unit, Shape, Position>::Cursor;
  static void limit(const SweepCall&, std::size_t, Box&) {}
  template <int Plane, Store, class Slots>
  GOBAN_INLINE void store(Index, const Slots&) const {}
};

/// Sweep, ForwardSweep<F> or BackwardSweep<F>, assigns the parameter at this position.
template <class Sweep, int Position, class... P>
constexpr bool assigns() {
  const StaticFootprint& footprint = constant_footprint<Sweep, P...>;
  for (int n = 0; n < footprint.output_count; ++n) {
    if (footprint.outputs[n].parameter == Position && footprint.outputs[n].most_assignments > 0) {
      return true;
    }
  }
  return false;
}

/// Numbers that a level keeps, and bytes of one.
template <class P>
inline constexpr int scratch_numbers = 0;
template <class T, int C>
inline constexpr int scratch_numbers<ScratchParameter<T, C>> = C;

template <class F, Axis Unit, class... P>
class ColumnKernel {
  static constexpr auto order = order_of(Unit);
  static constexpr bool goes_forward = SweepsForward<F, P...>;
  static constexpr bool goes_backward = SweepsBackward<F, P...>;
  using Forward = ForwardSweep<F>;
  using Backward = BackwardSweepOf<F, P...>;
  static_assert(!goes_forward || has_constant_footprint<Forward, P...>,
                "goban: a functor of columns must show what it does in constant expressions; hold "
                "numbers in it rather than pointers, references or containers");
  static_assert(!goes_backward || has_constant_footprint<Backward, P...>,
                "goban: a functor of columns must show what it does in constant expressions; hold "
                "numbers in it rather than pointers, references or containers");

  template <class Sweep>
  static constexpr int width_of() {
    return KernelShape<Sweep, Unit, P...>::width();
  }

 public:
  static constexpr int width() {
    if constexpr (!goes_backward) return width_of<Forward>();
    if constexpr (!goes_forward) return width_of<Backward>();
    if constexpr (goes_forward && goes_backward) {
      return std::min(width_of<Forward>(), width_of<Backward>());
    }
  }

  template <int N>
  static void run(const SweepCall& call) {
    const F& functor = *static_cast<const F*>(call.functor);
    constexpr int numbers = (scratch_numbers<P> + ... + 0);
    constexpr int element = std::max({1, (scratch_numbers < P >> 0 ? arithmetic_bytes<P> : 1)...});
    for_each_tile(call, Unit, numbers * element, [&](const Box& tile) {
      SweepCall level = call;
      ColumnScratch scratch(tile, call.column_axis, order, numbers, element);
      const auto walk = [&]<class Sweep>(const Sweep& sweep, Index first, Index last, Index by) {
        level.functor = &sweep;
        for (Index k = first; k != last; k += by) {
          level.box = tile;
          level.box.lower[call.column_axis] = k;
          level.box.upper[call.column_axis] = k + 1;
          level.tile = level.box;
          const ScratchBinding here = scratch.coming_from(-by);
          level.scratch = &here;
          run_sweep<N, Sweep>(level, std::index_sequence_for<P...>{});
        }
      };
      const Index low = tile.lower[call.column_axis], high = tile.upper[call.column_axis];
      if constexpr (goes_forward) walk(Forward{{}, functor}, low, high, 1);
      if constexpr (goes_backward) walk(Backward{{}, functor}, high - 1, low - 1, -1);
    });
  }

 private:
  template <class Sweep, class Q, int Position>
  using Part =
      std::conditional_t<DescriptionOf<Q>::value.kind == ParameterDescription::Kind::field &&
                             DescriptionOf<Q>::value.access != Access::in &&
                             !assigns<Sweep, Position, P...>(),
                         OfOtherSweep<Q>, Q>;

  template <int N, class Sweep, std::size_t... I>
  static void run_sweep(const SweepCall& level, std::index_sequence<I...>) {
    using Shape = QuietShape<KernelShape<Sweep, Unit, P...>>;
    SweepKernel<Sweep, N, 1, Unit, Shape, Part<Sweep, P, static_cast<int>(I)>...>::run(level);
  }
};

template <class F, Axis Unit, class... P>
SweepKernels make_column_kernels() {
  using Kernel = ColumnKernel<F, Unit, P...>;
  SweepKernels kernels;
  kernels.pack_width = Kernel::width();
  kernels.pack = kernels.in_cache = &Kernel::template run<Kernel::width()>;
  return kernels;
}

}  // namespace goban::cpu
