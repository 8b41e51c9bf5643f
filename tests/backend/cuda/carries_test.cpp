// Sums of more terms than fit into the limbs of a device.

#include <gtest/gtest.h>

#include "goban/backend/cuda/kernels/exact_sum.cuh"
#include "goban/base/exact_sum.hpp"

namespace goban::device::carries_test {
namespace {

static_assert(limb_count == static_cast<int>(ExactSum::limb_count));
using Limbs = std::array<unsigned long long, limb_count + 3>;

/// Parts of one term as a block adds them up, of both signs and with nothing carried.
void add_parts(Limbs& limbs, double term, unsigned long long times) {
  ExactSum one;
  one.add(std::abs(term));
  const ExactSum::State state = one.state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto part = static_cast<unsigned long long>(state[i]) * times;
    limbs[i] += term < 0 ? 0 - part : part;
  }
}

/// What many equal blocks leave in the limbs of a device, which wrap.
ExactSum::State sum_of_blocks(const Limbs& block, unsigned long long blocks, bool carries) {
  ExactSum::State state;
  for (int i = 0; i < limb_count + 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const unsigned long long part =
        carries && i < limb_count ? static_cast<unsigned long long>(with_carries(block.data(), i))
                                  : block[at];
    state[at] = static_cast<long long>(part * blocks);
  }
  return state;
}

double value_of(const ExactSum::State& state) {
  ExactSum sum;
  sum.merge(state);
  return sum.value();
}

TEST(Carries, KeepTheSumOfABlock) {
  Limbs limbs{};
  double expected = 0;
  for (const double term : {1.5, -1e-300, 3e200, -7e199, 5e-324, -0.3, 1e-290}) {
    add_parts(limbs, term, 1000);
    ExactSum sum;
    sum.merge(sum_of_blocks(limbs, 1, false));
    expected = sum.value();
    ExactSum carried;
    carried.merge(sum_of_blocks(limbs, 1, true));
    EXPECT_EQ(carried.state(), sum.state()) << term;
  }
  EXPECT_NE(expected, 0);
}

TEST(Carries, LetEightBillionCellsFit) {
  constexpr unsigned long long cells_of_block = 1 << 13, blocks = 1 << 20;
  for (const double sign : {1.0, -1.0}) {
    const double term = sign * 0x1.fffffffep+13;  // all bits of one limb
    Limbs limbs{};
    add_parts(limbs, term, cells_of_block);
    const double expected = term * 0x1p33;
    EXPECT_EQ(value_of(sum_of_blocks(limbs, blocks, true)), expected);
    EXPECT_NE(value_of(sum_of_blocks(limbs, blocks, false)), expected) << "they would overflow";
  }
}

TEST(Carries, OfSmallNegativeSumsGoNoFurtherThanOneLimb) {
  Limbs limbs{};
  add_parts(limbs, -1.0, 100);
  int used = 0;
  for (int i = 0; i < limb_count; ++i) used += with_carries(limbs.data(), i) != 0 ? 1 : 0;
  EXPECT_LE(used, 4);
}

}  // namespace
}  // namespace goban::device::carries_test
