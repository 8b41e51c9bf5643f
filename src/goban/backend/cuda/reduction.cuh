#pragma once
// Exact sums and extrema on a device. A sum is kept as base/exact_sum.hpp keeps it, limb i counting
// units of 2^(32 i - 1074), so that every order of additions gives the same integers.

#include "goban/backend/cuda/sweep_arguments.hpp"
#include "goban/base/exact_sum.hpp"

namespace goban::cuda {

inline constexpr int state_size = static_cast<int>(ExactSum::limb_count) + 3;

/// Integers that order like doubles.
GOBAN_INLINE long long ordered(double value) {
  const long long bits = __double_as_longlong(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffffffffffffll;
}

/// One thread's part of a sum: five limbs around those of its first term; terms far from them go to
/// the block's limbs one by one.
class PartialSum {
 public:
  GOBAN_INLINE void add(double term, unsigned long long* limbs) {
    const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(term));
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    unsigned long long mantissa = bits & 0xfffffffffffffull;
    if (exponent == 0x7ff) {
      const int what = mantissa != 0 ? 0 : (bits >> 63) == 0 ? 1 : 2;
      atomicAdd(limbs + ExactSum::limb_count + what, 1ull);
      return;
    }
    if (exponent > 0) mantissa |= 1ull << 52;
    if (mantissa == 0) return;
    const int position = exponent > 0 ? exponent - 1 : 0;
    const int limb = position >> 5, shift = position & 31;
    const unsigned long long low = mantissa << shift;
    const unsigned long long high = shift == 0 ? 0 : mantissa >> (64 - shift);
    long long part[3] = {static_cast<long long>(low & 0xffffffffull),
                         static_cast<long long>(low >> 32), static_cast<long long>(high)};
    if ((bits >> 63) != 0) {
#pragma unroll
      for (int i = 0; i < 3; ++i) part[i] = -part[i];
    }
    if (base_ < 0) base_ = limb > 0 ? limb - 1 : 0;
    const int offset = limb - base_;
    if (offset == 0) {
      collect<0>(part);
    } else if (offset == 1) {
      collect<1>(part);
    } else if (offset == 2) {
      collect<2>(part);
    } else {
#pragma unroll
      for (int i = 0; i < 3; ++i)
        atomicAdd(limbs + limb + i, static_cast<unsigned long long>(part[i]));
    }
  }

  /// Hands the sum over to the block's limbs; all lanes of a warp call it together.
  GOBAN_INLINE void flush(unsigned long long* limbs) {
    int same = 0;
    __match_all_sync(0xffffffffu, base_, &same);
    if (same) {
      if (base_ < 0) return;
#pragma unroll
      for (int i = 0; i < 5; ++i) {
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
          limb_[i] += __shfl_xor_sync(0xffffffffu, limb_[i], step);
        }
      }
      if (threadIdx.x % 32 != 0) return;
    }
    if (base_ < 0) return;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      if (limb_[i] != 0 && base_ + i < static_cast<int>(ExactSum::limb_count)) {
        atomicAdd(limbs + base_ + i, static_cast<unsigned long long>(limb_[i]));
      }
    }
  }

 private:
  template <int Offset>
  GOBAN_INLINE void collect(const long long (&part)[3]) {
#pragma unroll
    for (int i = 0; i < 3; ++i) limb_[Offset + i] += part[i];
  }

  int base_ = -1;
  long long limb_[5] = {};
};

/// One thread's part of a minimum or maximum; NaN is skipped.
class PartialExtremum {
 public:
  GOBAN_INLINE explicit PartialExtremum(bool is_minimum) : is_minimum_(is_minimum) {
    value_ = is_minimum ? 0x7fffffffffffffffll : static_cast<long long>(1ull << 63);
  }
  GOBAN_INLINE void add(double term) {
    if (term != term) return;
    const long long v = ordered(term);
    value_ = is_minimum_ ? min(value_, v) : max(value_, v);
  }
  GOBAN_INLINE void flush(unsigned long long* state) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const long long other = __shfl_xor_sync(0xffffffffu, value_, step);
      value_ = is_minimum_ ? min(value_, other) : max(value_, other);
    }
    if (threadIdx.x % 32 != 0) return;
    auto* target = reinterpret_cast<long long*>(state);
    if (is_minimum_) {
      atomicMin(target, value_);
    } else {
      atomicMax(target, value_);
    }
  }

 private:
  bool is_minimum_;
  long long value_;
};

}  // namespace goban::cuda
