#pragma once
// The CPU kernels of a functor: one loop nest for packs of any width.

#include <tuple>
#include <utility>

#include "goban/backend/cpu/cursor.hpp"
#include "goban/program/program.hpp"

namespace goban {
namespace cpu {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class P>
inline constexpr int arithmetic_bytes = 1;
template <Access A, class T, int C>
inline constexpr int arithmetic_bytes<FieldParameter<A, T, C>> = sizeof(ArithmeticOf<T>);

template <class P>
inline constexpr int components_written = 0;
template <Access A, class T, int C>
inline constexpr int components_written<FieldParameter<A, T, C>> = A == Access::in ? 0 : C;

template <class P>
inline constexpr int component_count = 0;
template <Access A, class T, int C>
inline constexpr int component_count<FieldParameter<A, T, C>> = C;

template <class F>
inline constexpr bool is_reduction = false;
template <class F>
inline constexpr bool is_reduction<detail::ReturningFunctor<F>> = true;

/// What a functor's type says about the kernel that suits it.
template <class F, Axis Unit, class... P>
struct KernelShape {
  static constexpr int pack_width() {
    if constexpr (is_branching<F, P...>) return 1;
    return vector_bytes / std::max({arithmetic_bytes<P>...});
  }

  /// Planes along the slowest axis evaluated together, so that the values several of them read are
  /// loaded once.
  static constexpr int planes() {
    if constexpr (!has_constant_footprint<F, P...> || is_reduction<F>) {
      return 1;
    } else {
      int reach = 0;
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        reach = std::max(reach, std::abs(footprint.read(r).offset[slow]));
      }
      if (reach == 0 || (components_written<P> + ...) > 2) return 1;
      return reach > 1 ? 4 : 2;
    }
  }

  /// How far ahead parameter `position` is read.
  static constexpr Lead lead(int position) {
    Lead lead;
    if constexpr (has_constant_footprint<F, P...>) {
      constexpr int most_components = 4;
      const int components[] = {component_count<P>...};
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        const Read read = footprint.read(r);
        if (read.parameter != position) continue;
        lead.streams = components[position] <= most_components;
        lead.slow_high = std::max(lead.slow_high, read.offset[slow]);
        lead.middle_low = std::max(lead.middle_low, -read.offset[middle]);
        lead.middle_high = std::max(lead.middle_high, read.offset[middle]);
      }
    }
    return lead;
  }

 private:
  static constexpr auto slow = static_cast<std::size_t>(order_of(Unit)[2]);
  static constexpr auto middle = static_cast<std::size_t>(order_of(Unit)[1]);
};

/// Evaluates the functor over the call's box, N cells at a time. Rows start at a multiple of N, so
/// stores are aligned; packs that stick out at either end are stored in part.
template <class F, int N, int MostPlanes, Axis Unit, class Shape, class... P>
class SweepKernel {
  static constexpr auto order = order_of(Unit);

 public:
  static void run(const SweepCall& call) {
    constexpr auto parameters = std::index_sequence_for<P...>{};
    if constexpr (MostPlanes > 1) {
      SweepCall part = call;
      const Index planes = call.box.extent(order[2]) / MostPlanes * MostPlanes;
      part.box.upper[order[2]] = part.box.lower[order[2]] + planes;
      if (planes > 0) walk<MostPlanes>(part, parameters);
      part.box = call.box;
      part.box.lower[order[2]] += planes;
      if (!part.box.empty()) walk<1>(part, parameters);
    } else {
      walk<1>(call, parameters);
    }
    if (call.streaming) store_fence();
  }

 private:
  template <int Planes, std::size_t... A>
  [[gnu::flatten]] static void walk(const SweepCall& call, std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<Cursor<P, N, Planes, Unit, Shape::lead(A)>...> cursors(
        Cursor<P, N, Planes, Unit, Shape::lead(A)>(call, A)...);
    const Box& box = call.box;
    RowPosition row{0, 0, box.lower[order[0]], box.upper[order[0]]};
    const Index begin = round_down(row.low, N);
    for (row.slow = box.lower[order[2]]; row.slow < box.upper[order[2]]; row.slow += Planes) {
      for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
        (std::get<A>(cursors).start(row), ...);
        for (Index i = begin; i < row.high; i += N) {
          std::tuple<typename Cursor<P, N, Planes, Unit, Shape::lead(A)>::Slots...> slots[Planes];
          unroll<Planes>([&](auto plane) {
            functor(std::get<A>(cursors).template accessor<plane>(i, std::get<A>(slots[plane]))...);
          });
          unroll<Planes>([&](auto plane) {
            (std::get<A>(cursors).template store<plane>(i, std::get<A>(slots[plane])), ...);
          });
        }
      }
    }
  }
};

/// The kernel at pack width 1 fetches nothing ahead.
struct ScalarShape {
  static constexpr Lead lead(int) { return {}; }
};

template <class F, Axis Unit, class... P>
SweepKernels make_kernels() {
  using Shape = KernelShape<F, Unit, P...>;
  constexpr int width = Shape::pack_width(), planes = Shape::planes();
  if constexpr (is_reduction<F>) {
    return []<class Result, class... Q>(std::tuple<Result, Q...>*) {
      return SweepKernels{
          &SweepKernel<F, width, planes, Unit, Shape, ReductionParameter, Q...>::run,
          &SweepKernel<F, 1, 1, Unit, ScalarShape, ReductionParameter, Q...>::run, width, planes};
    }(static_cast<std::tuple<P...>*>(nullptr));
  } else {
    return {&SweepKernel<F, width, planes, Unit, Shape, P...>::run,
            &SweepKernel<F, 1, 1, Unit, ScalarShape, P...>::run, width, planes};
  }
}

}  // namespace cpu

template <class F, Axis Unit, class... P>
struct Launchers<SweepSignature<F, Unit, P...>> {
  static SweepKernels make() { return cpu::make_kernels<F, Unit, P...>(); }
};

}  // namespace goban
