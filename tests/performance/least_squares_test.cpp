#include "goban/performance/measure/least_squares.hpp"

#include <gtest/gtest.h>

namespace goban::least_squares_test {
namespace {

TEST(LeastSquares, FindsWhatSumsAreMadeOf) {
  const auto x = least_squares_above_zero(
      {{{1, 10, 0}, 21, 1}, {{1, 0, 10}, 31, 2}, {{1, 10, 10}, 51, 1}, {{1, 0, 0}, 1, 3}});
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_NEAR(x[1], 2, 1e-9);
  EXPECT_NEAR(x[2], 3, 1e-9);
}

TEST(LeastSquares, NothingIsNegativeAndWhatIsNeverCountedIsZero) {
  const auto x = least_squares_above_zero({{{1, 1, 0}, 1, 1}, {{1, 2, 0}, 0.5, 1}});
  EXPECT_NEAR(x[0], 0.75, 1e-9);
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(x[2], 0);
}

TEST(LeastSquares, WeightsDecideBetweenWhatDoesNotAgree) {
  EXPECT_NEAR(least_squares_above_zero({{{1, 0, 0}, 1, 1}, {{1, 0, 0}, 2, 3}})[0], 1.9, 1e-9);
}

}  // namespace
}  // namespace goban::least_squares_test
