#pragma once
// What blocks of threads add to a sum on a device.

#include "goban/base/exact_sum.hpp"
#include "goban/base/macros.hpp"

namespace goban::cuda {

/// Limb i of the sum of a block, its carry moved on to limb i + 1 and that of limb i - 1 taken. A
/// block of n terms adds up to n 2^32 to a limb, of either sign; with carries that is 2^31 + n, so
/// that 2^31 blocks fit where 2^31 terms did. Digits are signed: limbs above those of small
/// negative sums stay zero.
GOBAN_INLINE long long with_carries(const unsigned long long* limbs, int i) {
  constexpr int top = static_cast<int>(ExactSum::limb_count) - 1;
  const auto limb = [&](int at) { return static_cast<long long>(limbs[at]); };
  const auto carry = [&](int at) { return (limb(at) + (1ll << 31)) >> 32; };
  long long digit = limb(i);
  if (i < top) digit -= carry(i) * (1ll << 32);
  if (i > 0 && i <= top) digit += carry(i - 1);
  return digit;
}

}  // namespace goban::cuda
