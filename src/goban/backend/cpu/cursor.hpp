#pragma once
// One argument of a sweep while a row is walked: makes the functor's accessor for a pack of cells
// and stores what the functor left in its slots.

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

/// How far ahead of the current rows a parameter is read: what memory must have delivered next.
struct Lead {
  bool streams = false;  ///< worth fetching by hand: few components, read at all
  int slow_high = 0, middle_low = 0, middle_high = 0;
};

template <class P, int N, int Planes, Axis Unit, Lead L>
class Cursor;

/// Inputs. Hardware prefetchers lose track of many short streams, so the plane that enters the
/// stencil is fetched ahead: its next row into the first-level cache when a row begins, a row four
/// further on into the second-level cache while the row is walked.
template <class T, int C, int N, int Planes, Axis Unit, Lead L>
class Cursor<FieldParameter<Access::in, T, C>, N, Planes, Unit, L> {
  static constexpr auto order = order_of(Unit);
  static constexpr Index near_rows = 1, far_rows = 4;
  static constexpr int line = 64 / sizeof(T);  // elements

 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : base_(reinterpret_cast<const T*>(call.fields[argument].read)),
        strides_(call.fields[argument].stride),
        component_stride_(call.fields[argument].component_stride),
        box_(call.tile),
        fetches_(call.fields[argument].from_memory) {}
  GOBAN_INLINE void start(const RowPosition& row) {
    row_ = base_ + row.middle * strides_[order[1]] + row.slow * strides_[order[2]];
    if constexpr (L.streams) {
      if (fetches_) fetch_rows(row);
    }
  }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index i, Slots&) const {
    if constexpr (L.streams) {
      if (fetches_) {
        for (int c = 0; c < C; ++c) {
          __builtin_prefetch(far_ + i + Plane * strides_[order[2]] + c * component_stride_, 0, 2);
        }
      }
    }
    return Reader<T, C, N, Unit>(row_ + i, strides_, component_stride_)
        .shift(static_cast<Axis>(order[2]), Plane);
  }
  template <int Plane>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  /// The row of the leading plane that is first needed `rows` rows after the current one: tiles are
  /// walked row by row, then plane by plane.
  const T* row_ahead(const RowPosition& row, Index rows) const {
    const Index reach = L.middle_low + L.middle_high;
    const Index height = box_.extent(order[1]) + reach;
    Index r = row.middle - box_.lower[order[1]] + reach + rows;
    Index plane = row.slow;
    while (r >= height) {
      r -= height;
      plane += Planes;
    }
    plane = std::min(plane, std::max(box_.upper[order[2]] - Planes, box_.lower[order[2]]));
    return base_ + (box_.lower[order[1]] - L.middle_low + r) * strides_[order[1]] +
           (plane + L.slow_high) * strides_[order[2]];
  }
  template <int Level>
  void fetch_row(const T* row) const {
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < Planes; ++p) {
        const T* cells = row + p * strides_[order[2]] + c * component_stride_;
        for (Index i = box_.lower[order[0]]; i < box_.upper[order[0]]; i += line) {
          __builtin_prefetch(cells + i, 0, Level);
        }
      }
    }
  }
  void fetch_rows(const RowPosition& row) {
    if (row.middle == box_.lower[order[1]]) {
      for (Index k = 1; k <= L.middle_low + L.middle_high; ++k) {
        fetch_row<3>(row_ahead(row, near_rows - k));
        fetch_row<2>(row_ahead(row, far_rows - k));
      }
    }
    fetch_row<3>(row_ahead(row, near_rows));
    far_ = row_ahead(row, far_rows);
  }

  const T* base_;
  const T* row_ = nullptr;
  const T* far_ = nullptr;
  Index3 strides_;
  Index component_stride_;
  Box box_;
  bool fetches_;
};

/// Outputs: stores are deferred until all planes are evaluated, so that loads are shared.
template <Access A, class T, int C, int N, int Planes, Axis Unit, Lead L>
class Cursor<FieldParameter<A, T, C>, N, Planes, Unit, L> {
  static constexpr auto order = order_of(Unit);
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
        streaming_(call.streaming),
        keeps_ends_(call.keeps_ends) {}

