#pragma once
// Functions of IEEE 754 and of integers, of packs and of numbers that are the same for all cells.

#include "pack.hpp"

namespace goban::device {

/// The registers of the processor that this is compiled for.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// f of parts of packs that fill a register each.
template <class F, class T, int N, class... More>
GOBAN_DEVICE Pack<T, N> by_registers(F f, const Pack<T, N>& a, const More&... more) {
  constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));
  if constexpr (N <= lanes) {
    return f(a, more...);
  } else {
    struct Parts {
      Pack<T, lanes> part[N / lanes];
    };
    const auto parts_of = [](const Pack<T, N>& whole) { return __builtin_bit_cast(Parts, whole); };
    Parts result;
    for (int i = 0; i < N / lanes; ++i) {
      result.part[i] = f(parts_of(a).part[i], parts_of(more).part[i]...);
    }
    return __builtin_bit_cast(Pack<T, N>, result);
  }
}

GOBAN_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOBAN_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GOBAN_DEVICE float sqrt(float x) { return __builtin_sqrtf(x); }
GOBAN_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
GOBAN_DEVICE float floor(float x) { return __builtin_floorf(x); }
GOBAN_DEVICE double floor(double x) { return __builtin_floor(x); }
GOBAN_DEVICE float ceil(float x) { return __builtin_ceilf(x); }
GOBAN_DEVICE double ceil(double x) { return __builtin_ceil(x); }
template <class T>
GOBAN_DEVICE T reciprocal(T x) {
  return 1 / x;
}
template <class T>
GOBAN_DEVICE T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
GOBAN_DEVICE T max(T a, T b) {
  return a < b ? b : a;
}
GOBAN_DEVICE float abs(float x) { return __builtin_fabsf(x); }
GOBAN_DEVICE double abs(double x) { return __builtin_fabs(x); }
GOBAN_DEVICE int32 abs(int32 x) { return x < 0 ? -x : x; }
GOBAN_DEVICE int64 abs(int64 x) { return x < 0 ? -x : x; }
template <class T>
GOBAN_DEVICE T abs(T x) {
  return x;
}

/// a b + c, rounded once. g++ 12 multiplies and adds lane by lane unless it is told the
/// instruction.
template <class T, int N>
GOBAN_DEVICE Pack<T, N> fma(const Pack<T, N>& x, const Pack<T, N>& y, const Pack<T, N>& z) {
  return by_registers(
      []<int M>(const Pack<T, M>& a, const Pack<T, M>& b, const Pack<T, M>& c) {
        [[maybe_unused]] constexpr int bytes = sizeof(a.raw);
#if !defined(__clang__) && defined(__AVX512F__)
        if constexpr (bytes == 64 && same<T, float>) {
          return Pack<T, M>(__builtin_ia32_vfmaddps512_mask(a.raw, b.raw, c.raw, -1, 4));
        } else if constexpr (bytes == 64) {
          return Pack<T, M>(__builtin_ia32_vfmaddpd512_mask(a.raw, b.raw, c.raw, -1, 4));
        }
#endif
#if !defined(__clang__) && defined(__FMA__)
        if constexpr (bytes == 32 && same<T, float>) {
          return Pack<T, M>(__builtin_ia32_vfmaddps256(a.raw, b.raw, c.raw));
        } else if constexpr (bytes == 32) {
          return Pack<T, M>(__builtin_ia32_vfmaddpd256(a.raw, b.raw, c.raw));
        } else if constexpr (bytes == 16 && same<T, float>) {
          return Pack<T, M>(__builtin_ia32_vfmaddps(a.raw, b.raw, c.raw));
        } else if constexpr (bytes == 16) {
          return Pack<T, M>(__builtin_ia32_vfmaddpd(a.raw, b.raw, c.raw));
        }
#endif
        return each<T, M>([](T u, T v, T w) { return device::fma(u, v, w); }, a, b, c);
      },
      x, y, z);
}

