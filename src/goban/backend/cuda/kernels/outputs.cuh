#pragma once
// Stores what the functor made of one field: its cells, the cells that a mask leaves, and the halos
// of other patches, of other devices, too.

#include "cells.cuh"

namespace goban::device {

/// Planes of arguments of more components are sent as copies.
inline constexpr int most_components_sent = 4;
constexpr bool sends_ends(int components) {
  return components > most_components_sent && components <= 32;
}

/// The N cells along the row are plain ones; see SweepCommon.
template <int N>
GOBAN_DEVICE bool is_plain(const SweepCommon& a, int fast, int middle, int slow) {
  return fast >= a.plain_low[0] && fast + N <= a.plain_high[0] && middle >= a.plain_low[1] &&
         middle < a.plain_high[1] && slow >= a.plain_low[2] && slow < a.plain_high[2];
}

/// Elements from component 0 to component c of an argument.
template <int Position, bool InPlace, class Arguments>
GOBAN_DEVICE Index component_offset(const Arguments& a, int c) {
  if constexpr (InPlace) {
    return a.place[Position][c];
  } else {
    return c * a.field[Position].component;
  }
}

/// Argument Position: C components stored as S, N cells a pack.
template <class S, int C, int N, int Position, bool InPlace>
struct Output {
  using Value = Pack<Arithmetic<S>, N>;

  template <class Arguments>
  static GOBAN_DEVICE S* cell(const Arguments& a, const Place& at) {
    return cell_of<S>(a.field[Position], a.field[Position].write, at);
  }

  // In place others write to the same lines meanwhile: nothing is written past the caches.
  static GOBAN_DEVICE void put(S* to, const Value& value) { device::store(to, value); }

  /// Stores the values of a pack of plain cells.
  template <class Arguments>
  static GOBAN_DEVICE void store_plain(const Arguments& a, const Place& at, S* cell, int row,
                                       int plane, const Value (&values)[C]) {
    const FieldView& f = a.field[Position];
    S* to = cell + row * static_cast<Index>(f.middle) + plane * f.slow;
    unroll<C>([&](auto c) { put(to + component_offset<Position, InPlace>(a, c), values[c]); });
    send_ends_at_hand(a, at, to, values, 0, N);
  }

  /// `are_plain`: nothing is to be told apart.
  template <class Arguments>
  static GOBAN_DEVICE void store(const Arguments& a, const Place& at, S* cell, int row, int plane,
                                 const Value (&values)[C], bool are_plain = false) {
    const FieldView& f = a.field[Position];
    const SweepCommon& common = a.common;
    const int m = at.middle + row, s = at.slow + plane;
    S* to = cell + row * static_cast<Index>(f.middle) + plane * f.slow;
    const auto component = [&](int c) { return component_offset<Position, InPlace>(a, c); };
    if (!are_plain) {
      if (m < f.low[1] || m >= f.high[1] || s < f.low[2] || s >= f.high[2]) return;
      const int low = max(common.low[0], f.low[0]) - at.fast;
      const int high = min(common.high[0], f.high[0]) - at.fast;
      if (low > 0 || high < N || common.mask.read) {
        const int first = max(low, 0), last = min(high, N);
        send(a, m, s, to, values, first, last);
        uint32 kept = last > first ? ((2u << (last - 1)) - 1) & ~((1u << first) - 1) : 0;
        if (const uint8* mask = common.mask.read) {
          mask += at.fast + m * static_cast<Index>(common.mask.middle) + s * common.mask.slow;
          unroll<N>([&](auto i) {
            if (i >= first && i < last && mask[i] == 0) kept &= ~(1u << i);
          });
        }
        unroll<C>([&](auto c) { store_kept(to + component(c), values[c], kept); });
        send_ends_at_hand(a, at, to, values, first, last);
        send_ends(a, at, to, first, last);
        return;
      }
    }
    unroll<C>([&](auto c) { put(to + component(c), values[c]); });
    if (!are_plain) send(a, m, s, to, values, 0, N);
    send_ends_at_hand(a, at, to, values, 0, N);
    if (!are_plain) send_ends(a, at, to, 0, N);
  }

