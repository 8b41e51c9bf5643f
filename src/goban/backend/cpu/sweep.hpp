#pragma once
// The CPU kernels of a functor: one loop nest for packs of any width.

#include <tuple>
#include <utility>

#include "goban/backend/cpu/cursor.hpp"
#include "goban/backend/cpu/sweep_in_place.hpp"
#include "goban/backend/parameter_traits.hpp"
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

/// What a functor's type says about the kernel that suits it.
template <class F, Axis Unit, class... P>
struct KernelShape {
  using Fetching = KernelShape;  ///< of this shape made quiet, too
  static constexpr auto fast = static_cast<std::size_t>(order_of(Unit)[0]);
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
      const bool updated[] = {is_updated<P>...};
      int reads = 0;
      for (int i = 0; i < read_count; ++i) {
        const Read r = read(i);
        if (r.parameter != position) continue;
        ++reads;
        shape.slow_low = std::max(shape.slow_low, -r.offset[slow]);
        shape.slow_high = std::max(shape.slow_high, r.offset[slow]);
        shape.middle_low = std::max(shape.middle_low, -r.offset[middle]);
        shape.middle_high = std::max(shape.middle_high, r.offset[middle]);
        shape.along_rows = shape.along_rows || r.offset[fast] != 0;
        if (r.offset[slow] != 0) shape.outer_high = std::max(shape.outer_high, r.offset[middle]);
      }
      if (reads == 0) return shape;
      // Each component read once has no reuse: as many streams as components.
      const int count = components[position];
      const bool reads_once = count > 1 && reads <= count && !updated[position];
      shape.fetch = reads_once ? Fetch::streams : count <= 4 ? Fetch::plane : Fetch::none;
    }
    return shape;
  }

  /// Components that are fetched plane by plane.
  static constexpr int streams = [] {
    const int components[] = {component_count<P>...};
    int count = 0;
    for (int p = 0; p < static_cast<int>(sizeof...(P)); ++p) {
      if (reads_of(p).fetch == Fetch::plane) count += components[p];
    }
    return count;
  }();

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
      is_known && !is_reduction<F> && widest == 1 && reach() > 0 && outputs == 1 ? 8 : 1;
  /// The same from cache, in passes of several steps.
  static constexpr int planes_in_cache =
      is_known && !is_reduction<F> && reach() > 0 && outputs <= 2 ? 2 : 1;

  /// Cells between two decisions on what to fetch.
  static constexpr Index chunk = (widest == 1 ? 8 : 16) * 64 / widest;

  /// Long reaches: a group of planes is walked together in pieces of rows that fit the first-level
  /// cache with all that the stencil reaches over.
  static constexpr int group = 4;
  static constexpr bool walks_groups = is_known && !is_reduction<F> && reach() > 1 && outputs <= 2;
  /// Large functors are compiled once for both ways of storing whole packs: beside what they
  /// compute a branch for every pack costs nothing.
  static constexpr bool is_large() {
    constexpr int many_reads = 16, much_arithmetic = 64;
    if constexpr (!is_known) return true;
    return read_count > many_reads || constant_footprint<F, P...>.flops > much_arithmetic;
  }
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

/// Nothing is fetched ahead: single packs, and data already in cache.
template <class Shape>
struct QuietShape : Shape {
  static constexpr InputShape input(int) { return {}; }
};

/// Evaluates the functor N cells at a time over a box inside the call's, and stores pack by pack
/// what is to be stored: for rows that are not stored whole.
template <class F, int N, Axis Unit, class Shape, class... P>
class PartKernel {
  static constexpr auto order = order_of(Unit);

 public:
  static void run(const SweepCall& call, const Box& box) {
    if (!box.empty()) walk(call, box, std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t... A>
  [[gnu::flatten]] static void walk(const SweepCall& call, const Box& box,
                                    std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<Cursor<P, N, 1, Unit, QuietShape<Shape>, static_cast<int>(A)>...> cursors{
        Cursor<P, N, 1, Unit, QuietShape<Shape>, static_cast<int>(A)>(call, A)...};
    RowPosition row{0, 0, call.box.lower[order[0]], call.box.upper[order[0]]};
    for (row.slow = box.lower[order[2]]; row.slow < box.upper[order[2]]; ++row.slow) {
      for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
        (std::get<A>(cursors).start(row), ...);
        for (Index i = round_down(box.lower[order[0]], N); i < box.upper[order[0]]; i += N) {
          std::tuple<
              typename Cursor<P, N, 1, Unit, QuietShape<Shape>, static_cast<int>(A)>::Slots...>
              slots;
          functor(std::get<A>(cursors).template accessor<0>(i, std::get<A>(slots))...);
          (std::get<A>(cursors).template store<0, Store::some>(i, std::get<A>(slots)), ...);
        }
      }
    }
  }
};

/// Evaluates the functor over the call's box, N cells at a time. Rows start at a multiple of N, so
/// stores are aligned.
template <class F, int N, int Planes, Axis Unit, class Shape, class... P>
class SweepKernel {
  static constexpr auto order = order_of(Unit);
  static constexpr auto parameters = std::index_sequence_for<P...>{};
  using Part = PartKernel<F, N, Unit, typename Shape::Fetching, P...>;
  /// For what is left of a group of planes.
  using Single = SweepKernel<F, N, 1, Unit, typename Shape::Fetching, P...>;
  template <class, int, int, Axis, class, class...>
  friend class SweepKernel;

