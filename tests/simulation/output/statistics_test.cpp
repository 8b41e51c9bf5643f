#include "goban/simulation/output/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "goban/base/error.hpp"

namespace goban::statistics_test {
namespace {

TEST(RunningStatistics, AreThoseOfASmallSeriesByHand) {
  RunningStatistics statistics(2);
  const std::vector<std::pair<double, std::vector<float>>> samples = {
      {1, {2, -1}}, {2, {4, -1}}, {4, {9, -1}}};
  for (const auto& [time, sample] : samples) {
    statistics.begin_sample(time);
    statistics.accumulate(0, sample.data(), 2);
  }
  EXPECT_EQ(statistics.samples(), 3);
  EXPECT_DOUBLE_EQ(statistics.mean()[0], (1 * 3 + 2 * 6.5) / 3);
  EXPECT_DOUBLE_EQ(statistics.variance(0), (1 * 10 + 2 * 48.5) / 3 - 256.0 / 9);
  EXPECT_EQ(statistics.minimum()[0], 2);
  EXPECT_EQ(statistics.maximum()[0], 9);
  EXPECT_EQ(statistics.mean()[1], -1);
  EXPECT_EQ(statistics.variance(1), 0);
  EXPECT_EQ(statistics.minimum()[1], -1);
  EXPECT_EQ(statistics.maximum()[1], -1);
}

/// Samples at their own times, however they lie.
TEST(RunningStatistics, OfALineInTimeAreThoseOfTheLine) {
  RunningStatistics statistics(1);
  double time = 0;
  for (int n = 0; n < 2000; ++n) {
    statistics.begin_sample(time);
    statistics.accumulate(0, &time, 1);
    time += 1e-4 * (1 + n % 7);
  }
  const double end = statistics.time();
  EXPECT_NEAR(statistics.mean()[0], end / 2, 1e-12 * end);
  EXPECT_NEAR(statistics.variance(0), end * end / 12, 1e-5 * end * end);
}

TEST(RunningStatistics, OfOneSampleAreItself) {
  RunningStatistics statistics(1);
  const double value = 3;
  statistics.begin_sample(7);
  statistics.accumulate(0, &value, 1);
  EXPECT_EQ(statistics.mean()[0], 3);
  EXPECT_EQ(statistics.variance(0), 0);
}

TEST(RunningStatistics, KeepSmallFluctuationsOnALargeMean) {
  // Subtracting the squares of 1e9 would leave nothing of a variance of 0.25.
  RunningStatistics statistics(1);
  for (int n = 0; n <= 1000; ++n) {
    const double value = 1e9 + n % 2;
    statistics.begin_sample(n);
    statistics.accumulate(0, &value, 1);
  }
  EXPECT_NEAR(statistics.mean()[0], 1e9 + 0.5, 1e-6);
  EXPECT_NEAR(statistics.variance(0), 0.25, 1e-6);
}

TEST(RunningStatistics, TakeEveryElementType) {
  RunningStatistics statistics(5);
  const std::uint8_t byte = 200;
  const std::int32_t integer = -7;
  const half small(0.5f);
  const float single = 1.5f;
  const double real = 1e300;
  statistics.begin_sample(0);
  statistics.accumulate(0, &byte, 1);
  statistics.accumulate(1, &integer, 1);
  statistics.accumulate(2, &small, 1);
  statistics.accumulate(3, &single, 1);
  statistics.accumulate(4, &real, 1);
  const double expected[] = {200, -7, 0.5, 1.5, 1e300};
  EXPECT_TRUE(std::ranges::equal(statistics.mean(), expected));
  EXPECT_TRUE(std::ranges::equal(statistics.maximum(), expected));
}

class RunningStatisticsOfNoise : public testing::Test {
 protected:
  static constexpr Index cells = 37;
  RunningStatisticsOfNoise() {
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(2, 5);
    for (auto& sample : samples_) {
      sample.resize(cells);
      for (double& value : sample) value = noise(random);
    }
  }
  static void expect_equal(const RunningStatistics& a, const RunningStatistics& b) {
    EXPECT_EQ(a.samples(), b.samples());
    EXPECT_EQ(a.span(), b.span());
    EXPECT_TRUE(std::ranges::equal(a.last(), b.last()));
    EXPECT_TRUE(std::ranges::equal(a.mean(), b.mean()));
    EXPECT_TRUE(std::ranges::equal(a.deviation(), b.deviation()));
    EXPECT_TRUE(std::ranges::equal(a.minimum(), b.minimum()));
    EXPECT_TRUE(std::ranges::equal(a.maximum(), b.maximum()));
  }
  std::vector<double> samples_[20];
};

TEST_F(RunningStatisticsOfNoise, AreEqualBitForBitWhateverThePieces) {
  RunningStatistics whole(cells), pieces(cells);
  double time = 0;
  for (const auto& sample : samples_) {
    time += 1 + std::abs(sample[0]);
    whole.begin_sample(time);
    whole.accumulate(0, sample.data(), cells);
    pieces.begin_sample(time);
    for (Index first = 30; first >= 0; first -= 10)
      pieces.accumulate(first, sample.data() + first, std::min<Index>(10, cells - first));
  }
  expect_equal(whole, pieces);
}

TEST_F(RunningStatisticsOfNoise, ContinueFromARestoredState) {
  RunningStatistics whole(cells), before(cells), after(cells);
  for (int n = 0; n < 20; ++n) {
    const double time = n * n;
    whole.begin_sample(time);
    whole.accumulate(0, samples_[n].data(), cells);
    RunningStatistics& part = n < 8 ? before : after;
    part.begin_sample(time);
    part.accumulate(0, samples_[n].data(), cells);
    if (n != 7) continue;
    after.set_samples(before.samples(), before.time(), before.span());
    std::ranges::copy(before.last(), after.last().begin());
    std::ranges::copy(before.mean(), after.mean().begin());
    std::ranges::copy(before.deviation(), after.deviation().begin());
    std::ranges::copy(before.minimum(), after.minimum().begin());
    std::ranges::copy(before.maximum(), after.maximum().begin());
  }
  expect_equal(whole, after);
}

TEST(RunningStatistics, KeepANan) {
  RunningStatistics statistics(1);
  double time = 0;
  for (const float sample : {1.0f, NAN, 2.0f}) {
    statistics.begin_sample(time++);
    statistics.accumulate(0, &sample, 1);
  }
  EXPECT_TRUE(std::isnan(statistics.minimum()[0]) && std::isnan(statistics.maximum()[0]));
  EXPECT_TRUE(std::isnan(statistics.mean()[0]));
}

TEST(RunningStatistics, RefuseNegativeSizes) { EXPECT_THROW(RunningStatistics(-1), Error); }

}  // namespace
}  // namespace goban::statistics_test
