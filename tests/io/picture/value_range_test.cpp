#include "goban/io/picture/value_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::value_range_test {
namespace {

template <class T>
FlatPlane plane_of_values(const std::vector<T>& values, Index width) {
  return FlatPlane(dense_view(values.data(), {width, static_cast<Index>(values.size()) / width, 1}),
                   0);
}

TEST(FlatPlane, AxesAreTheTwoThatAreNotTheNormal) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const FlatPlane xy(dense_view(values.data(), {3, 2, 1}), 0);
  EXPECT_EQ(xy.width(), 3);
  EXPECT_EQ(xy.height(), 2);
  EXPECT_EQ(xy.at(1, 1), 4);
  const FlatPlane xz(dense_view(values.data(), {3, 1, 2}), 0);
  EXPECT_EQ(xz.up(), Axis::z);
  EXPECT_EQ(xz.at(2, 1), 5);
  const FlatPlane yz(dense_view(values.data(), {1, 3, 2}), 0);
  EXPECT_EQ(yz.across(), Axis::y);
  EXPECT_EQ(yz.at(0, 1), 3);
}

TEST(FlatPlane, MeansCoverTheirCells) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const FlatPlane plane = plane_of_values(values, 3);
  EXPECT_EQ(plane.mean(1, 3, 0, 2), 3);
  EXPECT_EQ(plane.mean(2, 3, 1, 2), 5);
}

TEST(FlatPlane, WhatIsNotAPlaneIsRefused) {
  const std::vector<float> values(8);
  EXPECT_EQ(test::error_of([&] {
              FlatPlane(dense_view(values.data(), {2, 2, 2}), 0);
            }),
            "an array of 2 x 2 x 2 cells is not a plane (one of the extents must be 1); take a "
            "slice first");
  EXPECT_THROW(FlatPlane(dense_view(values.data(), {2, 2, 1}), 1), Error);
  EXPECT_THROW(FlatPlane(dense_view(values.data(), {0, 2, 1}), 0), Error);
}

TEST(ValueRange, IsThatOfTheValues) {
  const std::vector<double> values = {3, 1, 2, 7};
  const ValueSummary summary = summary_of(plane_of_values(values, 2));
  const ValueRange range = automatic_range(summary, Colormap::sequential);
  EXPECT_EQ(range.low, 1);
  EXPECT_EQ(range.high, 7);
  EXPECT_FALSE(range.values_above);
  EXPECT_FALSE(range.values_below);
}

TEST(ValueRange, ASmallHotSpotIsNotCutOff) {
  std::vector<double> values(100 * 100, 0.0);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) values[static_cast<std::size_t>(j * 100 + i)] = 1 + i;
  const ValueRange range =
      automatic_range(summary_of(plane_of_values(values, 100)), Colormap::sequential);
  EXPECT_EQ(range.high, 5);
}

TEST(ValueRange, ASingularCornerIsCutOffAndSaidSo) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> values(200 * 200);
  for (double& value : values) value = uniform(random);
  values[17] = 1e9;
  const ValueRange range =
      automatic_range(summary_of(plane_of_values(values, 200)), Colormap::sequential);
  EXPECT_LT(range.high, 1.2);
  EXPECT_TRUE(range.values_above);
  EXPECT_FALSE(range.values_below);
  EXPECT_GE(range.low, 0);
}

TEST(ValueRange, DivergesAroundZero) {
  const std::vector<double> values = {-1, 0, 2, 4};
  const ValueSummary summary = summary_of(plane_of_values(values, 2));
  EXPECT_EQ(fitting_colormap(plane_of_values(values, 2), summary), Colormap::diverging);
  const ValueRange range = automatic_range(summary, Colormap::diverging);
  EXPECT_EQ(range.low, -4);
  EXPECT_EQ(range.high, 4);
}

TEST(ValueRange, StonesHaveTheirBoardEvenWhenAllAreDead) {
  const std::vector<std::uint8_t> dead(16, 0);
  const ValueSummary summary = summary_of(plane_of_values(dead, 4));
  EXPECT_EQ(fitting_colormap(plane_of_values(dead, 4), summary), Colormap::stones);
  const ValueRange range = automatic_range(summary, Colormap::stones);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 1);
  const std::vector<std::uint8_t> phases = {87, 182, 182, 87};
  EXPECT_EQ(automatic_range(summary_of(plane_of_values(phases, 2)), Colormap::stones).low, 87);
}

