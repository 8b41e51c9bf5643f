#pragma once
// One argument of a sweep while a row is walked: makes the functor's accessor for a pack of cells
// and stores what the functor left in its slots.

#include <limits>

#include "goban/program/stage.hpp"
#include "goban/stencil/accessor.hpp"
#include "goban/stencil/parameters.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cpu {

/// Memory order of the grid axes when packs run along `unit`: fast, middle, slow.
constexpr std::array<int, 3> order_of(Axis unit) {
  return unit == Axis::z ? kij::order : ijk::order;
}

/// The rows that are evaluated together: row m of planes s, s+1, ..., s+Planes-1.
struct RowPosition {
  Index middle, slow;
  Index low, high;  ///< cells of the row to update
};

/// How the packs of a row are stored: whole ones past the caches or through them, or only the cells
/// that the box, the clip and the mask leave.
enum class Store { streaming, cached, some };

/// The packs of a row that are stored whole: first, first + N, ..., below last.
struct WholePacks {
  Index first, last;
  void limit(Index low, Index high, int width) {
    first = std::max(first, round_up(low, width));
    last = std::min(last, round_down(high, width));
  }
};

/// How an input is fetched ahead of its use; hardware prefetchers lose track of many short streams.
enum class Fetch {
  none,    ///< too little is known, or nothing is read
  plane,   ///< one plane at a time enters the stencil: fetch its rows in the order of the walk
  group,   ///< a group of planes is walked together: fetch what its next rows will need
  streams  ///< every component is its own stream, read where it is needed: fetch two packs ahead
};

/// Which values of one parameter a functor reads, for its kernel.
struct InputShape {
  Fetch fetch = Fetch::none;
  int slow_low = 0, slow_high = 0, middle_low = 0, middle_high = 0;
};

constexpr Displacement displacement_along(int axis, int by) {
  return {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
}

/// What cursors that fetch nothing share.
struct QuietCursor {
  GOBAN_INLINE void chunk(const RowPosition&, Index) const {}
  template <int Group>
  GOBAN_INLINE void fetch_group(Index, Index, Index, Index) const {}
};

template <class P, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor;

template <class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<FieldParameter<Access::in, T, C>, N, Planes, Unit, Shape, Position> {
  static constexpr auto order = order_of(Unit);
  static constexpr InputShape shape = Shape::input(Position);
  static constexpr Index line = 64 / sizeof(T);  // elements
  static constexpr Index near_chunks = 2, far_chunks = 8;

 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : base_(reinterpret_cast<const T*>(call.fields[argument].read)),
        strides_(call.fields[argument].stride),
        component_stride_(call.fields[argument].component_stride),
        tile_(call.tile),
        fetches_(call.fields[argument].from_memory) {}
  GOBAN_INLINE void start(const RowPosition& row, WholePacks&) {
    row_ = base_ + row.middle * strides_[order[1]] + row.slow * strides_[order[2]];
    if constexpr (shape.fetch == Fetch::plane) {
      if (fetches_ && row.middle == tile_.lower[order[1]]) fetch_first_rows(row);
    }
  }

  /// Before the packs from `first` on: the leading plane, two chunks ahead, comes into the
  /// first-level cache; eight chunks ahead, pack by pack, into the second-level cache.
  GOBAN_INLINE void chunk(const RowPosition& row, Index first) {
    if constexpr (shape.fetch == Fetch::plane) {
      far_ = row_;
      if (!fetches_) return;
      fetch<3>(ahead(row, first, near_chunks), strides_[order[2]], component_stride_);
      far_ = ahead(row, first, far_chunks) - first;
    }
  }

  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots&) const {
    constexpr auto beside = displacement_along(order[2], Plane);
    if constexpr (shape.fetch == Fetch::plane) {
      for (int c = 0; c < C; ++c) {
        __builtin_prefetch(far_ + i + Plane * strides_[order[2]] + c * component_stride_, 0, 2);
      }
    }
    const Reader<T, C, N, Unit, beside> reader(row_ + i, strides_, component_stride_);
    if constexpr (shape.fetch == Fetch::streams) {
      unroll<Shape::read_count>([&](auto r) {
        constexpr Read read = Shape::read(r);
        if constexpr (read.parameter == Position) {
          __builtin_prefetch(
              reader[read.component].address(read.offset[0], read.offset[1], read.offset[2]) +
                  2 * N,
              0, 3);
        }
      });
    }
    return reader;
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

  /// The rows of cells [first, first + chunk) that row m + 2 of a group of planes will be the first
  /// to need: all planes of the group beside the stencil's far end, single rows of the others.
  template <int Group>
  GOBAN_INLINE void fetch_group(Index middle, Index slow, Index first, Index cells) const {
    if constexpr (shape.fetch == Fetch::group) {
      if (!fetches_) return;
      constexpr Index rows_ahead = 2;
      const T* cell = base_ + first + (middle + rows_ahead) * strides_[order[1]];
      for (int p = -shape.slow_low; p < Group + shape.slow_high; ++p) {
        const Index beyond = p < 0 || p >= Group ? 0 : shape.middle_high;
        const T* piece = cell + (slow + p) * strides_[order[2]] + beyond * strides_[order[1]];
        for (Index i = 0; i < cells; i += line) __builtin_prefetch(piece + i, 0, 3);
      }
    }
  }

 private:
  /// Where the cells of the leading plane are that are first needed `chunks` chunks after the
  /// current one: tiles are walked chunk by chunk, row by row, plane by plane.
  GOBAN_INLINE const T* ahead(const RowPosition& row, Index first, Index chunks) const {
    const Index begin = round_down(row.low, N);
    const Index per_row = (row.high - begin + Shape::chunk - 1) / Shape::chunk;
    const Index at = (first - begin) / Shape::chunk + chunks;
    return row_ahead(row, at / per_row) + begin + at % per_row * Shape::chunk;
  }
  GOBAN_INLINE const T* row_ahead(const RowPosition& row, Index rows) const {
    constexpr Index reach = shape.middle_low + shape.middle_high;
    const Index height = tile_.extent(order[1]) + reach;
    Index r = row.middle - tile_.lower[order[1]] + reach + rows;
    Index plane = row.slow;
    while (r >= height) {
      r -= height;
      plane += Planes;
    }
    plane = std::min(plane, std::max(tile_.upper[order[2]] - Planes, tile_.lower[order[2]]));
    return base_ + (tile_.lower[order[1]] - shape.middle_low + r) * strides_[order[1]] +
           (plane + shape.slow_high) * strides_[order[2]];
  }
  /// Inlined by force: g++ 12 takes calls of a function that only fetches for calls without effect.
  template <int Level>
  GOBAN_INLINE static void fetch(const T* cells, Index plane, Index component) {
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < Planes; ++p) {
        for (Index i = 0; i < Shape::chunk; i += line) {
          __builtin_prefetch(cells + i + p * plane + c * component, 0, Level);
        }
      }
    }
  }
  /// At the start of a plane: rows that no earlier row of this tile has fetched.
  GOBAN_INLINE void fetch_first_rows(const RowPosition& row) const {
    for (Index k = shape.middle_low + shape.middle_high; k >= 1; --k) {
      const T* cells = row_ahead(row, 1 - k);
      for (Index i = round_down(row.low, N); i < row.high; i += Shape::chunk) {
        fetch<3>(cells + i, strides_[order[2]], component_stride_);
      }
    }
  }

  const T* base_;
  const T* row_ = nullptr;
  const T* far_ = nullptr;
  Index3 strides_;
  Index component_stride_;
  Box tile_;
  bool fetches_;
};

