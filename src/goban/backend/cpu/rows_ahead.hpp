#pragma once
// What is fetched of a field ahead of a walk through planes: the rows of the plane that is the
// first to enter the stencil, in the order of the walk. Hardware prefetchers lose track of many
// short streams.
//
// Of a few streams lines come into the second-level cache long before and into the first-level
// cache shortly before they are used. Every line on its way to either takes one of the buffers of a
// core that are all taken where there are many streams: there lines come to the first-level cache
// at once.

#include "goban/backend/cpu/walk.hpp"
#include "goban/base/fetch.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cpu {

template <class T, int C, int N, int Planes, Axis Unit, class Shape, InputShape shape>
class RowsAhead {
  static constexpr auto order = order_of(Unit);
  static constexpr Index line = 64 / sizeof(T);  // elements
  static constexpr int few_streams = 4;
  static constexpr bool at_once = Shape::streams * Planes > few_streams;
  static constexpr CacheLevel level = at_once ? CacheLevel::first : CacheLevel::second;
  static constexpr Index near_chunks = 2, far_chunks = at_once ? 1 : 8;

 public:
  RowsAhead(const SweepCall& call, std::size_t argument)
      : base_(reinterpret_cast<const T*>(call.fields[argument].read)),
        strides_(call.fields[argument].stride),
        component_(component_offset<T>(call.fields[argument])),
        tile_(call.tile),
        fetches_(call.fields[argument].from_memory) {}

  GOBAN_INLINE void start(const RowPosition& row) const {
    if (fetches_ && row.middle == tile_.lower[order[1]]) fetch_first_rows(row);
  }

  /// Before the packs from `first` on.
  GOBAN_INLINE void chunk(const RowPosition& row, Index first) {
    ahead_ = at(row.middle, row.slow);
    if (!fetches_) return;
    if constexpr (at_once) {
      if (first <= row.low) fetch_pad(row);
    } else {
      fetch_chunk(leading(row, first, near_chunks));
    }
    ahead_ = leading(row, first, far_chunks) - first;
  }

  /// With the pack at cell i of a row.
  template <int Plane>
  GOBAN_INLINE void pack(Index i) const {
    unroll<C>([&](auto c) __attribute__((always_inline)) {
      goban::fetch<level>(ahead_ + i + component_(c) + Plane * strides_[order[2]]);
    });
  }

 private:
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
  GOBAN_INLINE void fetch_cells(const T* cells, Index count) const {
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < Planes; ++p) {
        for (Index i = 0; i < count; i += line) {
          goban::fetch<CacheLevel::first>(cells + i + p * strides_[order[2]] + component_(c));
        }
      }
    }
  }
  GOBAN_INLINE void fetch_chunk(const T* cells) const { fetch_cells(cells, Shape::chunk); }
  /// Of the next row, the lines behind its last pack.
  GOBAN_INLINE void fetch_pad(const RowPosition& row) const {
    if constexpr (shape.along_rows) {
      const Index end = round_up(row.high, line);
      fetch_cells(row_ahead(row, 1) + end, strides_[order[1]] - end);
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
  const T* ahead_ = nullptr;  ///< what is fetched with a pack, at cell 0 of its row
  Index3 strides_;
  ComponentOffset<T> component_;
  Box tile_;
  bool fetches_;
};

struct NothingAhead {
  NothingAhead(const SweepCall&, std::size_t) {}
  GOBAN_INLINE void start(const RowPosition&) const {}
  GOBAN_INLINE void chunk(const RowPosition&, Index) const {}
  template <int Plane>
  GOBAN_INLINE void pack(Index) const {}
};

template <bool Fetches, class T, int C, int N, int Planes, Axis Unit, class Shape, InputShape shape>
using Ahead =
    std::conditional_t<Fetches, RowsAhead<T, C, N, Planes, Unit, Shape, shape>, NothingAhead>;

}  // namespace goban::cpu
