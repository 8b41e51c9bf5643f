#pragma once
// One argument of a sweep while a row is walked: makes the functor's accessor for a pack of cells
// and stores what the functor left in its slots.

#include <limits>

#include "goban/backend/cpu/input_cursor.hpp"

namespace goban::cpu {

/// Outputs: stores are deferred until all planes are evaluated, so that loads are shared.
template <Access A, class T, int C, int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<FieldParameter<A, T, C>, N, Planes, Unit, Shape, Position> : public PlainCursor {
  static constexpr auto order = order_of(Unit);
  using Value = Pack<ArithmeticOf<T>, N>;
  static constexpr InputShape shape = Shape::input(Position);
  static constexpr bool fetches = A == Access::inout && shape.fetch == Fetch::plane;

 public:
  struct Slots {
    Value value[C];
  };
  Cursor(const SweepCall& call, std::size_t argument)
      : rows_ahead_(call, argument),
        from_(reinterpret_cast<const T*>(call.fields[argument].read)),
        to_(reinterpret_cast<T*>(call.fields[argument].write)),
        strides_(call.fields[argument].stride),
        component_(component_offset<T>(call.fields[argument])),
        clip_(call.fields[argument].clip),
        mask_(call.mask),
        streaming_(call.streaming) {
    if (!call.ends || call.ends[argument].component.empty()) return;
    ends_ = &call.ends[argument];
    inner_low_ = ends_->low_end;
    inner_size_ = static_cast<std::size_t>(ends_->high_begin - ends_->low_end);
  }

  /// Whole packs of the rows of `box` are stored whole.
  static void limit(const SweepCall& call, std::size_t argument, Box& box) {
    box = intersection(box, call.fields[argument].clip);
    if (call.mask) box.upper[order[0]] = box.lower[order[0]];
  }

  GOBAN_INLINE void start(const RowPosition& row) {
    position_ = row;
    offset_ = row.middle * strides_[order[1]] + row.slow * strides_[order[2]];
    rows_ahead_.start(row);
  }
  GOBAN_INLINE void chunk(const RowPosition& row, Index first) { rows_ahead_.chunk(row, first); }

  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots& slots) const {
    rows_ahead_.template pack<Plane>(i);
    if constexpr (A == Access::inout) {
      preload<C>(slots.value, from_ + offset_ + Plane * strides_[order[2]] + i, component_);
      return ReadWriter<T, C, N>(slots.value);
    } else {
      return Writer<T, C, N>(slots.value);
    }
  }

  template <int Plane, Store How>
  GOBAN_INLINE void store(Index i, const Slots& slots) const {
    T* to = to_ + offset_ + Plane * strides_[order[2]] + i;
    if constexpr (How == Store::some) {
      const bool is_kept = keeps(i);
      for (int c = 0; c < C; ++c) {
        if (is_kept && keep<Plane>(i, c, slots.value[c])) continue;
        store_part<Plane>(i, to + component_(c), slots.value[c]);
      }
    } else {
      unroll<C>([&](auto c) __attribute__((always_inline)) {
        if constexpr (How == Store::streaming && A == Access::out) {
          store_streaming(to + component_(c), slots.value[c]);
        } else {
          goban::store(to + component_(c), slots.value[c]);
        }
      });
      if constexpr (How == Store::streaming) {
        if (keeps(i)) [[unlikely]] {
          unroll<C>([&](auto c)
                        __attribute__((always_inline)) { keep<Plane>(i, c, slots.value[c]); });
        }
      }
    }
  }

 private:
  /// The pack is among the ends of rows.
  GOBAN_INLINE bool keeps(Index i) const {
    return static_cast<std::size_t>(i - inner_low_) >= inner_size_;
  }
  /// Returns whether the pack must not go to memory.
  template <int Plane>
  GOBAN_INLINE bool keep(Index i, int c, const Value& value) const {
    std::byte* kept = ends_->component[static_cast<std::size_t>(c)];
    if (!kept) return false;
    const auto& s = ends_->stride;
    const Index at = i < ends_->high_begin ? i : i - ends_->gap;
    goban::store(reinterpret_cast<T*>(kept) + at + position_.middle * s[order[1]] +
                     (position_.slow + Plane) * s[order[2]],
                 value);
    return i >= ends_->kept_from || i < ends_->kept_below;
  }
  /// The cells of the pack that the clip and the mask leave.
  template <int Plane>
  GOBAN_INLINE void store_part(Index i, T* cell, const Value& value) const {
    if (position_.middle < clip_.lower[order[1]] || position_.middle >= clip_.upper[order[1]] ||
        position_.slow + Plane < clip_.lower[order[2]] ||
        position_.slow + Plane >= clip_.upper[order[2]]) {
      return;
    }
    const Index low = std::max(position_.low, clip_.lower[order[0]]);
    const Index high = std::min(position_.high, clip_.upper[order[0]]);
    const int first = static_cast<int>(std::max<Index>(low - i, 0));
    const int last = static_cast<int>(std::min<Index>(high - i, N));
    if (first >= last) return;
    if (first > 0 || last < N || mask_) {
      store_lanes(cell, mask_ ? masked<Plane>(i, value, cell) : value, first, last);
    } else if (streaming_) {
      store_streaming(cell, value);
    } else {
      goban::store(cell, value);
    }
  }
  template <int Plane>
  GOBAN_INLINE Value masked(Index i, const Value& value, const T* cell) const {
    const auto& s = mask_->stride;
    const auto* mask = reinterpret_cast<const std::uint8_t*>(mask_->read) +
                       position_.middle * s[order[1]] + (position_.slow + Plane) * s[order[2]] + i;
    return select(load<N>(mask) != std::uint8_t{0}, value, load<N>(cell));
  }

  Ahead<fetches, T, C, N, Planes, Unit, Shape, shape> rows_ahead_;
  const T* from_;
  T* to_;
  Index offset_ = 0;
  Index3 strides_;
  ComponentOffset<T> component_;
  Box clip_;
  const FieldBinding* mask_;
  const RowEndsBinding* ends_ = nullptr;
  Index inner_low_ = std::numeric_limits<Index>::min() /
                     2;  ///< ends of rows lie outside of inner_low_ + [0, inner_size_)
  std::size_t inner_size_ = std::numeric_limits<std::size_t>::max();
  bool streaming_;
  RowPosition position_{};
};

template <int N, int Planes, Axis Unit, class Shape, int Position>
class Cursor<SiteParameter, N, Planes, Unit, Shape, Position> : public PlainCursor {
  static constexpr auto order = order_of(Unit);

 public:
  struct Slots {
    SiteInfo info;
  };
  Cursor(const SweepCall& call, std::size_t) : info_(call.site) {}
  GOBAN_INLINE void start(const RowPosition& row) { row_ = row; }
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
class Cursor<ValueParameter<T>, N, Planes, Unit, Shape, Position> : public PlainCursor {
 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : value_(static_cast<T>(call.values[argument])) {}
  GOBAN_INLINE void start(const RowPosition&) {}
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
class Cursor<ReductionParameter, N, Planes, Unit, Shape, Position> : public PlainCursor {
  using Value = Pack<double, N>;

 public:
  struct Slots {
    Value value[1];
  };
  Cursor(const SweepCall& call, std::size_t) : reducer_(call.reducer), mask_(call.mask) {}
  GOBAN_INLINE void start(const RowPosition& row) { row_ = row; }
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
