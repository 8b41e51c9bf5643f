#pragma once
// One argument of a sweep in one thread: makes the functor's accessor for the packs of a few rows
// and planes and stores what the functor left in its slots.

#include "goban/backend/cuda/halo_stores.cuh"
#include "goban/backend/cuda/kernel_shape.hpp"
#include "goban/backend/cuda/reader.cuh"
#include "goban/backend/cuda/sweep_arguments.hpp"
#include "goban/stencil/parameters.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cuda {

/// Fastest, middle and slowest axis of fields whose packs run along `unit`.
constexpr int axis_of(Axis unit, int position) {
  return unit == Axis::z ? kij::order[position] : ijk::order[position];
}

/// The first cell of a thread.
struct Place {
  int fast, middle, slow;
};

/// The N cells along the row are plain ones.
template <int N, class Arguments>
GOBAN_INLINE bool is_plain(const Arguments& a, int fast, int middle, int slow) {
  return fast >= a.plain_low[0] && fast + N <= a.plain_high[0] && middle >= a.plain_low[1] &&
         middle < a.plain_high[1] && slow >= a.plain_low[2] && slow < a.plain_high[2];
}

/// What cursors share that only read.
struct StoresNothing {
  template <int Row, int Plane, class Arguments, class Slots>
  GOBAN_INLINE void store(const Arguments&, const Slots&) const {}
  template <int Row, int Plane, class Arguments, class Slots>
  GOBAN_INLINE void store_plain(const Arguments&, const Slots&) const {}
  template <class Arguments>
  GOBAN_INLINE void send_row_ends(const Arguments&) const {}
};

template <class P, int N, Axis Unit>
class Cursor;

template <class T, class Arguments>
GOBAN_INLINE ComponentOffset<T> component_offset(const Arguments& a, int position) {
  if constexpr (is_in_place<T>) {
    return a.places.offset[position];
  } else {
    return a.field[position].component;
  }
}

template <class T, int C, int N, Axis Unit>
class Cursor<FieldParameter<Access::in, T, C>, N, Unit> : public StoresNothing {
 public:
  struct Slots {};
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments& a, int position, const Place& at) {
    const FieldView& f = a.field[position];
    cell_ = reinterpret_cast<const T*>(f.read) + at.fast +
            at.middle * static_cast<Index>(f.middle) + at.slow * f.slow;
    slow_ = f.slow;
    component_ = component_offset<T>(a, position);
    middle_ = f.middle;
  }
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments&, Slots&) const {
    return Reader<T, C, N, Unit, Row, Plane>(cell_, middle_, slow_, component_);
  }

 private:
  const T* cell_;
  Index slow_;
  ComponentOffset<T> component_;
  int middle_;
};

template <Access A, class T, int C, int N, Axis Unit>
class Cursor<FieldParameter<A, T, C>, N, Unit> {
  using Value = Pack<ArithmeticOf<T>, N>;