  /// Sends the ends of a row in place to its other end: by the threads of the row together, once it
  /// is written, as others read these cells until then.
  template <class Arguments>
  static GOBAN_DEVICE void send_row_ends(const Arguments& a, const Place& at) {
    if constexpr (sends_ends(C) && InPlace) {
      S* row = cell(a, {0, at.middle, at.slow});
      for (int c = static_cast<int>(threadIdx.x); c < C; c += static_cast<int>(blockDim.x)) {
        const S* from = row + a.place[Position][c];
        for (const SendView& view : a.ends_sent[Position]) {
          if ((view.components >> c & 1u) == 0) continue;
          S* to = shifted(from, view.shift);
          for (int i = view.first; i < view.last; ++i) to[i] = from[i];
        }
      }
    }
  }

 private:
  static GOBAN_DEVICE S* shifted(const S* from, Index bytes) {
    return reinterpret_cast<S*>(
        const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(from)) + bytes);
  }

  /// Lanes low ... high-1 once more where the row or the plane is sent. Without a fence, which
  /// would cost more than the stores: when the next kernel of the queue starts, and tells others,
  /// all has arrived.
  template <class Arguments>
  static GOBAN_DEVICE void send(const Arguments& a, int row, int plane, const S* from,
                                const Value (&values)[C], int low, int high) {
    if constexpr (Arguments::has_sends && C <= most_components_sent && !InPlace) {
#pragma unroll 1  // few packs come here, with lanes told apart it is much code
      for (int n = 0; n < 4; ++n) {
        const SendView& view = a.sent[Position][n];
        const int at = n < 2 ? plane : row;
        if (at < view.first || at >= view.last) continue;
        S* to = shifted(from, view.shift);
        unroll<C>([&](auto c) {
          if ((view.components >> c & 1u) == 0) return;
          if (low <= 0 && high >= N) {
            store_streaming(to + c * view.component, values[c]);
          } else {
            store_lanes(to + c * view.component, values[c], low, high);
          }
        });
      }
    }
  }

  /// Lanes low ... high-1 once more where the end of the row is sent, whole sectors of memory where
  /// there is room for them.
  template <class Arguments>
  static GOBAN_DEVICE void send_ends_at_hand(const Arguments& a, const Place& at, const S* row,
                                             const Value (&values)[C], int low, int high) {
    if constexpr (row_ends_sent && C <= most_components_sent && !InPlace) {
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const SendView& view = a.ends_sent[Position][side];
        const int first = max(view.first - at.fast, low), last = min(view.last - at.fast, high);
        if (first >= last) continue;
        unroll<C>([&](auto c) {
          if ((view.components >> c & 1u) == 0) return;
          S* to = shifted(row + component_offset<Position, false>(a, c), view.shift);
          if (first <= 0 && last >= N && view.shift % static_cast<Index>(sizeof(S) * N) == 0) {
            device::store(to, values[c]);
          } else {
            store_lanes(to, values[c], first, last);
          }
        });
      }
    }
  }

  /// The same of fields of many components, from memory: values that are kept for it would fill
  /// registers.
  template <class Arguments>
  static GOBAN_DEVICE void send_ends(const Arguments& a, const Place& at, const S* row, int low,
                                     int high) {
    if constexpr (Arguments::has_sends && sends_ends(C) && !InPlace) {
#pragma unroll 1
      for (const SendView& view : a.ends_sent[Position]) {
        const int first = max(view.first - at.fast, low), last = min(view.last - at.fast, high);
        if (first >= last) continue;
#pragma unroll 1
        for (int c = 0; c < C; ++c) {
          if ((view.components >> c & 1u) == 0) continue;
          const S* from = row + component_offset<Position, false>(a, c);
          S* to = shifted(from, view.shift);
          for (int i = first; i < last; ++i) to[i] = from[i];
        }
      }
    }
  }
};

}  // namespace goban::device