TEST(ValueRange, LevelsAreTheFewIntegersThatOccur) {
  const std::vector<std::uint8_t> phases = {87, 182, 182, 87};
  EXPECT_EQ(summary_of(plane_of_values(phases, 2)).levels, (std::vector<double>{87, 182}));
  std::vector<std::int32_t> many(12);
  for (std::size_t n = 0; n < many.size(); ++n) many[n] = static_cast<std::int32_t>(n);
  EXPECT_TRUE(summary_of(plane_of_values(many, 4)).levels.empty());
  const std::vector<float> floats = {1, 2, 1, 2};
  EXPECT_TRUE(summary_of(plane_of_values(floats, 2)).levels.empty());
}

TEST(ValueRange, NothingButNanStillHasARange) {
  const std::vector<double> values(4, std::nan(""));
  const ValueSummary summary = summary_of(plane_of_values(values, 2));
  EXPECT_FALSE(summary.has_numbers);
  const ValueRange range = automatic_range(summary, Colormap::sequential);
  EXPECT_LT(range.low, range.high);
}

TEST(ValueRange, InfinitiesLieOutside) {
  const std::vector<double> values = {0, 1, HUGE_VAL, -HUGE_VAL};
  const ValueRange range =
      automatic_range(summary_of(plane_of_values(values, 2)), Colormap::sequential);
  EXPECT_EQ(range.high, 1);
  EXPECT_TRUE(range.values_above);
  EXPECT_TRUE(range.values_below);
}

TEST(ValueRange, OneValueGetsARangeAroundIt) {
  const std::vector<double> values(4, 300.0);
  const ValueRange range =
      automatic_range(summary_of(plane_of_values(values, 2)), Colormap::sequential);
  EXPECT_LT(range.low, 300);
  EXPECT_GT(range.high, 300);
}

TEST(ValueRange, AnEmptyOneIsRefused) {
  for (const auto& [low, high] :
       {std::pair{1.0, 1.0}, {2.0, 1.0}, {std::nan(""), 1.0}, {0.0, HUGE_VAL}})
    EXPECT_THROW(given_range({}, low, high), Error) << low << " " << high;
}

TEST(ValueColors, EndsOfTheRangeAreEndsOfTheMap) {
  const ValueColors colors(Colormap::thermal, {.low = -2, .high = 6});
  EXPECT_EQ(colors.at(-2), color_at(Colormap::thermal, 0));
  EXPECT_EQ(colors.at(6), color_at(Colormap::thermal, 1));
  EXPECT_EQ(colors.at(2), color_at(Colormap::thermal, 0.5));
  EXPECT_EQ(colors.at(HUGE_VAL), color_at(Colormap::thermal, 1));
  EXPECT_EQ(colors.at(-1e9), color_at(Colormap::thermal, 0));
}

TEST(ValueColors, NanHasAColorThatNoValueHas) {
  for (const auto map :
       {Colormap::sequential, Colormap::thermal, Colormap::grey, Colormap::stones}) {
    const Color nan = ValueColors(map, {}).at(std::nan(""));
    for (int n = 0; n <= 1000; ++n) EXPECT_NE(color_at(map, n / 1000.0), nan) << name_of(map);
  }
}

TEST(ValueSummaries, JoinedAreThoseOfAllValues) {
  const std::vector<float> one = {1, 2, 3, 4}, two = {-5, 2, 2, 9};
  const ValueSummary a = summary_of(plane_of_values(one, 2)),
                     b = summary_of(plane_of_values(two, 2));
  const ValueSummary both = joined(a, b);
  EXPECT_EQ(both.smallest, -5);
  EXPECT_EQ(both.largest, 9);
  EXPECT_EQ(joined(a, {}).largest, 4);
  EXPECT_EQ(joined({}, b).smallest, -5);
  const std::vector<std::uint8_t> dead = {0, 0}, mixed = {0, 1};
  const auto levels = [](const std::vector<std::uint8_t>& x, const std::vector<std::uint8_t>& y) {
    return joined(summary_of(plane_of_values(x, 2)), summary_of(plane_of_values(y, 2))).levels;
  };
  EXPECT_EQ(levels(dead, mixed), (std::vector<double>{0, 1}));
  EXPECT_TRUE(joined(a, summary_of(plane_of_values(mixed, 2))).levels.empty());
}

}  // namespace
}  // namespace goban::value_range_test
