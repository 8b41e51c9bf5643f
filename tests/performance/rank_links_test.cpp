#include "goban/performance/measure/rank_links.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "tests/ranks.hpp"
#include "tests/thread_ranks/slow_links.hpp"

namespace goban::rank_links_test {
namespace {

std::vector<MessageTime> times_of(double latency, double bandwidth) {
  std::vector<MessageTime> times;
  for (const double bytes : {64.0, 4096.0, 65536.0, 1048576.0}) {
    times.push_back({bytes, latency + bytes / bandwidth});
  }
  return times;
}

TEST(RankLinks, TimesOfTheModelGiveTheModel) {
  for (const double latency : {1e-6, 50e-6}) {
    for (const double bandwidth : {1e8, 1e10}) {
      const RankLink link = fit_link(times_of(latency, bandwidth));
      EXPECT_NEAR(link.latency / latency, 1, 1e-6);
      EXPECT_NEAR(link.bandwidth / bandwidth, 1, 1e-6);
    }
  }
}

TEST(RankLinks, NoiseOfSomePercentHardlyMovesTheModel) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  for (const auto& [latency, bandwidth] : {std::pair{5e-6, 1e10}, {2e-7, 4e12}, {1e-3, 1e8}}) {
    std::vector<MessageTime> times;
    for (double bytes = 64; bytes < 1e10; bytes *= 1.2) {
      times.push_back({bytes, (latency + bytes / bandwidth) * noise(random)});
    }
    const RankLink link = fit_link(times);
    EXPECT_NEAR(link.latency / latency, 1, 0.02);
    EXPECT_NEAR(link.bandwidth / bandwidth, 1, 0.02);
  }
}

TEST(RankLinks, NoLatencyIsLessThanNone) {
  auto times = times_of(0, 1e9);
  times[0].seconds /= 2;
  const RankLink link = fit_link(times);
  EXPECT_EQ(link.latency, 0);
  EXPECT_GT(link.bandwidth, 1e9);
}

TEST(RankLinks, NeighborsAreThoseOfOneMachineFirst) {
  test::run_ranks(5,
                  [](const std::shared_ptr<Communicator>& ranks) {
                    EXPECT_EQ(ranks_by_machine(*ranks), (std::vector<int>{0, 2, 4, 1, 3}));
                    const auto links = measure_rank_links(*ranks);
                    EXPECT_EQ(links.size(), ranks->rank() == 0 ? 4u : 0u);
                    for (const RankLink& link : links) EXPECT_GT(link.bandwidth, 0);
                    if (ranks->rank() > 0) return;
                    EXPECT_EQ(links[0].from, 0);
                    EXPECT_EQ(links[0].to, 2);
                  },
                  {0, 1, 0, 1, 0});
}

TEST(RankLinks, SlowLinksAreFoundSlow) {
  test::run_ranks(2, [](const std::shared_ptr<Communicator>& ranks) {
    const auto slow = with_slow_links(ranks, {.latency = 3e-3, .bytes_per_second = 1e8});
    const auto links = measure_rank_links(*slow);
    if (ranks->rank() > 0) return;
    ASSERT_EQ(links.size(), 1u);
    EXPECT_GT(links[0].latency, 1e-3);
    EXPECT_LT(links[0].bandwidth, 2e8);
  });
}

}  // namespace
}  // namespace goban::rank_links_test
