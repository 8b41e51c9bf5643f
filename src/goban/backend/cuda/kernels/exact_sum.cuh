#pragma once
// Exact sums and extrema on a device; see base/exact_sum.hpp.

#include "types.cuh"

namespace goban::device {

inline constexpr int limb_count = 68;  ///< of ExactSum
inline constexpr int state_size = limb_count + 3;

/// Limb i of the sum of a block, its carry moved on to limb i + 1 and that of limb i - 1 taken. A
/// block of n terms adds up to n 2^32 to a limb, of either sign; with carries that is 2^31 + n, so
/// that 2^31 blocks fit where 2^31 terms did. Digits are signed: limbs above those of small
/// negative sums stay zero.
GOBAN_DEVICE int64 with_carries(const uint64* limbs, int i) {
  constexpr int top = limb_count - 1;
  const auto limb = [&](int at) { return static_cast<int64>(limbs[at]); };
  const auto carry = [&](int at) { return (limb(at) + (1ll << 31)) >> 32; };
  int64 digit = limb(i);
  if (i < top) digit -= carry(i) * (1ll << 32);
  if (i > 0 && i <= top) digit += carry(i - 1);
  return digit;
}

#if GOBAN_KERNEL

/// Integers above 0 that order like doubles.
GOBAN_DEVICE uint64 ordered(double value) {
  const auto bits = static_cast<uint64>(__double_as_longlong(value));
  return bits >> 63 == 0 ? bits | 1ull << 63 : ~bits;
}

/// One thread's part of a sum: five limbs around those of its first term; terms far from them go to
/// the block's limbs one by one.
class PartialSum {
 public:
  GOBAN_DEVICE void add(double term, uint64* limbs) {
    const uint64 bits = static_cast<uint64>(__double_as_longlong(term));
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    uint64 mantissa = bits & 0xfffffffffffffull;
    if (exponent == 0x7ff) {
      const int what = mantissa != 0 ? 0 : (bits >> 63) == 0 ? 1 : 2;
      atomicAdd(limbs + limb_count + what, 1ull);
      return;
    }
    if (exponent > 0) mantissa |= 1ull << 52;
    if (mantissa == 0) return;
    const int position = exponent > 0 ? exponent - 1 : 0;
    const int limb = position >> 5, shift = position & 31;
    const uint64 low = mantissa << shift;
    const uint64 high = shift == 0 ? 0 : mantissa >> (64 - shift);
    int64 part[3] = {static_cast<int64>(low & 0xffffffffull), static_cast<int64>(low >> 32),
                     static_cast<int64>(high)};
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
      for (int i = 0; i < 3; ++i) atomicAdd(limbs + limb + i, static_cast<uint64>(part[i]));
    }
  }

  /// Hands the sum over to the block's limbs; all lanes of a warp call it together.
  GOBAN_DEVICE void flush(uint64* limbs, int lane) {
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
      if (lane != 0) return;
    }
    if (base_ < 0) return;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      if (limb_[i] != 0 && base_ + i < limb_count) {
        atomicAdd(limbs + base_ + i, static_cast<uint64>(limb_[i]));
      }
    }
  }

 private:
  template <int Offset>
  GOBAN_DEVICE void collect(const int64 (&part)[3]) {
#pragma unroll
    for (int i = 0; i < 3; ++i) limb_[Offset + i] += part[i];
  }

  int base_ = -1;
  int64 limb_[5] = {};
};

/// One thread's part of a maximum or, of what is inverted, a minimum; NaN is skipped. 0: no term.
class PartialExtremum {
 public:
  GOBAN_DEVICE explicit PartialExtremum(bool is_minimum) : is_minimum_(is_minimum) {}
  GOBAN_DEVICE void add(double term) {
    if (term == term) value_ = max(value_, is_minimum_ ? ~ordered(term) : ordered(term));
  }
  /// Hands it over to that of the block; all lanes of a warp call it together.
  GOBAN_DEVICE void flush(uint64* value, int lane) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      value_ = max(value_, __shfl_xor_sync(0xffffffffu, value_, step));
    }
    if (lane == 0) atomicMax(value, value_);
  }

 private:
  bool is_minimum_;
  uint64 value_ = 0;
};

#endif

}  // namespace goban::device
