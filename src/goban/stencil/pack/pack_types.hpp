#pragma once
// Pack: the values of N neighbouring cells; Mask: one truth value for each of them.

#include <utility>

#include "goban/stencil/pack/promotion.hpp"
#include "goban/stencil/vector.hpp"

namespace goban {

/// N values of T, one per cell along the unit-stride axis. N is a power of two; N = 1 is the
/// scalar. Converts implicitly from a plain number, which all lanes then hold.
template <class T, int N>
struct Pack {
  static_assert(LaneType<T> && N >= 1 && (N & (N - 1)) == 0);
  using Value = T;
  using Raw = detail::Vector<T, N>;
  static constexpr int width = N;

  Raw raw;

  Pack() = default;
  GOBAN_INLINE explicit Pack(const Raw& r) requires(N > 1) : raw(r) {}
  template <Scalar S>
  GOBAN_INLINE Pack(S s) {
    const T value = static_cast<T>(s);
    if constexpr (N == 1) {
      raw = value;
    } else {
      raw = detail::all_lanes<Raw>(value);
    }
  }

  GOBAN_INLINE T lane(int i) const {
    if constexpr (N == 1) {
      return raw;
    } else {
      return raw[i];
    }
  }
  GOBAN_INLINE void set_lane(int i, T value) {
    if constexpr (N == 1) {
      raw = value;
    } else {
      detail::set_lane(raw, i, value);
    }
  }
};

template <class X>
inline constexpr bool is_pack = false;
template <class T, int N>
inline constexpr bool is_pack<Pack<T, N>> = true;

/// N truth values, from comparing packs whose elements have LaneBytes bytes.
template <int LaneBytes, int N>
struct Mask {
  using Raw = std::conditional_t<N == 1, bool, detail::Vector<detail::SignedOfSize<LaneBytes>, N>>;
  static constexpr int width = N;

  Raw raw;  ///< bool for N = 1, else all bits set or none

  Mask() = default;
  GOBAN_INLINE explicit Mask(const Raw& r) requires(N > 1) : raw(r) {}
  GOBAN_INLINE Mask(bool b) {
    if constexpr (N == 1) {
      raw = b;
    } else {
      raw = detail::all_lanes<Raw>(static_cast<detail::SignedOfSize<LaneBytes>>(b ? -1 : 0));
    }
  }

  GOBAN_INLINE bool lane(int i) const {
    if constexpr (N == 1) {
      return raw;
    } else {
      return raw[i] != 0;
    }
  }

  GOBAN_INLINE explicit operator bool() const {
    static_assert(N == 1,
                  "goban: a branch on the values of several cells; use select(mask, a, b), or "
                  "declare `static constexpr bool branches = true;` in the functor");
    return raw;
  }
};

/// All lanes hold `value`.
template <LaneType T, int N>
GOBAN_INLINE Pack<T, N> broadcast(T value) {
  return Pack<T, N>(value);
}

/// 0, 1, ..., N-1.
template <LaneType T, int N>
GOBAN_INLINE Pack<T, N> iota() {
  if constexpr (N == 1) {
    return Pack<T, N>(0);
  } else {
    return Pack<T, N>(detail::count_lanes<typename Pack<T, N>::Raw, T, N>());
  }
}

}  // namespace goban