 public:
  static void run(const SweepCall& call) {
    constexpr auto slow = order[2];
    constexpr Index together = Shape::walks_groups ? Shape::group : Planes;
    const Box whole = whole_packs(call, parameters);
    Box planes = call.box;
    for (Index s = call.box.lower[slow]; s < call.box.upper[slow]; s += together) {
      planes.lower[slow] = s;
      planes.upper[slow] = std::min(s + together, call.box.upper[slow]);
      const Box inner = intersection(whole, planes);
      if (inner.empty()) {
        Part::run(call, planes);
        continue;
      }
      walk(call, inner);
      Box rest = planes;
      for (const int axis : {slow, order[1], order[0]}) {
        Box side = rest;
        side.upper[axis] = inner.lower[axis];
        Part::run(call, side);
        side.upper[axis] = rest.upper[axis];
        side.lower[axis] = inner.upper[axis];
        Part::run(call, side);
        rest.lower[axis] = inner.lower[axis];
        rest.upper[axis] = inner.upper[axis];
      }
    }
    if (call.streaming) store_fence();
  }

 private:
  /// The part of the box whose packs are stored whole.
  template <std::size_t... A>
  static Box whole_packs(const SweepCall& call, std::index_sequence<A...>) {
    Box box = call.box;
    if constexpr (N == 1) {
      box.upper = box.lower;
    } else {
      (Cursor<P, N, Planes, Unit, Shape, static_cast<int>(A)>::limit(call, A, box), ...);
      box.lower[order[0]] = round_up(box.lower[order[0]], N);
      box.upper[order[0]] = round_down(box.upper[order[0]], N);
    }
    return box;
  }

  /// Whole packs of a few planes.
  static void walk(const SweepCall& call, Box box) {
    if constexpr (N == 1) {
    } else if constexpr (Shape::walks_groups) {
      walk_group(call, box, parameters);
    } else if (Planes == 1 || box.extent(order[2]) == Planes) {
      walk_rows(call, box, parameters);
    } else {
      const Index upper = box.upper[order[2]];
      for (Index s = box.lower[order[2]]; s < upper; ++s) {
        box.lower[order[2]] = s;
        box.upper[order[2]] = s + 1;
        Single::walk_rows(call, box, parameters);
      }
    }
  }

  template <std::size_t A>
  using CursorOf =
      Cursor<std::tuple_element_t<A, std::tuple<P...>>, N, Planes, Unit, Shape, int{A}>;

  /// The packs first, first + N, ... below last of the current rows.
  template <Store How, class Cursors, std::size_t... A>
  GOBAN_INLINE static void evaluate(const F& functor, Cursors& cursors, Index first, Index last,
                                    bool streaming, std::index_sequence<A...>) {
    for (Index i = first; i < last; i += N) {
      std::tuple<typename CursorOf<A>::Slots...> slots[Planes];
      unroll<Planes>([&](auto plane) __attribute__((always_inline)) {
        functor(std::get<A>(cursors).template accessor<plane>(i, std::get<A>(slots[plane]))...);
      });
      const auto store = [&]<Store Each>() __attribute__((always_inline)) {
        unroll<Planes>([&](auto plane) __attribute__((always_inline)) {
          (std::get<A>(cursors).template store<plane, Each>(i, std::get<A>(slots[plane])), ...);
        });
      };
      if (How == Store::streaming || (How == Store::either && streaming)) {
        store.template operator()<Store::streaming>();
      } else {
        store.template operator()<Store::cached>();
      }
    }
  }
  template <class Cursors>
  GOBAN_INLINE static void evaluate(const SweepCall& call, const F& functor, Cursors& cursors,
                                    Index first, Index last) {
    if constexpr (Shape::is_large()) {
      evaluate<Store::either>(functor, cursors, first, last, call.streaming, parameters);
    } else if (call.streaming) {
      evaluate<Store::streaming>(functor, cursors, first, last, true, parameters);
    } else {
      evaluate<Store::cached>(functor, cursors, first, last, false, parameters);
    }
  }