/// Outputs: stores are deferred until all planes are evaluated, so that loads are shared.
template <Access A, class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<FieldParameter<A, T, C>, N, Planes, Unit, Shape, Position> : public QuietCursor {
  static constexpr auto order = order_of(Unit);
  static constexpr Index none = std::numeric_limits<Index>::min();
  using Value = Pack<ArithmeticOf<T>, N>;

 public:
  struct Slots {
    Value value[C];
  };
  Cursor(const SweepCall& call, std::size_t argument)
      : from_(reinterpret_cast<const T*>(call.fields[argument].read)),
        to_(reinterpret_cast<T*>(call.fields[argument].write)),
        strides_(call.fields[argument].stride),
        component_stride_(call.fields[argument].component_stride),
        clip_(call.fields[argument].clip),
        mask_(call.mask),
        row_low_(call.keeps_ends ? call.box.lower[order[0]] : none),
        row_high_(call.keeps_ends ? call.box.upper[order[0]] : none) {}

  GOBAN_INLINE void start(const RowPosition& row, WholePacks& whole) {
    offset_ = row.middle * strides_[order[1]] + row.slow * strides_[order[2]];
    position_ = row;
    const bool row_inside =
        row.middle >= clip_.lower[order[1]] && row.middle < clip_.upper[order[1]];
    for (int p = 0; p < Planes; ++p) {
      const Index plane = row.slow + p;
      const bool inside =
          row_inside && plane >= clip_.lower[order[2]] && plane < clip_.upper[order[2]];
      low_[p] = inside ? std::max(row.low, clip_.lower[order[0]]) : 0;
      high_[p] = inside ? std::min(row.high, clip_.upper[order[0]]) : 0;
      // Ghosts are made from the ends of rows at once: these go through the caches.
      const Index low_end = row.low == row_low_ ? N : 0, high_end = row.high == row_high_ ? N : 0;
      whole.limit(low_[p] + low_end, mask_ ? low_[p] : high_[p] - high_end, N);
    }
  }

  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots& slots) const {
    if constexpr (A == Access::inout) {
      preload<C>(slots.value, from_ + offset_ + Plane * strides_[order[2]] + i, component_stride_);
      return ReadWriter<T, C, N>(slots.value);
    } else {
      return Writer<T, C, N>(slots.value);
    }
  }

  template <int Plane, Store How>
  GOBAN_INLINE void store(Index i, const Slots& slots) const {
    T* to = to_ + offset_ + Plane * strides_[order[2]] + i;
    if constexpr (How == Store::some) {
      const int first = static_cast<int>(std::max<Index>(low_[Plane] - i, 0));
      const int last = static_cast<int>(std::min<Index>(high_[Plane] - i, N));
      if (first >= last) return;
      for (int c = 0; c < C; ++c) {
        T* cell = to + c * component_stride_;
        if (first == 0 && last == N && !mask_) {
          goban::store(cell, slots.value[c]);
          continue;
        }
        const Value value = mask_ ? masked<Plane>(i, slots.value[c], cell) : slots.value[c];
        store_lanes(cell, value, first, last);
      }
    } else {
      unroll<C>([&](auto c) {
        if constexpr (How == Store::streaming) {
          store_streaming(to + c * component_stride_, slots.value[c]);
        } else {
          goban::store(to + c * component_stride_, slots.value[c]);
        }
      });
    }
  }

 private:
  template <int Plane>
  GOBAN_INLINE Value masked(Index i, const Value& value, const T* cell) const {
    const auto& s = mask_->stride;
    const auto* mask = reinterpret_cast<const std::uint8_t*>(mask_->read) +
                       position_.middle * s[order[1]] + (position_.slow + Plane) * s[order[2]] + i;
    return select(load<N>(mask) != std::uint8_t{0}, value, load<N>(cell));
  }

  const T* from_;
  T* to_;
  Index offset_ = 0;
  Index3 strides_;
  Index component_stride_;
  Box clip_;
  const FieldBinding* mask_;
  Index row_low_, row_high_;  ///< ends of rows that ghosts are made from
  RowPosition position_{};
  Index low_[Planes] = {}, high_[Planes] = {};
};

