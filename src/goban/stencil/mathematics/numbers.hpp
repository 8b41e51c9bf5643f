#pragma once
// Operations of IEEE 754 and on bits, which have one result on every machine, for plain numbers of
// CPUs and GPUs.

#ifdef __CUDACC__
#define GOBAN_MATHEMATICS __device__ __forceinline__
#elif defined(GOBAN_CPU_KERNEL) || defined(__clang__)  // whose fma is no constant
#define GOBAN_MATHEMATICS [[gnu::always_inline]] inline
#else
#define GOBAN_MATHEMATICS [[gnu::always_inline]] constexpr
#endif

namespace goban::mathematics {

#ifdef __CUDACC__
using uint32 = unsigned int;
using uint64 = unsigned long long;

GOBAN_MATHEMATICS float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GOBAN_MATHEMATICS double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
GOBAN_MATHEMATICS uint32 bits(float x) { return __float_as_uint(x); }
GOBAN_MATHEMATICS uint64 bits(double x) { return static_cast<uint64>(__double_as_longlong(x)); }
GOBAN_MATHEMATICS float number(uint32 bits) { return __uint_as_float(bits); }
GOBAN_MATHEMATICS double number(uint64 bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
GOBAN_MATHEMATICS float floor(float x) { return ::floorf(x); }
GOBAN_MATHEMATICS double floor(double x) { return ::floor(x); }
GOBAN_MATHEMATICS uint64 multiply_high(uint64 a, uint64 b) { return __umul64hi(a, b); }
GOBAN_MATHEMATICS int leading_zeros(uint64 a) { return __clzll(static_cast<long long>(a)); }

/// a / b where |b| and the quotient are far from the ends of their range, or a = 0: without the
/// branches of the general case (Markstein, IBM J. Res. Dev. 34 (1990) 111).
GOBAN_MATHEMATICS float plain_quotient(float a, float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = fma(fma(-b, r, 1.0f), r, r);
  const float q = a * r;
  const float closer = fma(fma(-b, q, a), r, q);
  return fma(fma(-b, closer, a), r, closer);
}
GOBAN_MATHEMATICS double plain_quotient(double a, double b) { return a / b; }
#else
using uint32 = unsigned int;
#ifdef GOBAN_CPU_KERNEL
using uint64 = unsigned long long;
#else
using uint64 = unsigned long;
#endif

GOBAN_MATHEMATICS float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOBAN_MATHEMATICS double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GOBAN_MATHEMATICS uint32 bits(float x) { return __builtin_bit_cast(uint32, x); }
GOBAN_MATHEMATICS uint64 bits(double x) { return __builtin_bit_cast(uint64, x); }
GOBAN_MATHEMATICS float number(uint32 bits) { return __builtin_bit_cast(float, bits); }
GOBAN_MATHEMATICS double number(uint64 bits) { return __builtin_bit_cast(double, bits); }
GOBAN_MATHEMATICS float floor(float x) { return __builtin_floorf(x); }
GOBAN_MATHEMATICS double floor(double x) { return __builtin_floor(x); }
GOBAN_MATHEMATICS int leading_zeros(uint64 a) { return a == 0 ? 64 : __builtin_clzll(a); }
GOBAN_MATHEMATICS uint64 multiply_high(uint64 a, uint64 b) {
  return static_cast<uint64>(static_cast<unsigned __int128>(a) * b >> 64);
}

/// a / b where |b| and the quotient are far from the ends of their range, or a = 0.
template <class V>
GOBAN_MATHEMATICS V plain_quotient(V a, V b) {
  return a / b;
}
#endif

template <class T>
GOBAN_MATHEMATICS T select(bool condition, T a, T b) {
  return condition ? a : b;
}
GOBAN_MATHEMATICS bool any(bool condition) { return condition; }
GOBAN_MATHEMATICS bool is_negative(float x) { return (bits(x) >> 31) != 0; }
GOBAN_MATHEMATICS bool is_negative(double x) { return (bits(x) >> 63) != 0; }
/// Zeros come in from above.
template <int Count>
GOBAN_MATHEMATICS uint32 shifted_right(uint32 bits) {
  return bits >> Count;
}
template <int Count>
GOBAN_MATHEMATICS uint64 shifted_right(uint64 bits) {
  return bits >> Count;
}

}  // namespace goban::mathematics
