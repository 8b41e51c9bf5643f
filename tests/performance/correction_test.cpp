#include "goban/performance/model/correction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace goban::correction_test {
namespace {

SweepFeatures heat(double edge, double steps = 1) {
  const double cells = edge * edge * edge;
  return {cells, 8 * cells, 6, 2, 4, 0.1, steps};
}

TEST(Corrections, WithoutMeasurementsFormulasHold) {
  EXPECT_EQ(correction({}, heat(64)), 1);
  EXPECT_EQ(correction({{heat(64, 4), 2}}, heat(64)), 1);  // a pass says nothing of a sweep
  EXPECT_NEAR(correction({{heat(8), 2}}, heat(1024)), 1, 1e-6);
}

TEST(Corrections, ASweepThatWasMeasuredIsMostlyBelieved) {
  EXPECT_NEAR(correction({{heat(64), 2}}, heat(64)), std::exp2(1 / 1.2), 1e-12);
  EXPECT_NEAR(correction({{heat(64), 2}, {heat(64), 0.5}}, heat(64)), 1, 1e-12);
}

TEST(Corrections, WhatIsMoreAlikeCountsMore) {
  const std::vector<Deviation> measured{{heat(32), 2}, {heat(128), 0.5}};
  EXPECT_NEAR(correction(measured, heat(64)), 1, 1e-3);
  EXPECT_GT(correction(measured, heat(40)), 1.2);
  EXPECT_LT(correction(measured, heat(100)), 0.9);
  SweepFeatures wide = heat(32);
  wide.moves = 38;
  EXPECT_NEAR(correction(measured, wide), 1, 0.01);
}

}  // namespace
}  // namespace goban::correction_test