 public:
  struct Slots {
    Value value[C];
  };
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments& a, int position, const Place& at)
      : position_(position), at_(at) {
    const FieldView& f = a.field[position];
    cell_ = reinterpret_cast<T*>(f.write) + at.fast + at.middle * static_cast<Index>(f.middle) +
            at.slow * f.slow;
  }
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments& a, Slots& slots) const {
    if constexpr (A == Access::inout) {
      const FieldView& f = a.field[position_];
      const T* from = cell_ + Row * static_cast<Index>(f.middle) + Plane * f.slow;
      unroll<C>(
          [&](auto c) { slots.value[c] = load<N>(from + component_offset<T>(a, position_)(c)); });
      return ReadWriter<T, C, N>(slots.value);
    } else {
      return Writer<T, C, N>(slots.value);
    }
  }

  /// Of a pack of plain cells; see SweepArguments.
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE void store_plain(const Arguments& a, const Slots& slots) const {
    const FieldView& f = a.field[position_];
    T* to = cell_ + Row * static_cast<Index>(f.middle) + Plane * f.slow;
    unroll<C>(
        [&](auto c) { goban::store(to + component_offset<T>(a, position_)(c), slots.value[c]); });
  }

  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE void store(const Arguments& a, const Slots& slots) const {
    const FieldView& f = a.field[position_];
    const int m = at_.middle + Row, s = at_.slow + Plane;
    if (m < f.low[1] || m >= f.high[1] || s < f.low[2] || s >= f.high[2]) return;
    const int low = max(a.low[0], f.low[0]) - at_.fast, high = min(a.high[0], f.high[0]) - at_.fast;
    T* to = cell_ + Row * static_cast<Index>(f.middle) + Plane * f.slow;
    const auto component = [&](auto c) { return component_offset<T>(a, position_)(c); };
    if (low <= 0 && high >= N && !a.mask.read) {
      unroll<C>([&](auto c) { goban::store(to + component(c), slots.value[c]); });
      send(a, s, to, slots, 0, N);
      send_ends(a, to, 0, N);
      return;
    }
    send(a, s, to, slots, max(low, 0), min(high, N));
    const auto* mask = reinterpret_cast<const std::uint8_t*>(a.mask.read);
    if (mask) mask += at_.fast + m * static_cast<Index>(a.mask.middle) + s * a.mask.slow;
    unroll<C>([&](auto c) {
      if (!mask) return store_lanes(to + component(c), slots.value[c], low, high);
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (mask[i] != 0) {
          store_lanes(to + component(c), slots.value[c], max(low, i), min(high, i + 1));
        }
      }
    });
    send_ends(a, to, max(low, 0), min(high, N));
  }

  /// In place, by the threads of a row together once it is written: its ends, which others read
  /// until then, to the other end.
  template <class Arguments>
  GOBAN_INLINE void send_row_ends(const Arguments& a) const {
    if constexpr (sends_ends(C) && is_in_place<T>) {
      for (int c = static_cast<int>(threadIdx.x); c < C; c += static_cast<int>(blockDim.x)) {
        T* row = cell_ - at_.fast + a.places.offset[position_][c];
        for (const SendView& view : a.ends_sent[position_]) {
          if ((view.components >> c & 1u) == 0) continue;
          T* to = reinterpret_cast<T*>(reinterpret_cast<std::byte*>(row) + view.shift);
          for (int i = view.first; i < view.last; ++i) to[i] = row[i];
        }
      }
    }
  }

 private:
  /// Lanes low ... high-1 once more where the plane is sent.
  template <class Arguments>
  GOBAN_INLINE void send(const Arguments& a, int plane, T* from, const Slots& slots, int low,
                         int high) const {
    if constexpr (C <= most_components_sent && !is_in_place<T>) {
      store_in_halos<C, N>(a.planes_sent[position_], plane, from, slots.value, low, high);
    }
  }

  /// Lanes low ... high-1 once more where the end of the row is sent; from memory, since values
  /// that are kept for it would fill registers.
  template <class Arguments>
  GOBAN_INLINE void send_ends(const Arguments& a, const T* row, int low, int high) const {
    if constexpr (sends_ends(C) && !is_in_place<T>) {
#pragma unroll 1
      for (const SendView& view : a.ends_sent[position_]) {
        const int first = max(view.first - at_.fast, low), last = min(view.last - at_.fast, high);
        if (first >= last) continue;
#pragma unroll 1
        for (int c = 0; c < C; ++c) {
          if ((view.components >> c & 1u) == 0) continue;
          const T* from = row + component_offset<T>(a, position_)(c);
          T* to = reinterpret_cast<T*>(
              const_cast<std::byte*>(reinterpret_cast<const std::byte*>(from)) + view.shift);
          for (int i = first; i < last; ++i) to[i] = from[i];
        }
      }
    }
  }

  int position_;
  Place at_;
  T* cell_;
};

template <int N, Axis Unit>
class Cursor<SiteParameter, N, Unit> : public StoresNothing {
 public:
  struct Slots {
    SiteInfo info;
  };
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments&, int, const Place& at) : at_(at) {}
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments& a, Slots& slots) const {
    slots.info = a.site;
    slots.info.index[axis_of(Unit, 0)] += at_.fast;
    slots.info.index[axis_of(Unit, 1)] += at_.middle + Row;
    slots.info.index[axis_of(Unit, 2)] += at_.slow + Plane;
    return SiteAccessor<N, Unit>(slots.info);
  }

 private:
  Place at_;
};

template <class T, int N, Axis Unit>
class Cursor<ValueParameter<T>, N, Unit> : public StoresNothing {
 public:
  struct Slots {};
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments& a, int position, const Place&)
      : value_(static_cast<T>(a.value[position])) {}
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments&, Slots&) const {
    return ValueAccessor<T>{value_};
  }

 private:
  T value_;
};

template <int N, Axis Unit>
class Cursor<ReductionParameter, N, Unit> {
 public:
  struct Slots {
    Pack<double, N> value[1];
  };
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments&, int, const Place&) {}
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments&, Slots& slots) const {
    return Writer<double, 1, N>(slots.value);
  }
};

}  // namespace goban::cuda