template <class T, int N>
GOBAN_DEVICE Pack<T, N> sqrt(const Pack<T, N>& x) {
  return by_registers(
      []<int M>(const Pack<T, M>& a) {
        [[maybe_unused]] constexpr int bytes = sizeof(a.raw);
#if !defined(__clang__) && defined(__AVX512F__)
        if constexpr (bytes == 64 && same<T, float>) {
          return Pack<T, M>(__builtin_ia32_sqrtps512_mask(a.raw, a.raw, -1, 4));
        } else if constexpr (bytes == 64) {
          return Pack<T, M>(__builtin_ia32_sqrtpd512_mask(a.raw, a.raw, -1, 4));
        }
#endif
#if !defined(__clang__) && defined(__AVX__)
        if constexpr (bytes == 32 && same<T, float>) {
          return Pack<T, M>(__builtin_ia32_sqrtps256(a.raw));
        } else if constexpr (bytes == 32) {
          return Pack<T, M>(__builtin_ia32_sqrtpd256(a.raw));
        }
#endif
        return each<T, M>([](T u) { return device::sqrt(u); }, a);
      },
      x);
}

// 1 and 2: down and up, 8: without the inexact flag, which keeps g++ from rounding many at once.
#define GOBAN_ROUNDING(name, mode)                                   \
  template <class T, int N>                                          \
  GOBAN_DEVICE Pack<T, N> name(const Pack<T, N>& x) {                \
    return by_registers(                                             \
        []<int M>(const Pack<T, M>& a) {                             \
          [[maybe_unused]] constexpr int bytes = sizeof(a.raw);      \
          GOBAN_ROUND_WIDE(mode)                                     \
          GOBAN_ROUND_NARROW(mode)                                   \
          return each<T, M>([](T u) { return device::name(u); }, a); \
        },                                                           \
        x);                                                          \
  }
#if !defined(__clang__) && defined(__AVX512F__)
#define GOBAN_ROUND_WIDE(mode)                                                        \
  if constexpr (bytes == 64 && same<T, float>) {                                      \
    return Pack<T, M>(__builtin_ia32_rndscaleps_mask(a.raw, mode | 8, a.raw, -1, 4)); \
  } else if constexpr (bytes == 64) {                                                 \
    return Pack<T, M>(__builtin_ia32_rndscalepd_mask(a.raw, mode | 8, a.raw, -1, 4)); \
  }
#else
#define GOBAN_ROUND_WIDE(mode)
#endif
#if !defined(__clang__) && defined(__AVX__)
#define GOBAN_ROUND_NARROW(mode)                                   \
  if constexpr (bytes == 32 && same<T, float>) {                   \
    return Pack<T, M>(__builtin_ia32_roundps256(a.raw, mode | 8)); \
  } else if constexpr (bytes == 32) {                              \
    return Pack<T, M>(__builtin_ia32_roundpd256(a.raw, mode | 8)); \
  }
#else
#define GOBAN_ROUND_NARROW(mode)
#endif
GOBAN_ROUNDING(floor, 1)
GOBAN_ROUNDING(ceil, 2)
#undef GOBAN_ROUNDING
#undef GOBAN_ROUND_WIDE
#undef GOBAN_ROUND_NARROW

template <class T, int N>
GOBAN_DEVICE Pack<T, N> abs(const Pack<T, N>& a) {
  using Bits = Vector<Truth<sizeof(T)>, N>;
  if constexpr (is_floating<T>) {
    constexpr auto rest = static_cast<Truth<sizeof(T)>>(~0ull >> (65 - 8 * sizeof(T)));
    return Pack<T, N>(cast<Vector<T, N>>(cast<Bits>(a.raw) & rest));
  } else if constexpr (T(-1) < T(0)) {
    return select(a < Pack<T, N>(0), -a, a);
  } else {
    return a;
  }
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> reciprocal(const Pack<T, N>& a) {
  return Pack<T, N>(1) / a;
}

GOBAN_DEVICE float __int_as_float(uint32 bits) { return __builtin_bit_cast(float, bits); }
GOBAN_DEVICE double __longlong_as_double(uint64 bits) { return __builtin_bit_cast(double, bits); }

/// A 4- or 8-byte argument of a kernel as a number.
template <class T>
GOBAN_DEVICE T constant(const uint64& bits) {
  if constexpr (same<T, float>) {
    return __builtin_bit_cast(float, static_cast<uint32>(bits));
  } else if constexpr (same<T, double>) {
    return __builtin_bit_cast(double, bits);
  } else {
    return static_cast<T>(bits);
  }
}

}  // namespace goban::device
