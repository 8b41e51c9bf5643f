#pragma once
// The inputs of a sweep while a row is walked, and what is fetched ahead of their use: hardware
// prefetchers lose track of many short streams.

#include "goban/base/fetch.hpp"
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

/// How the packs of a row are stored: whole ones past the caches or through them, or one by one:
/// ends of rows that are kept, and only the cells that the box, the clip and the mask leave.
enum class Store { streaming, cached, some };

/// How an input is fetched ahead of its use.
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
  int outer_high = 0;  ///< the farthest along the middle axis in other planes than the cell's own
};

constexpr Displacement displacement_along(int axis, int by) {
  return {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
}

/// What cursors share that fetch nothing and limit nothing.
struct PlainCursor {
  static void limit(const SweepCall&, std::size_t, Box&) {}
  GOBAN_INLINE void chunk(const RowPosition&, Index) const {}
  GOBAN_INLINE void piece(const RowPosition&, Index) {}
};

template <class T>
ComponentOffset<T> component_offset(const FieldBinding& field) {
  if constexpr (is_in_place<T>) {
    return field.places->offset.data();
  } else {
    return field.component_stride;
  }
}

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
        component_(component_offset<T>(call.fields[argument])),
        tile_(call.tile),
        fetches_(call.fields[argument].from_memory) {}
  static void limit(const SweepCall&, std::size_t, Box&) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = at(row.middle, row.slow);
    if constexpr (shape.fetch == Fetch::plane) {
      if (fetches_ && row.middle == tile_.lower[order[1]]) fetch_first_rows(row);
    }
  }

  /// Before the packs from `first` on: the leading plane, two chunks ahead, comes into the
  /// first-level cache; eight chunks ahead, pack by pack, into the second-level cache.
  GOBAN_INLINE void chunk(const RowPosition& row, Index first) {
    if constexpr (shape.fetch == Fetch::plane) {
      ahead_[0] = row_;
      if (!fetches_) return;
      fetch_chunk(leading(row, first, near_chunks));
      ahead_[0] = leading(row, first, far_chunks) - first;
    }
  }

  /// Before row `row` of a group of planes that begins at `group`: what the row after next will be
  /// the first to need, a share with every plane, pack by pack. That is one row of each plane of
  /// the group, at the stencil's far end, and one of each plane beside the group.
  GOBAN_INLINE void piece(const RowPosition& row, Index group) {
    if constexpr (shape.fetch == Fetch::group) {
      constexpr Index rows_ahead = 2;
      const Index number = row.slow - group;
      unroll<shares>([&](auto share) __attribute__((always_inline)) {
        if constexpr (share == 0) {
          ahead_[0] = at(row.middle + shape.middle_high + rows_ahead, row.slow);
        } else {
          const Index other = number * (shares - 1) + share - 1;
          const Index plane = other < shape.slow_low
                                  ? group - 1 - other
                                  : group + Shape::group + (other - shape.slow_low);
          ahead_[share] = at(row.middle + shape.outer_high + rows_ahead,
                             std::min(plane, group + Shape::group - 1 + shape.slow_high));
        }
      });
    }
  }

  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots&) const {
    constexpr auto beside = displacement_along(order[2], Plane);
    if constexpr (shape.fetch == Fetch::plane || shape.fetch == Fetch::group) {
      unroll<shares * C>([&](auto n) __attribute__((always_inline)) {
        const T* cell = ahead_[n % shares] + i + component_(n / shares);
        goban::fetch<shape.fetch == Fetch::plane ? CacheLevel::second : CacheLevel::first>(
            cell + Plane * strides_[order[2]]);
      });
    }
    const Reader<T, C, N, Unit, beside, shape.fetch == Fetch::streams> reader(row_ + i, strides_,
                                                                              component_);
    if constexpr (shape.fetch == Fetch::streams) {
      unroll<Shape::read_count>([&](auto r) __attribute__((always_inline)) {
        constexpr Read read = Shape::read(r);
        if constexpr (read.parameter == Position) {
          goban::fetch<CacheLevel::first>(
              reader[read.component].address(read.offset[0], read.offset[1], read.offset[2]) +
              2 * N);
        }
      });
    }
    return reader;
  }
  template <int Plane, Store>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  /// Rows that are fetched beside one row.
  static constexpr int shares =
      shape.fetch != Fetch::group
          ? 1
          : 1 + (shape.slow_low + shape.slow_high + Shape::group - 1) / Shape::group;

  GOBAN_INLINE const T* at(Index middle, Index slow) const {
    return base_ + middle * strides_[order[1]] + slow * strides_[order[2]];
  }
  /// Where the cells of the leading plane are that are first needed `chunks` chunks after those
  /// from `first` on: tiles are walked chunk by chunk, row by row, plane by plane.
  GOBAN_INLINE const T* leading(const RowPosition& row, Index first, Index chunks) const {
    Index rows = 0;
    const Index length = round_up(row.high - round_down(row.low, N), Shape::chunk);
    for (first += chunks * Shape::chunk; first >= row.high; ++rows) first -= length;
    return row_ahead(row, rows) + first;
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
    return at(tile_.lower[order[1]] - shape.middle_low + r, plane + shape.slow_high);
  }
  GOBAN_INLINE void fetch_chunk(const T* cells) const {
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < Planes; ++p) {
        for (Index i = 0; i < Shape::chunk; i += line) {
          goban::fetch<CacheLevel::first>(cells + i + p * strides_[order[2]] + component_(c));
        }
      }
    }
  }
  /// At the start of a plane: rows that no earlier row of this tile has fetched.
  GOBAN_INLINE void fetch_first_rows(const RowPosition& row) const {
    for (Index k = shape.middle_low + shape.middle_high; k >= 1; --k) {
      const T* cells = row_ahead(row, 1 - k);
      for (Index i = round_down(row.low, N); i < row.high; i += Shape::chunk)
        fetch_chunk(cells + i);
    }
  }

  const T* base_;
  const T* row_ = nullptr;
  const T* ahead_[shares] = {};  ///< what is fetched with a pack, at cell 0 of its row
  Index3 strides_;
  ComponentOffset<T> component_;
  Box tile_;
  bool fetches_;
};

}  // namespace goban::cpu
