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
  static constexpr auto slow = static_cast<std::size_t>(order_of(Unit)[2]);
  static constexpr auto middle = static_cast<std::size_t>(order_of(Unit)[1]);
  static constexpr int widest = std::max({arithmetic_bytes<P>...});
  static constexpr bool is_known = has_constant_footprint<F, P...>;

  static constexpr int width() { return is_branching<F, P...> ? 1 : vector_bytes / widest; }

  static constexpr int read_count = [] {
    if constexpr (is_known) return constant_footprint<F, P...>.read_count;
    return 0;
  }();
  static constexpr Read read(int i) { return constant_footprint<F, P...>.read(i); }

  static constexpr InputShape input(int position) {
    InputShape shape = reads_of(position);
    if (walks_groups && shape.fetch == Fetch::plane) shape.fetch = Fetch::group;
    return shape;
  }

  static constexpr InputShape reads_of(int position) {
    InputShape shape;
    if constexpr (is_known) {
      const int components[] = {component_count<P>...};
      int reads = 0;
      for (int i = 0; i < read_count; ++i) {
        const Read r = read(i);
        if (r.parameter != position) continue;
        ++reads;
        shape.slow_low = std::max(shape.slow_low, -r.offset[slow]);
        shape.slow_high = std::max(shape.slow_high, r.offset[slow]);
        shape.middle_low = std::max(shape.middle_low, -r.offset[middle]);
        shape.middle_high = std::max(shape.middle_high, r.offset[middle]);
      }
      if (reads == 0) return shape;
      // Each component read once has no reuse: as many streams as components.
      shape.fetch = components[position] > 1 && reads <= components[position] ? Fetch::streams
                    : components[position] <= 4                               ? Fetch::plane
                                                                              : Fetch::none;
    }
    return shape;
  }

  /// The farthest any input is read along the slowest axis.
  static constexpr int reach() {
    int most = 0;
    for (int p = 0; p < static_cast<int>(sizeof...(P)); ++p) {
      most = std::max({most, reads_of(p).slow_low, reads_of(p).slow_high});
    }
    return most;
  }
  static constexpr int outputs = (components_written<P> + ...);

  /// Planes evaluated together from memory: sharing loads pays where arithmetic is cheap, that is
  /// for bytes; elsewhere fetching ahead hides what sharing would save.
  static constexpr int planes =
      is_known && !is_reduction<F> && widest == 1 && reach() > 0 && outputs == 1 ? 4 : 1;
  /// The same from cache, in passes of several steps.
  static constexpr int planes_in_cache = is_known && !is_reduction<F> && reach() > 0 && outputs <= 2
                                             ? std::max(planes, 2)
                                             : 1;

  /// Cells between two decisions on what to fetch.
  static constexpr Index chunk = (widest == 1 ? 8 : 16) * 64 / widest;

  /// Long reaches: a group of planes is walked together in pieces of rows that fit the first-level
  /// cache with all that the stencil reaches over.
  static constexpr int group = 4;
  static constexpr bool walks_groups = is_known && !is_reduction<F> && reach() > 1 && outputs <= 2;
  static constexpr Index piece() {
    Index rows = 0;
    for (int p = 0; p < static_cast<int>(sizeof...(P)); ++p) {
      const InputShape s = reads_of(p);
      if (s.fetch == Fetch::none) continue;
      rows += group + s.slow_low + s.slow_high + (s.middle_low + s.middle_high) * group;
    }
    constexpr Index cache = 24 << 10, grain = 32;
    return std::max(grain, cache / (std::max<Index>(rows, 1) * widest) / grain * grain);
  }
};

/// Nothing is fetched ahead: pack width 1, and data already in cache.
template <class Shape>
struct QuietShape : Shape {
  static constexpr InputShape input(int) { return {}; }
};

/// Evaluates the functor over the call's box, N cells at a time. Rows start at a multiple of N, so
/// stores are aligned; packs that stick out at either end are stored in part.
template <class F, int N, int Planes, Axis Unit, class Shape, class... P>
class SweepKernel {
  static constexpr auto order = order_of(Unit);
  static constexpr auto parameters = std::index_sequence_for<P...>{};

 public:
  static void run(const SweepCall& call) {
    if constexpr (Planes > 1) {
      SweepCall part = call;
      const Index planes = call.box.extent(order[2]) / Planes * Planes;
      part.box.upper[order[2]] = part.box.lower[order[2]] + planes;
      if (planes > 0) walk<Planes>(part, parameters);
      part.box = call.box;
      part.box.lower[order[2]] += planes;
      if (!part.box.empty()) walk<1>(part, parameters);
    } else {
      walk<1>(call, parameters);
    }
    if (call.streaming) store_fence();
  }

