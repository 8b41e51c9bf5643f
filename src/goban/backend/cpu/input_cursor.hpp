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
        rows_ahead_(call, argument) {}
  static void limit(const SweepCall&, std::size_t, Box&) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = at(row.middle, row.slow);
    rows_ahead_.start(row);
  }

  GOBAN_INLINE void chunk(const RowPosition& row, Index first) { rows_ahead_.chunk(row, first); }

  /// Before row `row` of a group of planes that begins at `group`: what the row after next will be
  /// the first to need, a share with every plane, pack by pack. That is one row of each plane of
  /// the group, at the stencil's far end, and one of each plane beside the group. Long before, rows
  /// of the planes that no group has read yet come into the second-level cache.
  GOBAN_INLINE void piece(const RowPosition& row, Index group) {
    if constexpr (shape.fetch == Fetch::group) {
      constexpr Index rows_ahead = 2, rows_far_ahead = 8;
      const Index number = row.slow - group;
      far_ahead_ = at(row.middle + shape.outer_high + rows_far_ahead, row.slow + shape.slow_high);
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

  GOBAN_INLINE const T* at(Index middle, Index slow) const {
    return base_ + middle * strides_[order[1]] + slow * strides_[order[2]];
  }

  const T* base_;
  const T* row_ = nullptr;
  const T* ahead_[shares] = {};   ///< what is fetched with a pack, at cell 0 of its row
  const T* far_ahead_ = nullptr;  ///< likewise, into the second-level cache
  Index3 strides_;
  ComponentOffset<T> component_;
  Ahead<shape.fetch == Fetch::plane, T, C, N, Planes, Unit, Shape, shape> rows_ahead_;
};

}  // namespace goban::cpu
