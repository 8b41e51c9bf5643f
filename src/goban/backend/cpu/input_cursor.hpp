#pragma once
// The inputs of a sweep while a row is walked, and what is fetched ahead of their use.

#include "goban/backend/cpu/rows_ahead.hpp"
#include "goban/stencil/accessor.hpp"

namespace goban::cpu {

template <class P, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor;

template <class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<FieldParameter<Access::in, T, C>, N, Planes, Unit, Shape, Position> {
  static constexpr auto order = order_of(Unit);
  static constexpr InputShape shape = Shape::input(Position);

 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : base_(reinterpret_cast<const T*>(call.fields[argument].read)),
        strides_(call.fields[argument].stride),
        component_(component_offset<T>(call.fields[argument])),
        tile_(call.tile),
        from_memory_(call.fields[argument].from_memory),
        rows_ahead_(call, argument) {}
  static void limit(const SweepCall&, std::size_t, Box&) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = at(row.middle, row.slow);
    rows_ahead_.start(row);
  }

  GOBAN_INLINE void chunk(const RowPosition& row, Index first) { rows_ahead_.chunk(row, first); }

  /// Before row `row` of a group of planes that begins at `group`: what the row after next will be
  /// the first to need, a share with every plane, pack by pack. That is one row of each plane of
  /// the group, at the stencil's far end, and one of each plane beside the group. A group before,
  /// rows of the planes that no group has read yet come into the second-level cache.
  GOBAN_INLINE void piece(const RowPosition& row, Index group, Index first, Index last) {
    if constexpr (shape.fetch == Fetch::group) {
      constexpr Index rows_ahead = 2;
      const Index number = row.slow - group;
      far_ahead_ = row_;
      if (from_memory_) fetch_group_after(row, first, last);
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
    rows_ahead_.template pack<Plane>(i);
    if constexpr (shape.fetch == Fetch::group) {
      unroll<shares * C>([&](auto n) __attribute__((always_inline)) {
        const T* cell = ahead_[n % shares] + i + component_(n / shares);
        goban::fetch<CacheLevel::first>(cell + Plane * strides_[order[2]]);
      });
      unroll<C>([&](auto c) __attribute__((always_inline)) {
        goban::fetch<CacheLevel::second>(far_ahead_ + i + component_(c));
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

  /// Of the plane that the next group is the first to need: the row itself with the packs; before
  /// the first row and after the last of the tile those that are read beyond it.
  GOBAN_INLINE void fetch_group_after(const RowPosition& row, Index first, Index last) {
    const Index end = tile_.upper[order[2]] - 1 + shape.slow_high;
    const Index low = tile_.lower[order[1]], high = tile_.upper[order[1]];
    far_ahead_ =
        at(row.middle + shape.outer_high, std::min(row.slow + Shape::group + shape.slow_high, end));
    const Index plane =
        shape.outer_high > 0 ? row.slow + Shape::group + shape.slow_high : row.slow + Shape::group;
    if (plane > end) return;
    if (row.middle == low)
      fetch_rows(low - shape.middle_low, low + shape.outer_high, plane, first, last);
    if (row.middle == high - 1) {
      fetch_rows(high + shape.outer_high, high + shape.middle_high, plane, first, last);
    }
  }
  void fetch_rows(Index low, Index high, Index plane, Index first, Index last) const {
    for (Index row = low; row < high; ++row) {
      for (int c = 0; c < C; ++c) {
        const T* cells = at(row, plane) + component_(c);
        for (Index i = first; i < last; i += N) goban::fetch<CacheLevel::second>(cells + i);
      }
    }
  }

  GOBAN_INLINE const T* at(Index middle, Index slow) const {
    return base_ + middle * strides_[order[1]] + slow * strides_[order[2]];
  }

  const T* base_;
  const T* row_ = nullptr;
  const T* ahead_[shares] = {};   ///< what is fetched with a pack, at cell 0 of its row
  const T* far_ahead_ = nullptr;  ///< likewise, into the second-level cache
  Index3 strides_;
  ComponentOffset<T> component_;
  Box tile_;
  bool from_memory_;
  Ahead<shape.fetch == Fetch::plane, T, C, N, Planes, Unit, Shape, shape> rows_ahead_;
};

}  // namespace goban::cpu
