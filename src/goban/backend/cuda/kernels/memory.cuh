#pragma once
// Packs from and to memory. They lie at multiples of their size, so that each is moved by
// instructions of up to 16 bytes. Half-precision elements become float on the way.

#include "division.cuh"

namespace goban::device {

/// IEEE binary16 in memory.
struct half {
  uint16 bits;
};

template <class S>
struct ArithmeticTypeOf {
  using Type = S;
};
template <>
struct ArithmeticTypeOf<half> {
  using Type = float;
};
/// What is computed with where S is stored.
template <class S>
using Arithmetic = typename ArithmeticTypeOf<S>::Type;

template <int Bytes>
struct ChunkOf {
  using Type = uint4;
};
template <>
struct ChunkOf<1> {
  using Type = uint8;
};
template <>
struct ChunkOf<2> {
  using Type = uint16;
};
template <>
struct ChunkOf<4> {
  using Type = uint32;
};
template <>
struct ChunkOf<8> {
  using Type = uint2;
};

/// N stored elements as they move between memory and registers.
template <class S, int N>
struct Stored {
  static constexpr int bytes = static_cast<int>(sizeof(S)) * N;
  using Part = typename ChunkOf<bytes>::Type;
  static constexpr int parts = bytes / static_cast<int>(sizeof(Part));
  Part part[parts];
};

GOBAN_DEVICE float float_of_half(uint16 bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
GOBAN_DEVICE uint16 half_of_float(float value) {
  uint16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

/// Two halves are a register.
GOBAN_DEVICE Pack<float, 2> floats_of_halves(uint32 word) {
  return {{float_of_half(static_cast<uint16>(word))},
          {float_of_half(static_cast<uint16>(word >> 16))}};
}
GOBAN_DEVICE uint32 halves_of_floats(float low, float high) {
  uint32 word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

template <class S, int N>
GOBAN_DEVICE Pack<Arithmetic<S>, N> from_stored(const Stored<S, N>& stored) {
  if constexpr (!same<S, half>) {
    Pack<S, N> result;
    memcpy(&result, &stored, sizeof(stored));
    return result;
  } else if constexpr (N == 1) {
    return {float_of_half(stored.part[0])};
  } else if constexpr (N == 2) {
    return floats_of_halves(stored.part[0]);
  } else if constexpr (N == 4) {
    return {floats_of_halves(stored.part[0].x), floats_of_halves(stored.part[0].y)};
  } else {
    static_assert(N == 8);
    return {{floats_of_halves(stored.part[0].x), floats_of_halves(stored.part[0].y)},
            {floats_of_halves(stored.part[0].z), floats_of_halves(stored.part[0].w)}};
  }
}

template <class S, int N>
GOBAN_DEVICE Stored<S, N> to_stored(const Pack<Arithmetic<S>, N>& values) {
  Stored<S, N> stored;
  if constexpr (!same<S, half>) {
    memcpy(&stored, &values, sizeof(stored));
  } else if constexpr (N == 1) {
    stored.part[0] = half_of_float(values[0]);
  } else if constexpr (N == 2) {
    stored.part[0] = halves_of_floats(values[0], values[1]);
  } else if constexpr (N == 4) {
    stored.part[0] = {halves_of_floats(values[0], values[1]),
                      halves_of_floats(values[2], values[3])};
  } else {
    static_assert(N == 8);
    stored.part[0] = {
        halves_of_floats(values[0], values[1]), halves_of_floats(values[2], values[3]),
        halves_of_floats(values[4], values[5]), halves_of_floats(values[6], values[7])};
  }
  return stored;
}

/// The values that come back from memory once stored in half precision.
template <int N>
GOBAN_DEVICE Pack<float, N> stored_as_half(const Pack<float, N>& values) {
  return each<float, N>([](float x) { return float_of_half(half_of_float(x)); }, values);
}

/// The N elements from p on.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> load(const S* p) {
  Stored<S, N> stored;
  using Part = typename Stored<S, N>::Part;
  unroll<Stored<S, N>::parts>(
      [&](auto i) { stored.part[i] = reinterpret_cast<const Part*>(p)[i]; });
  return from_stored<S, N>(stored);
}

/// The same of memory that nobody writes meanwhile.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> load_constant(const S* p) {
  Stored<S, N> stored;
  using Part = typename Stored<S, N>::Part;
  unroll<Stored<S, N>::parts>(
      [&](auto i) { stored.part[i] = __ldg(reinterpret_cast<const Part*>(p) + i); });
  return from_stored<S, N>(stored);
}

template <class S, int N>
GOBAN_DEVICE void store(S* p, const Pack<Arithmetic<S>, N>& values) {
  const auto stored = to_stored<S, N>(values);
  using Part = typename Stored<S, N>::Part;
  unroll<Stored<S, N>::parts>([&](auto i) { reinterpret_cast<Part*>(p)[i] = stored.part[i]; });
}

/// Results that are not read soon.
template <class S, int N>
GOBAN_DEVICE void store_streaming(S* p, const Pack<Arithmetic<S>, N>& values) {
  const auto stored = to_stored<S, N>(values);
  using Part = typename Stored<S, N>::Part;
  unroll<Stored<S, N>::parts>(
      [&](auto i) { __stcs(reinterpret_cast<Part*>(p) + i, stored.part[i]); });
}

template <class S, int N, int Lane>
GOBAN_DEVICE void store_lane(S* p, const Pack<Arithmetic<S>, N>& values) {
  if constexpr (same<S, half>) {
    p[Lane].bits = half_of_float(values[Lane]);
  } else {
    p[Lane] = values[Lane];
  }
}

/// Writes the elements of lanes with a bit in `kept` alone, each to p[lane].
template <class S, int N>
GOBAN_DEVICE void store_kept(S* p, const Pack<Arithmetic<S>, N>& values, uint32 kept) {
  unroll<N>([&](auto i) {
    if ((kept >> i & 1u) != 0) store_lane<S, N, decltype(i)::value>(p, values);
  });
}

/// Writes the elements of lanes first ... last-1 alone, each to p[lane].
template <class S, int N>
GOBAN_DEVICE void store_lanes(S* p, const Pack<Arithmetic<S>, N>& values, int first, int last) {
  unroll<N>([&](auto i) {
    if (i >= first && i < last) store_lane<S, N, decltype(i)::value>(p, values);
  });
}

}  // namespace goban::device