  GOBAN_INLINE void start(const RowPosition& row) {
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

  template <int Plane>
  GOBAN_INLINE void store(Index i, const Slots& slots) const {
    T* to = to_ + offset_ + Plane * strides_[order[2]] + i;
    const bool whole = i >= low_[Plane] && i + N <= high_[Plane];
    if (whole && !mask_) [[likely]] {
      if (streaming_ && !(keeps_ends_ && (i < low_[Plane] + N || i + 2 * N > high_[Plane]))) {
        unroll<C>([&](auto c) {
          store_streaming(to + c * component_stride_, slots.value[c]);
        });
      } else {
        unroll<C>([&](auto c) { goban::store(to + c * component_stride_, slots.value[c]); });
      }
    } else {
      store_some<Plane>(i, to, slots);
    }
  }

 private:
  template <int Plane>
  [[gnu::noinline]] void store_some(Index i, T* to, const Slots& slots) const {
    const int first = static_cast<int>(std::max<Index>(low_[Plane] - i, 0));
    const int last = static_cast<int>(std::min<Index>(high_[Plane] - i, N));
    if (first >= last) return;
    for (int c = 0; c < C; ++c) {
      Value value = slots.value[c];
      T* cell = to + c * component_stride_;
      if (mask_) {
        const auto& s = mask_->stride;
        const auto* mask = reinterpret_cast<const std::uint8_t*>(mask_->read) +
                           position_.middle * s[order[1]] +
                           (position_.slow + Plane) * s[order[2]] + i;
        value = select(load<N>(mask) != std::uint8_t{0}, value, load<N>(cell));
      }
      store_lanes(cell, value, first, last);
    }
  }

  const T* from_;
  T* to_;
  Index offset_ = 0;
  Index3 strides_;
  Index component_stride_;
  Box clip_;
  const FieldBinding* mask_;
  bool streaming_, keeps_ends_;
  RowPosition position_{};
  Index low_[Planes] = {}, high_[Planes] = {};
};

template <int N, int Planes, Axis Unit, Lead L>
class Cursor<SiteParameter, N, Planes, Unit, L> {
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
  template <int Plane>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  SiteInfo info_;
  RowPosition row_{};
};

template <class T, int N, int Planes, Axis Unit, Lead L>
class Cursor<ValueParameter<T>, N, Planes, Unit, L> {
 public:
  struct Slots {};
  Cursor(const SweepCall& call, std::size_t argument)
      : value_(static_cast<T>(call.values[argument])) {}
  GOBAN_INLINE void start(const RowPosition&) {}
  template <int Plane>
  GOBAN_INLINE auto accessor(Index, Slots&) const {
    return ValueAccessor<T>{value_};
  }
  template <int Plane>
  GOBAN_INLINE void store(Index, const Slots&) const {}

 private:
  T value_;
};

/// Stands for the first parameter of a reduction: hands the values of the row to the reducer.
struct ReductionParameter {};

template <int N, int Planes, Axis Unit, Lead L>
class Cursor<ReductionParameter, N, Planes, Unit, L> {
  using Value = Pack<double, N>;

 public:
  struct Slots {
    Value value[1];
  };
  Cursor(const SweepCall& call, std::size_t) : reducer_(call.reducer) {}
  GOBAN_INLINE void start(const RowPosition& row) { row_ = row; }
  template <int Plane>
  GOBAN_INLINE auto accessor(Index, Slots& slots) const {
    return Writer<double, 1, N>(slots.value);
  }
  template <int Plane>
  GOBAN_INLINE void store(Index i, const Slots& slots) const {
    double values[N];
    goban::store(values, slots.value[0]);
    const Index first = std::max<Index>(row_.low - i, 0);
    const Index last = std::min<Index>(row_.high - i, N);
    reducer_->add(values + first, last - first);
  }

 private:
  Reducer* reducer_;
  RowPosition row_{};
};

}  // namespace goban::cpu
