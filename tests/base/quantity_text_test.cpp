#include "goban/base/quantity_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace goban::quantity_text_test {
namespace {

TEST(QuantityText, LengthsAndTimesHaveThePrefixThatFits) {
  EXPECT_EQ(quantity_text(0.016, "m"), "16 mm");
  EXPECT_EQ(quantity_text(62.5e-6, "m"), "62.5 um");
  EXPECT_EQ(quantity_text(1e-3, "m"), "1 mm");
  EXPECT_EQ(quantity_text(-0.0025, "m"), "-2.5 mm");
  EXPECT_EQ(quantity_text(15000, "m"), "15 km");
  EXPECT_EQ(quantity_text(2e7, "m"), "20000 km");
  EXPECT_EQ(quantity_text(1, "m"), "1 m");
  EXPECT_EQ(quantity_text(0.01, "s"), "10 ms");
  EXPECT_EQ(quantity_text(7200, "s"), "7200 s");
  EXPECT_EQ(quantity_text(1e-20, "s"), "1e-05 fs");
  EXPECT_EQ(quantity_text(101325, "Pa"), "101.325 kPa");
  EXPECT_EQ(quantity_text(0, "m"), "0 m");
}

TEST(QuantityText, OtherUnitsStayAsTheyAre) {
  EXPECT_EQ(quantity_text(0.001, "K"), "0.001 K");
  EXPECT_EQ(quantity_text(12345.678, "W/(m K)"), "12345.7 W/(m K)");
  EXPECT_EQ(quantity_text(0.25, ""), "0.25");
  EXPECT_EQ(quantity_text(1.0 / 3, "m", 3), "333 mm");
  EXPECT_EQ(quantity_text(std::numeric_limits<double>::infinity(), "m"), "inf m");
}

}  // namespace
}  // namespace goban::quantity_text_test
