#pragma once
// Exact sums and extrema on a device; see base/exact_sum.hpp.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

inline constexpr int limb_count = 68;  ///< limbs that an ExactSum has
inline constexpr int state_size = limb_count + 3;

/// Blocks of a reduction add to one of so many states, lest all of them wait for a few addresses.
inline constexpr int state_copies = 8;
/// Numbers a reduction keeps in memory: its states, and how many blocks are done.
inline constexpr int reduction_words = state_copies * state_size + 1;

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

/// Beyond those of all numbers, inverted or not, and stands for a NaN of either.
inline constexpr uint64 order_of_nan = ~uint64{0};

/// Integers above 0 that order like doubles.
GOBAN_DEVICE uint64 ordered(double value) {
  const auto bits = static_cast<uint64>(__double_as_longlong(value));
  return bits >> 63 == 0 ? bits | 1ull << 63 : ~bits;
}

/// The double that an integer stands for; see ordered().
GOBAN_DEVICE double from_order(uint64 order) {
  const uint64 bits = order >> 63 != 0 ? order ^ (1ull << 63) : ~order;
  return __longlong_as_double(static_cast<int64>(bits));
}

/// What Reducer::value() makes of an extremum; for a minimum the order is inverted.
GOBAN_DEVICE double value_of_extremum(uint64 order, bool is_minimum) {
  constexpr int64 infinity = 0x7ff0000000000000, not_a_number = 0x7ff8000000000000;
  if (order == order_of_nan) return __longlong_as_double(not_a_number);
  if (order == 0) return __longlong_as_double(is_minimum ? infinity : infinity | 1ll << 63);
  return from_order(is_minimum ? ~order : order) + 0.0;
}

/// 2^exponent, from the least normal number on.
GOBAN_DEVICE double power_of_two(int exponent) {
  return __longlong_as_double(static_cast<int64>(exponent + 1023) << 52);
}

/// What ExactSum::value() makes of limbs and counts. Those below `lowest` and above `highest` are
/// zero; the others are changed, and two more.
GOBAN_DEVICE double value_of_sum(int64* limb, int lowest, int highest) {
  constexpr int64 infinity = 0x7ff0000000000000, not_a_number = 0x7ff8000000000000;
  const auto infinite = [](bool is_negative) {
    return __longlong_as_double(is_negative ? infinity | 1ll << 63 : infinity);
  };
  const bool above = limb[limb_count + 1] != 0, below = limb[limb_count + 2] != 0;
  if (limb[limb_count] != 0 || (above && below)) return __longlong_as_double(not_a_number);
  if (above || below) return infinite(below);
  if (highest < lowest) return 0.0;
  const int top = min(highest + 2, limb_count - 1);
  const auto carry_on = [&] {
    for (int i = lowest; i < top; ++i) {
      limb[i + 1] += limb[i] >> 32;
      limb[i] &= 0xffffffff;
    }
  };
  carry_on();
  const bool is_negative = limb[top] < 0;
  if (is_negative) {
    for (int i = lowest; i <= top; ++i) limb[i] = -limb[i];
    carry_on();
  }
  int first = top;
  while (first >= lowest && limb[first] == 0) --first;
  if (first < lowest) return 0.0;
  if (first == limb_count - 1) return infinite(is_negative);  // its units are beyond all doubles
  // The leading 65 to 96 bits decide, with one more bit for whether anything follows.
  const auto part = [&](int i) { return i >= lowest ? static_cast<uint64>(limb[i]) : 0ull; };
  const uint64 high = part(first), low = part(first - 1) << 32 | part(first - 2);
  bool more = false;
  for (int i = lowest; i < first - 2; ++i) more = more || limb[i] != 0;
  const int bits = 64 - __clzll(static_cast<int64>(high));  // 1 to 32
  const int dropped = 64 + bits - 53;                       // 12 to 43
  uint64 kept = high << (64 - dropped) | low >> dropped;
  const uint64 rest = low << (64 - dropped), half_way = 1ull << 63;
  if (rest > half_way || (rest == half_way && (more || (kept & 1) != 0))) ++kept;
  // Both products are exact: sums are whole units of the least double.
  const int exponent = dropped + 32 * (first - 2) - 1074;
  double magnitude = static_cast<double>(static_cast<int64>(kept));
  if (exponent > 900) {
    magnitude *= power_of_two(900);
    magnitude *= power_of_two(exponent - 900);
  } else if (exponent < -900) {
    magnitude *= power_of_two(exponent + 600);
    magnitude *= power_of_two(-600);
  } else {
    magnitude *= power_of_two(exponent);
  }
  return is_negative ? -magnitude : magnitude;
}

