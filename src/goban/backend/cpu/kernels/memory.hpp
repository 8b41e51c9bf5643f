#pragma once
// Packs from and to memory, at any address. Half-precision elements become float on the way, by
// instructions where the processor has them, with the same bits otherwise.

#include "functions.hpp"

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

GOBAN_DEVICE float float_of_half(uint16 half) {
  const uint32 sign = static_cast<uint32>(half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) {
    const uint32 quiet = rest > 0x7c00u ? 0x00400000u : 0;
    return __builtin_bit_cast(float, sign | 0x7f800000u | (rest & 0x03ffu) << 13 | quiet);
  }
  if (rest >= 0x0400u) return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000u));
  const float value = static_cast<float>(static_cast<int>(rest)) * 0x1p-24f;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32, value) | sign);
}
GOBAN_DEVICE uint16 half_of_float(float value) {
  const uint32 bits = __builtin_bit_cast(uint32, value), sign = bits >> 16 & 0x8000u;
  const uint32 rest = bits & 0x7fffffffu;
  uint32 result = 0;
  if (rest > 0x7f800000u) {
    result = 0x7e00u | (rest >> 13 & 0x03ffu);
  } else if (rest >= 0x477ff000u) {
    result = 0x7c00u;
  } else if (rest >= 0x38800000u) {
    const uint32 moved = rest - 0x38000000u;
    result = (moved + 0x0fffu + (moved >> 13 & 1u)) >> 13;
  } else {
    // Adding 1/2 rounds to multiples of 2^-24.
    const float sum = __builtin_bit_cast(float, rest) + 0.5f;
    result = __builtin_bit_cast(uint32, sum) - 0x3f000000u;
  }
  return static_cast<uint16>(sign | result);
}

template <int N>
GOBAN_DEVICE Pack<float, N> floats_of_halves(const Vector<uint16, N>& halves) {
#ifdef __F16C__
  if constexpr (N == 4) {
    Pack<float, 4> result;
    asm("vcvtph2ps %1, %0" : "=x"(result.raw) : "x"(halves));
    return result;
  } else if constexpr (N == 8) {
    Pack<float, 8> result;
    asm("vcvtph2ps %1, %0" : "=x"(result.raw) : "x"(halves));
    return result;
#ifdef __AVX512F__
  } else if constexpr (N == 16) {
    Pack<float, 16> result;
    asm("vcvtph2ps %1, %0" : "=v"(result.raw) : "v"(halves));
    return result;
#endif
  }
#endif
  Pack<float, N> result;
  for (int i = 0; i < N; ++i) {
#ifdef __aarch64__
    result.raw[i] = static_cast<float>(__builtin_bit_cast(__fp16, halves[i]));
#else
    result.raw[i] = float_of_half(halves[i]);
#endif
  }
  return result;
}
template <int N>
GOBAN_DEVICE Vector<uint16, N> halves_of_floats(const Pack<float, N>& values) {
#ifdef __F16C__
  if constexpr (N == 8) {
    Vector<uint16, 8> result;
    asm("vcvtps2ph $0, %1, %0" : "=x"(result) : "x"(values.raw));
    return result;
#ifdef __AVX512F__
  } else if constexpr (N == 16) {
    Vector<uint16, 16> result;
    asm("vcvtps2ph $0, %1, %0" : "=v"(result) : "v"(values.raw));
    return result;
#endif
  }
#endif
  Vector<uint16, N> result;
  for (int i = 0; i < N; ++i) {
#ifdef __aarch64__
    result[i] = __builtin_bit_cast(uint16, static_cast<__fp16>(values.raw[i]));
#else
    result[i] = half_of_float(values.raw[i]);
#endif
  }
  return result;
}
/// The values that come back from memory once stored in half precision.
template <int N>
GOBAN_DEVICE Pack<float, N> stored_as_half(const Pack<float, N>& values) {
  return floats_of_halves<N>(halves_of_floats(values));
}

template <class S>
struct StoredOf {
  using Type = S;
};
template <>
struct StoredOf<half> {
  using Type = uint16;
};
template <class S, int N>
using Unaligned = typename VectorOf<typename StoredOf<S>::Type, N>::Unaligned;

/// The N elements from p on.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> load(const S* p) {
  const auto& stored = *reinterpret_cast<const Unaligned<S, N>*>(p);
  if constexpr (same<S, half>) {
    return floats_of_halves<N>(static_cast<Vector<uint16, N>>(stored));
  } else {
    return Pack<S, N>(static_cast<Vector<S, N>>(stored));
  }
}

/// Writes the N elements from p on; `Streaming`: past the caches, for results that are not read
/// soon, p being a multiple of the bytes written.
template <bool Streaming, class S, int N>
GOBAN_DEVICE void store(S* p, const Pack<Arithmetic<S>, N>& values) {
  Vector<typename StoredOf<S>::Type, N> stored;
  if constexpr (same<S, half>) {
    stored = halves_of_floats(values);
  } else {
    stored = values.raw;
  }
  constexpr int bytes = sizeof(stored);
  if constexpr (!Streaming || bytes < 16) {
    *reinterpret_cast<Unaligned<S, N>*>(p) = stored;
  } else {
    constexpr int at_once = bytes < register_bytes ? bytes : register_bytes;
    using Part = Vector<float, at_once / 4>;
    struct Parts {
      Part part[bytes / at_once];
    };
    const Parts parts = __builtin_bit_cast(Parts, stored);
    for (int i = 0; i < bytes / at_once; ++i) {
      auto* const to = reinterpret_cast<Part*>(p) + i;
#ifdef __clang__
      __builtin_nontemporal_store(parts.part[i], to);
#elif defined(__AVX512F__)
      if constexpr (at_once == 64) {
        __builtin_ia32_movntps512(reinterpret_cast<float*>(to), parts.part[i]);
      } else if constexpr (at_once == 32) {
        __builtin_ia32_movntps256(reinterpret_cast<float*>(to), parts.part[i]);
      } else {
        __builtin_ia32_movntps(reinterpret_cast<float*>(to), parts.part[i]);
      }
#elif defined(__AVX__)
      if constexpr (at_once == 32) {
        __builtin_ia32_movntps256(reinterpret_cast<float*>(to), parts.part[i]);
      } else {
        __builtin_ia32_movntps(reinterpret_cast<float*>(to), parts.part[i]);
      }
#elif defined(__SSE2__)
      __builtin_ia32_movntps(reinterpret_cast<float*>(to), parts.part[i]);
#else
      *to = parts.part[i];
#endif
    }
  }
}

/// The line that holds `address` comes into a cache of this core: the first, or the second.
template <int Level>
GOBAN_DEVICE void fetch(const void* address) {
#ifdef __aarch64__
  if constexpr (Level == 1) asm volatile("prfm pldl1keep, %a0" : : "p"(address));
  if constexpr (Level != 1) asm volatile("prfm pldl2keep, %a0" : : "p"(address));
#else
  const char& line = *static_cast<const char*>(address);
  if constexpr (Level == 1) asm volatile("prefetcht0 %0" : : "m"(line));
  if constexpr (Level != 1) asm volatile("prefetcht1 %0" : : "m"(line));
#endif
}

}  // namespace goban::device