 private:
  template <int Together, std::size_t... A>
  [[gnu::flatten]] static void walk(const SweepCall& call, std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<Cursor<P, N, Together, Unit, Shape, static_cast<int>(A)>...> cursors(
        Cursor<P, N, Together, Unit, Shape, static_cast<int>(A)>(call, A)...);
    const Box& box = call.box;
    // Evaluates the packs first, first + N, ... below last of the current rows.
    auto evaluate = [&]<Store How>(Index first, Index last) __attribute__((always_inline)) {
      for (Index i = first; i < last; i += N) {
        std::tuple<typename Cursor<P, N, Together, Unit, Shape, static_cast<int>(A)>::Slots...>
            slots[Together];
        unroll<Together>([&](auto plane) __attribute__((always_inline)) {
          functor(std::get<A>(cursors).template accessor<plane>(i, std::get<A>(slots[plane]))...);
        });
        unroll<Together>([&](auto plane) __attribute__((always_inline)) {
          (std::get<A>(cursors).template store<plane, How>(i, std::get<A>(slots[plane])), ...);
        });
      }
    };
    // One row, or the piece of it that `row` bounds.
    auto walk_row = [&](const RowPosition& row) __attribute__((always_inline)) {
      const Index begin = round_down(row.low, N);
      WholePacks whole{begin, row.high};
      if (call.fetcher) (*call.fetcher)();
      (std::get<A>(cursors).start(row, whole), ...);
      if constexpr (N == 1) {
        evaluate.template operator()<Store::some>(begin, row.high);
      } else {
        if (whole.first >= whole.last) whole = {row.high, row.high};
        for (Index chunk = begin; chunk < row.high; chunk += Shape::chunk) {
          (std::get<A>(cursors).chunk(row, chunk), ...);
          const Index first = std::max(chunk, whole.first);
          const Index last = std::min(chunk + Shape::chunk, whole.last);
          if (call.streaming) {
            evaluate.template operator()<Store::streaming>(first, last);
          } else {
            evaluate.template operator()<Store::cached>(first, last);
          }
        }
        // Both ends of the row; one loop, so that the functor is compiled once less.
        for (const auto& [first, last] : {std::pair(begin, std::min(whole.first, row.high)),
                                          std::pair(std::max(whole.last, begin), row.high)}) {
          evaluate.template operator()<Store::some>(first, last);
        }
      }
    };
    RowPosition row{0, 0, box.lower[order[0]], box.upper[order[0]]};
    if constexpr (N > 1 && Shape::walks_groups) {
      constexpr Index piece = Shape::piece();
      for (Index s = box.lower[order[2]]; s < box.upper[order[2]]; s += Shape::group) {
        for (Index x = round_down(box.lower[order[0]], N); x < box.upper[order[0]]; x += piece) {
          row.low = std::max(x, box.lower[order[0]]);
          row.high = std::min(x + piece, box.upper[order[0]]);
          for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
            (std::get<A>(cursors).template fetch_group<Shape::group>(row.middle, s, x, piece), ...);
            const Index end = std::min<Index>(s + Shape::group, box.upper[order[2]]);
            for (row.slow = s; row.slow < end; ++row.slow) walk_row(row);
          }
        }
      }
    } else {
      for (row.slow = box.lower[order[2]]; row.slow < box.upper[order[2]]; row.slow += Together) {
        for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
          walk_row(row);
        }
      }
    }
  }
};

template <class F, Axis Unit, class Shape, class... P>
SweepKernels kernels_of_shape() {
  constexpr int width = Shape::width();
  using Quiet = QuietShape<Shape>;
  SweepKernels kernels;
  kernels.pack = &SweepKernel<F, width, Shape::planes, Unit, Shape, P...>::run;
  kernels.scalar = &SweepKernel<F, 1, 1, Unit, Quiet, P...>::run;
  kernels.in_cache = kernels.pack;
  if constexpr (Shape::planes_in_cache > 1 && !Shape::walks_groups) {
    kernels.in_cache = &SweepKernel<F, width, Shape::planes_in_cache, Unit, Quiet, P...>::run;
  }
  kernels.pack_width = width;
  kernels.planes = Shape::walks_groups ? Shape::group : Shape::planes;
  kernels.walks_groups = Shape::walks_groups;
  return kernels;
}

template <class F, Axis Unit, class... P>
SweepKernels make_kernels() {
  using Shape = KernelShape<F, Unit, P...>;
  if constexpr (is_reduction<F>) {
    return []<class Result, class... Q>(std::tuple<Result, Q...>*) {
      return kernels_of_shape<F, Unit, Shape, ReductionParameter, Q...>();
    }(static_cast<std::tuple<P...>*>(nullptr));
  } else {
    return kernels_of_shape<F, Unit, Shape, P...>();
  }
}

}  // namespace cpu

template <class F, Axis Unit, class... P>
struct Launchers<SweepSignature<F, Unit, P...>> {
  static SweepKernels make() { return cpu::make_kernels<F, Unit, P...>(); }
};

}  // namespace goban