  /// Row after row, the planes together.
  template <std::size_t... A>
  [[gnu::flatten]] static void walk_rows(const SweepCall& call, const Box& box,
                                         std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<CursorOf<A>...> cursors{CursorOf<A>(call, A)...};
    const Index begin = round_down(call.box.lower[order[0]], N);
    RowPosition row{0, box.lower[order[2]], call.box.lower[order[0]], call.box.upper[order[0]]};
    for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
      (std::get<A>(cursors).start(row), ...);
      for (Index chunk = begin; chunk < row.high; chunk += Shape::chunk) {
        if (call.fetcher) (*call.fetcher)(Shape::chunk * Planes);
        (std::get<A>(cursors).chunk(row, chunk), ...);
        const Index first = std::max(chunk, box.lower[order[0]]);
        const Index last = std::min(chunk + Shape::chunk, box.upper[order[0]]);
        evaluate(call, functor, cursors, first, last);
      }
    }
  }

  /// A piece of a row of all planes, then that of the next row: what the stencil reaches over stays
  /// in the first-level cache.
  template <std::size_t... A>
  [[gnu::flatten]] static void walk_group(const SweepCall& call, const Box& box,
                                          std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<CursorOf<A>...> cursors{CursorOf<A>(call, A)...};
    constexpr Index size = Shape::piece();
    const Index low = box.lower[order[0]], high = box.upper[order[0]];
    RowPosition row{0, 0, call.box.lower[order[0]], call.box.upper[order[0]]};
    for (Index x = round_down(row.low, size); x < row.high; x += size) {
      const Index first = std::max(x, low), last = std::min(x + size, high);
      for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
        for (row.slow = box.lower[order[2]]; row.slow < box.upper[order[2]]; ++row.slow) {
          if (call.fetcher) (*call.fetcher)(last - first);
          (std::get<A>(cursors).start(row), ...);
          (std::get<A>(cursors).piece(row, box.lower[order[2]], first, last), ...);
          evaluate(call, functor, cursors, first, last);
        }
      }
    }
  }
};

/// Evaluates a functor whose values are combined over the call's box, N cells at a time.
template <class F, int N, Axis Unit, class Shape, class... P>
class ReductionKernel {
  static constexpr auto order = order_of(Unit);
  template <std::size_t A>
  using CursorOf = Cursor<std::tuple_element_t<A, std::tuple<P...>>, N, 1, Unit, Shape, int{A}>;

 public:
  static void run(const SweepCall& call) { walk(call, std::index_sequence_for<P...>{}); }

 private:
  template <std::size_t... A>
  [[gnu::flatten]] static void walk(const SweepCall& call, std::index_sequence<A...>) {
    const F functor = *static_cast<const F*>(call.functor);
    std::tuple<CursorOf<A>...> cursors{CursorOf<A>(call, A)...};
    const Box& box = call.box;
    RowPosition row{0, 0, box.lower[order[0]], box.upper[order[0]]};
    for (row.slow = box.lower[order[2]]; row.slow < box.upper[order[2]]; ++row.slow) {
      for (row.middle = box.lower[order[1]]; row.middle < box.upper[order[1]]; ++row.middle) {
        (std::get<A>(cursors).start(row), ...);
        for (Index chunk = round_down(row.low, N); chunk < row.high; chunk += Shape::chunk) {
          if (call.fetcher) (*call.fetcher)(Shape::chunk);
          (std::get<A>(cursors).chunk(row, chunk), ...);
          const Index end = std::min(chunk + Shape::chunk, row.high);
          for (Index i = chunk; i < end; i += N) {
            std::tuple<typename CursorOf<A>::Slots...> slots;
            functor(std::get<A>(cursors).template accessor<0>(i, std::get<A>(slots))...);
            (std::get<A>(cursors).template store<0, Store::some>(i, std::get<A>(slots)), ...);
          }
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
  kernels.pack_width = width;
  if constexpr ((is_written_in_place<P> || ...)) {
    kernels.pack = &InPlaceKernel<F, width, Unit, Shape, P...>::run;
    kernels.in_cache = kernels.pack;
  } else if constexpr (is_reduction<F>) {
    kernels.pack = &ReductionKernel<F, width, Unit, Shape, P...>::run;
    kernels.in_cache = kernels.pack;
  } else {
    kernels.pack = &SweepKernel<F, width, Shape::planes, Unit, Shape, P...>::run;
    kernels.in_cache = kernels.pack;
    if constexpr (Shape::planes_in_cache > 1 && !Shape::walks_groups) {
      kernels.in_cache = &SweepKernel<F, width, Shape::planes_in_cache, Unit, Quiet, P...>::run;
    }
    kernels.planes = Shape::walks_groups ? Shape::group : Shape::planes;
    kernels.walks_groups = Shape::walks_groups;
  }
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

}  // namespace goban
