#include "goban/checkpoint/interval.hpp"

#include <gtest/gtest.h>

namespace goban::interval_test {
namespace {

TEST(Intervals, AreThoseOfYoungAndDaly) {
  constexpr double day = 86400;
  EXPECT_NEAR(young_interval(30, day), 2276.8, 0.1);
  EXPECT_NEAR(daly_interval(30, day), 2256.8, 0.1);
  EXPECT_NEAR(expected_waste(30, 2256.8, day), 0.0264, 1e-4);
  EXPECT_NEAR(young_interval(2, 4 * 3600), 240, 0.1);
}

TEST(Intervals, AreTheTimeBetweenFailuresWhereSavingTakesLonger) {
  EXPECT_EQ(daly_interval(100, 40), 40);
}

TEST(Intervals, LoseLeastTime) {
  for (const double cost : {0.1, 2.0, 30.0}) {
    const double mtbf = 1000 * cost, best = young_interval(cost, mtbf);
    for (const double factor : {0.7, 1.4}) {
      EXPECT_GT(expected_waste(cost, factor * best, mtbf), expected_waste(cost, best, mtbf));
    }
  }
}

}  // namespace
}  // namespace goban::interval_test