/// What the lanes of a warp have most of; all of them call it.
GOBAN_DEVICE int most_of_warp(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, value);
#else
  for (int step = 16; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
#endif
}

/// The lowest limb that a term adds to; -1: to none.
GOBAN_DEVICE int limb_of(double term) {
  const uint64 bits = static_cast<uint64>(__double_as_longlong(term));
  const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
  if (exponent == 0x7ff || bits << 1 == 0) return -1;
  return exponent > 0 ? (exponent - 1) >> 5 : 0;
}

/// Adds to a number in shared memory that others add to meanwhile: in halves, which the hardware
/// adds; a whole one it would compare and exchange until nobody came between.
GOBAN_DEVICE void add_to_shared(uint64* number, uint64 term) {
  auto* const half = reinterpret_cast<uint32*>(number);
  const auto low = static_cast<uint32>(term);
  const uint32 carry = atomicAdd(half, low) > ~low ? 1 : 0;
  const uint32 high = static_cast<uint32>(term >> 32) + carry;
  if (high != 0) atomicAdd(half + 1, high);
}

/// The sum of a number of every lane of a warp; all of them call it.
GOBAN_DEVICE int64 sum_of_warp(int64 value) {
#if __CUDA_ARCH__ >= 800
  // In parts of 27 bits, whose sums have 32.
  constexpr uint32 all = 0xffffffffu, mask = (1u << 27) - 1;
  const uint32 low = __reduce_add_sync(all, static_cast<uint32>(value) & mask);
  const uint32 middle = __reduce_add_sync(all, static_cast<uint32>(value >> 27) & mask);
  const int high = __reduce_add_sync(all, static_cast<int>(value >> 54));
  return static_cast<int64>(low) + (static_cast<int64>(middle) << 27) + high * (1ll << 54);
#else
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
#endif
}

/// One thread's part of a sum: six limbs, the same of all lanes of a warp, around the largest of
/// their first terms; terms far from them go to the block's limbs one by one.
class PartialSum {
 public:
  /// Whether it is not yet known which limbs these are.
  GOBAN_DEVICE bool is_open() const { return base_ < 0; }
  /// The limbs hold terms of this limb, 32 bits above and 64 bits below. -1: there are none yet.
  GOBAN_DEVICE void begin(int limb) {
    if (limb >= 0) base_ = limb > below ? limb - below : 0;
  }

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
    const int offset = limb - base_;
    if (offset == 0) {
      collect<0>(part);
    } else if (offset == 1) {
      collect<1>(part);
    } else if (offset == 2) {
      collect<2>(part);
    } else if (offset == 3) {
      collect<3>(part);
    } else {
#pragma unroll
      for (int i = 0; i < 3; ++i) add_to_shared(limbs + limb + i, static_cast<uint64>(part[i]));
    }
  }

  /// Hands the sum over to the block's limbs, in shared memory; all lanes of a warp call it
  /// together.
  GOBAN_DEVICE void flush(uint64* limbs, int lane) {
    if (base_ < 0) return;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (!__any_sync(0xffffffffu, limb_[i] != 0)) continue;
      const int64 all = sum_of_warp(limb_[i]);
      if (lane == 0 && base_ + i < limb_count) {
        add_to_shared(limbs + base_ + i, static_cast<uint64>(all));
      }
    }
  }

 private:
  template <int Offset>
  GOBAN_DEVICE void collect(const int64 (&part)[3]) {
#pragma unroll
    for (int i = 0; i < 3; ++i) limb_[Offset + i] += part[i];
  }

  static constexpr int count = 6, below = 2;
  int base_ = -1;
  int64 limb_[count] = {};
};

/// One thread's part of a maximum or, of what is inverted, a minimum; NaN is beyond all. 0: no
/// term.
class PartialExtremum {
 public:
  GOBAN_DEVICE explicit PartialExtremum(bool is_minimum) : is_minimum_(is_minimum) {}
  GOBAN_DEVICE void add(double term) {
    const uint64 order = is_minimum_ ? ~ordered(term) : ordered(term);
    value_ = max(value_, term == term ? order : order_of_nan);
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