template <int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<SiteParameter, N, Planes, Unit, Shape, Position> : public QuietCursor {
  static constexpr auto order = order_of(Unit);

 public:
  struct Slots {
    SiteInfo info;
  };
  Cursor(const SweepCall& call, std::size_t) : info_(call.site) {}
  GOBAN_INLINE void start(const RowPosition& row, WholePacks&) { row_ = row; }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots& slots) const {
    slots.info = info_;
    slots.info.index[order[0]] += i;
    slots.info.index[order[1]] += row_.middle;
    slots.info.index[order[2]] += row_.slow + Plane;
    return SiteAccessor<N, Unit>(slots.info);
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  SiteInfo info_;
  RowPosition row_{};
};

template <class T, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<ValueParameter<T>, N, Planes, Unit, Shape, Position> : public QuietCursor {
 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : value_(static_cast<T>(call.values[argument])) {}
  GOBAN_INLINE void start(const RowPosition&, WholePacks&) {}
  template <int Plane>
  GOBAN_INLINE auto accessor(Index, Slots&) const {
    return ValueAccessor<T>{value_};
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  T value_;
};

/// Stands for the first parameter of a reduction: hands the values of the row to the reducer.
struct ReductionParameter {};

template <int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<ReductionParameter, N, Planes, Unit, Shape, Position> : public QuietCursor {
  using Value = Pack<double, N>;

 public:
  struct Slots {
    Value value[1];
  };
  Cursor(const SweepCall& call, std::size_t) : reducer_(call.reducer), mask_(call.mask) {}
  GOBAN_INLINE void start(const RowPosition& row, WholePacks& whole) {
    row_ = row;
    whole.limit(row.low, row.high, N);
  }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index, Slots& slots) const {
    return Writer<double, 1, N>(slots.value);
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index i, const Slots& slots) const {
    double values[N];
    goban::store(values, slots.value[0]);
    const Index first = std::max<Index>(row_.low - i, 0);
    const Index last = std::min<Index>(row_.high - i, N);
    if (!mask_) return reducer_->add(values + first, last - first);
    const auto* mask = reinterpret_cast<const std::uint8_t*>(mask_->read) +
                       row_.middle * mask_->stride[order[1]] +
                       (row_.slow + Plane) * mask_->stride[order[2]] + i;
    for (Index lane = first; lane < last; ++lane) {
      if (mask[lane] != 0) reducer_->add(values + lane, 1);
    }
  }

 private:
  static constexpr auto order = order_of(Unit);

  Reducer* reducer_;
  const FieldBinding* mask_;
  RowPosition row_{};
};

}  // namespace goban::cpu
