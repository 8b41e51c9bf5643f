#include "goban/io/picture/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace goban::ticks_test {
namespace {

std::string labels_of(const Ticks& ticks) {
  std::string text;
  for (const Tick& tick : ticks.marks) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_EQ(labels_of(linear_ticks(0, 1, 5)), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels_of(linear_ticks(-3, 7, 5)), "-2 0 2 4 6");
  EXPECT_EQ(labels_of(linear_ticks(12, 47, 4)), "20 30 40");
  EXPECT_EQ(labels_of(linear_ticks(-0.1, 0.1, 4)), "-0.10 -0.05 0.00 0.05 0.10");
}

TEST(Ticks, SmallAndLargeNumbersShareAPowerOfAThousand) {
  const Ticks small = linear_ticks(0, 1e-4, 5);
  EXPECT_EQ(labels_of(small), "0 20 40 60 80 100");
  EXPECT_EQ(small.factor, "10^-6");
  EXPECT_EQ(small.title("x", "m"), "x [10^-6 m]");
  EXPECT_EQ(small.title("x", ""), "x [10^-6]");
  const Ticks large = linear_ticks(0, 3.2e8, 3);
  EXPECT_EQ(labels_of(large), "0 200");
  EXPECT_EQ(large.factor, "10^6");
  EXPECT_EQ(linear_ticks(0, 80000, 4).factor, "");
}

TEST(Ticks, NumbersThatHardlyDifferAreDifferencesFromARoundOne) {
  const Ticks ticks = linear_ticks(293.15, 293.1502, 4);
  EXPECT_EQ(ticks.offset, "293.15");
  EXPECT_EQ(ticks.title("T", "K"), "T - 293.15 [10^-6 K]");
  EXPECT_EQ(labels_of(ticks), "0 50 100 150 200");
  EXPECT_NEAR(ticks.marks[1].value, 293.15005, 1e-9);
  EXPECT_EQ(linear_ticks(-1e6, -999999.5, 4).title("p", "Pa"), "p + 1000000 [Pa]");
}

TEST(Ticks, TitlesLeaveOutWhatIsNotThere) {
  const Ticks ticks = linear_ticks(0, 1, 5);
  EXPECT_EQ(ticks.title("u", ""), "u");
  EXPECT_EQ(ticks.title("", "s"), "[s]");
  EXPECT_EQ(ticks.title("", ""), "");
}

TEST(Ticks, AnyIntervalGivesOrderedMarksInsideIt) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 20000; ++n) {
    const double size = std::pow(10.0, 300 * uniform(random));
    double low = uniform(random) * size;
    double high = low + std::pow(10.0, 6 * uniform(random) - 6) * size;
    std::tie(low, high) = widened(low, high);
    const int wanted = 1 + n % 8;
    const Ticks ticks = linear_ticks(low, high, wanted);
    ASSERT_LE(ticks.marks.size(), 2u * static_cast<unsigned>(wanted) + 1) << low << " " << high;
    for (std::size_t m = 0; m < ticks.marks.size(); ++m) {
      ASSERT_GE(ticks.marks[m].value, low - 1e-5 * (high - low)) << low << " " << high;
      ASSERT_LE(ticks.marks[m].value, high + 1e-5 * (high - low)) << low << " " << high;
      ASSERT_LE(ticks.marks[m].label.size(), 10u) << low << " " << high;
      if (m == 0) continue;
      ASSERT_NE(ticks.marks[m].label, ticks.marks[m - 1].label) << low << " " << high;
    }
  }
}

TEST(Ticks, ExtremeIntervalsDoNotOverflow) {
  const double largest = 1.7e308;
  EXPECT_FALSE(linear_ticks(-largest, largest, 4).marks.empty());
  const auto [low, high] = widened(5e-324, 5e-324);
  EXPECT_LT(low, high);
  EXPECT_FALSE(linear_ticks(low, high, 4).marks.empty());
}

TEST(Ticks, EmptyIntervalsAreWidened) {
  EXPECT_EQ(widened(0, 0), (std::pair{-0.5, 0.5}));
  EXPECT_EQ(widened(100, 100), (std::pair{95.0, 105.0}));
  EXPECT_EQ(widened(1, 2), (std::pair{1.0, 2.0}));
}

TEST(LogTicks, ArePowersOfTen) {
  EXPECT_EQ(labels_of(log_ticks(1e-8, 1, 4)), "10^-8 10^-6 10^-4 10^-2 10^0");
  const Ticks three = log_ticks(1, 1000, 5);
  EXPECT_EQ(three.marks.size(), 28u);
  EXPECT_EQ(three.marks[0].label, "10^0");
  EXPECT_EQ(three.marks[1].label, "");
  EXPECT_EQ(three.marks[9].label, "10^1");
}

TEST(LogTicks, ShortAxesHaveNumbersBetween) {
  const Ticks ticks = log_ticks(1, 64, 5);
  std::string labels;
  for (const Tick& tick : ticks.marks)
    if (!tick.label.empty()) labels += tick.label + " ";
  EXPECT_EQ(labels, "1 2 5 10 20 50 ");
  EXPECT_FALSE(log_ticks(3.1, 3.2, 5).marks.empty());
}

TEST(Ticks, LengthsAreInMillimetresWhereTheseFit) {
  const Ticks ticks = linear_ticks(0, 0.016, 4, "m");
  EXPECT_EQ(labels_of(ticks), "0 5 10 15");
  EXPECT_EQ(ticks.title("x", "m"), "x [mm]");
  EXPECT_DOUBLE_EQ(ticks.marks.back().value, 0.015);
  EXPECT_EQ(linear_ticks(0, 24000, 4, "m").title("x", "m"), "x [km]");
  EXPECT_EQ(linear_ticks(0, 2, 4, "m").title("x", "m"), "x [m]");
  EXPECT_EQ(linear_ticks(0, 1e-2, 4, "s").title("time", "s"), "time [ms]");
  EXPECT_EQ(linear_ticks(0, 3.2e8, 4, "s").title("time", "s"), "time [10^6 s]");
  EXPECT_EQ(linear_ticks(0, 1e-4, 4, "K").title("T", "K"), "T [10^-6 K]");
}

}  // namespace
}  // namespace goban::ticks_test
