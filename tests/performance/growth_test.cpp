#include "goban/performance/predict/growth.hpp"

#include <gtest/gtest.h>

#include "goban/base/error.hpp"

namespace goban::growth_test {
namespace {

constexpr std::array<bool, 3> everywhere{true, true, true};

TEST(Growth, IsACubeWhereThatIsPossible) {
  EXPECT_EQ(growth(1, everywhere), (Index3{1, 1, 1}));
  EXPECT_EQ(growth(8, everywhere), (Index3{2, 2, 2}));
  EXPECT_EQ(growth(1000, everywhere), (Index3{10, 10, 10}));
  EXPECT_EQ(growth(4096, everywhere), (Index3{16, 16, 16}));
}

TEST(Growth, TakesAxesInTurn) {
  EXPECT_EQ(growth(2, everywhere), (Index3{2, 1, 1}));
  EXPECT_EQ(growth(4, everywhere), (Index3{2, 2, 1}));
  EXPECT_EQ(growth(12, {true, true, false}), (Index3{3, 4, 1}));
  EXPECT_EQ(growth(64, {false, true, true}), (Index3{1, 8, 8}));
  EXPECT_EQ(growth(24, {false, false, true}), (Index3{1, 1, 24}));
  EXPECT_EQ(growth(97, {true, false, true}), (Index3{97, 1, 1}));
}

TEST(Growth, NeedsAnAxis) {
  EXPECT_EQ(growth(1, {}), (Index3{1, 1, 1}));
  EXPECT_THROW(growth(2, {}), Error);
}

}  // namespace
}  // namespace goban::growth_test
