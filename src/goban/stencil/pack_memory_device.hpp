#pragma once
// See pack_memory.hpp. Packs lie at multiples of their size, so that each is moved by instructions
// of up to 16 bytes.

#include "goban/base/types.hpp"
#include "goban/stencil/pack_convert.hpp"

namespace goban {

namespace detail {

/// N stored elements as they move between memory and registers.
template <std::size_t Bytes>
struct Chunk;
template <>
struct Chunk<1> {
  using Type = std::uint8_t;
};
template <>
struct Chunk<2> {
  using Type = std::uint16_t;
};
template <>
struct Chunk<4> {
  using Type = std::uint32_t;
};
template <>
struct Chunk<8> {
  using Type = uint2;
};
template <std::size_t Bytes>
requires(Bytes >= 16) struct Chunk<Bytes> {
  using Type = uint4;
};

template <class S, int N>
struct Stored {
  static constexpr std::size_t bytes = sizeof(S) * N;
  using Part = typename Chunk<bytes>::Type;
  static constexpr int parts = static_cast<int>(bytes / sizeof(Part));
  Part part[parts];
};

GOBAN_INLINE float float_of_half(std::uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
GOBAN_INLINE std::uint16_t half_of_float(float value) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

template <class S>
using StoredLane = std::conditional_t<std::same_as<S, half>, std::uint16_t, S>;

template <class S, int N>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> from_stored(const Stored<S, N>& stored) {
  Pack<ArithmeticOf<S>, N> result;
  if constexpr (std::same_as<S, half> || N == 1) {
    StoredLane<S> lanes[N];
    memcpy(lanes, &stored, sizeof(lanes));
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if constexpr (std::same_as<S, half>) {
        result.set_lane(i, float_of_half(lanes[i]));
      } else {
        result.set_lane(i, lanes[i]);
      }
    }
  } else {
    memcpy(&result.raw, &stored, sizeof(stored));
  }
  return result;
}

template <class S, int N>
GOBAN_INLINE Stored<S, N> to_stored(const Pack<ArithmeticOf<S>, N>& values) {
  Stored<S, N> stored;
  if constexpr (std::same_as<S, half>) {
    std::uint16_t lanes[N];
#pragma unroll
    for (int i = 0; i < N; ++i) lanes[i] = half_of_float(values.lane(i));
    memcpy(&stored, lanes, sizeof(stored));
  } else {
    memcpy(&stored, &values.raw, sizeof(stored));
  }
  return stored;
}

}  // namespace detail

/// The values that come back from memory once stored as S.
template <class S, int N>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> as_stored(const Pack<ArithmeticOf<S>, N>& values) {
  return detail::from_stored<S, N>(detail::to_stored<S, N>(values));
}

/// The N elements from p on.
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load(const S* p) {
  detail::Stored<S, N> stored;
  using Part = typename detail::Stored<S, N>::Part;
#pragma unroll
  for (int i = 0; i < stored.parts; ++i) stored.part[i] = reinterpret_cast<const Part*>(p)[i];
  return detail::from_stored<S, N>(stored);
}

/// The same of memory that nobody writes meanwhile.
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_constant(const S* p) {
  detail::Stored<S, N> stored;
  using Part = typename detail::Stored<S, N>::Part;
#pragma unroll
  for (int i = 0; i < stored.parts; ++i) {
    stored.part[i] = __ldg(reinterpret_cast<const Part*>(p) + i);
  }
  return detail::from_stored<S, N>(stored);
}

template <class S, int N>
GOBAN_INLINE void store(S* p, const Pack<ArithmeticOf<S>, N>& values) {
  const auto stored = detail::to_stored<S, N>(values);
  using Part = typename detail::Stored<S, N>::Part;
#pragma unroll
  for (int i = 0; i < stored.parts; ++i) reinterpret_cast<Part*>(p)[i] = stored.part[i];
}

/// Results that are not read soon.
template <class S, int N>
GOBAN_INLINE void store_streaming(S* p, const Pack<ArithmeticOf<S>, N>& values) {
  const auto stored = detail::to_stored<S, N>(values);
  using Part = typename detail::Stored<S, N>::Part;
#pragma unroll
  for (int i = 0; i < stored.parts; ++i) __stcs(reinterpret_cast<Part*>(p) + i, stored.part[i]);
}

/// Writes the elements of lanes first ... last-1 alone, each to p[lane].
template <class S, int N>
GOBAN_INLINE void store_lanes(S* p, const Pack<ArithmeticOf<S>, N>& values, int first, int last) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (i < first || i >= last) continue;
    if constexpr (std::same_as<S, half>) {
      p[i].bits = detail::half_of_float(values.lane(i));
    } else {
      p[i] = values.lane(i);
    }
  }
}

}  // namespace goban
