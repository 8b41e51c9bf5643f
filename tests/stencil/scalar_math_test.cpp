#include "goban/stencil/scalar_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace goban::scalar_math_test {
namespace {

TEST(ScalarMath, HasTheNamesOfFunctors) {
  EXPECT_EQ(goban::sqrt(4.0f), 2.0f);
  EXPECT_EQ(goban::min(2, 3), 2);
  EXPECT_EQ(goban::max(2.0, 3.0), 3.0);
  EXPECT_EQ(goban::abs(-3), 3);
  EXPECT_FALSE(std::signbit(goban::abs(-0.0)));
  EXPECT_EQ(goban::fma(2.0, 3.0, 1.0), 7.0);
  EXPECT_EQ(convert<float>(0.1), 0.1f);
  EXPECT_EQ(select(1 < 2, 3, 4), 3);
}

template <class T>
class ScalarMathOf : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ScalarMathOf, FloatingTypes);

TYPED_TEST(ScalarMathOf, ExtremaTakeTheFirstUnlessTheSecondIsBeyondIt) {
  using T = TypeParam;
  const T one = 1, zero = 0, minus_zero = T(-0.0), nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(goban::min(one, nan), 1) << "a NaN in the second is not taken";
  EXPECT_EQ(goban::max(one, nan), 1);
  EXPECT_TRUE(std::isnan(goban::min(nan, one)));
  EXPECT_TRUE(std::isnan(goban::max(nan, one)));
  EXPECT_FALSE(std::signbit(goban::min(zero, minus_zero)));
  EXPECT_TRUE(std::signbit(goban::max(minus_zero, zero)));
}

TYPED_TEST(ScalarMathOf, FmaRoundsOnceAndArithmeticTwice) {
  using T = TypeParam;
  const T e = std::numeric_limits<T>::epsilon(), a = 1 + e, b = 1 - e;
  EXPECT_EQ(goban::fma(a, b, T(-1)), -e * e);
  EXPECT_EQ(a * b - 1, 0);
}

}  // namespace
}  // namespace goban::scalar_math_test
