#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/ranks/any_ranks.hpp"

namespace goban::collectives_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;

class Collectives : public AnyRanks {};

std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> result(bytes);
  for (std::byte& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

TEST_P(Collectives, RanksAreCountedAndShareTheFirstMachine) {
  run([](const Ranks& ranks) {
    std::vector<std::uint64_t> seen(ranks->size(), 0);
    seen[ranks->rank()] = 1;
    ranks->sum(seen);
    EXPECT_EQ(seen, std::vector<std::uint64_t>(ranks->size(), 1));
    EXPECT_EQ(ranks->nodes(), std::vector<int>(ranks->size(), 0));
  });
}

TEST_P(Collectives, SumsMinimaAndMaximaAreElementByElement) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    std::vector<std::uint64_t> sums = {1, static_cast<std::uint64_t>(r), ~std::uint64_t{0}, 0};
    ranks->sum(sums);
    EXPECT_EQ(sums, (std::vector<std::uint64_t>{static_cast<std::uint64_t>(n),
                                                static_cast<std::uint64_t>(n * (n - 1) / 2),
                                                -static_cast<std::uint64_t>(n), 0}));
    using Limits = std::numeric_limits<std::int64_t>;
    std::vector<std::int64_t> least = {r, -r, r == 0 ? Limits::min() : Limits::max()};
    std::vector<std::int64_t> most = {r, -r, r == n - 1 ? Limits::max() : Limits::min()};
    ranks->minimum(least);
    ranks->maximum(most);
    EXPECT_EQ(least, (std::vector<std::int64_t>{0, 1 - n, Limits::min()}));
    EXPECT_EQ(most, (std::vector<std::int64_t>{n - 1, 0, Limits::max()}));
  });
}

TEST_P(Collectives, NothingIsCombinedToo) {
  run([](const Ranks& ranks) {
    ranks->sum({});
    ranks->minimum({});
    ranks->maximum({});
    ranks->broadcast({}, ranks->size() - 1);
  });
}

TEST_P(Collectives, EveryRankCanBroadcast) {
  run([](const Ranks& ranks) {
    for (int root = 0; root < ranks->size(); ++root)
      for (const std::size_t bytes : {1, 1000, 300000}) {
        const auto expected = pattern(bytes, root + bytes);
        std::vector<std::byte> actual(bytes);
        if (root == ranks->rank()) actual = expected;
        ranks->broadcast(actual, root);
        EXPECT_TRUE(actual == expected) << bytes << " bytes of rank " << root;
      }
  });
}

TEST_P(Collectives, NobodyLeavesABarrierBeforeAllHaveCome) {
  std::atomic<int> arrived = 0;
  run([&](const Ranks& ranks) {
    for (int round = 1; round <= 200; ++round) {
      ++arrived;
      ranks->barrier();
      EXPECT_GE(arrived, test::is_in_threads() ? round * ranks->size() : round);
    }
  });
}

struct Plan {
  int from, to;
  std::size_t bytes;
};

/// The same on every rank: which parcels go from where to where, in this order.
std::vector<Plan> random_plans(int ranks, int round) {
  std::mt19937 random(static_cast<unsigned>(round));
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  std::vector<Plan> plans(round % 7 == 0 ? 0 : draw(4 * ranks));
  for (Plan& plan : plans) {
    constexpr int sizes[] = {0, 1, 13, 4096, 70000};
    plan = {draw(ranks), draw(ranks), static_cast<std::size_t>(sizes[draw(5)])};
  }
  return plans;
}

TEST_P(Collectives, ParcelsReachThoseTheyNameInOrder) {
  run([](const Ranks& ranks) {
    for (int round = 0; round < 60; ++round) {
      const auto plans = random_plans(ranks->size(), round);
      std::vector<Parcel> parcels, expected;
      for (std::size_t i = 0; i < plans.size(); ++i)
        if (plans[i].from == ranks->rank())
          parcels.push_back({plans[i].to, pattern(plans[i].bytes, i)});
      for (int source = 0; source < ranks->size(); ++source)
        for (std::size_t i = 0; i < plans.size(); ++i)
          if (plans[i].from == source && plans[i].to == ranks->rank())
            expected.push_back({source, pattern(plans[i].bytes, i)});
      const auto received = ranks->exchange(std::move(parcels));
      ASSERT_EQ(received.size(), expected.size()) << "round " << round;
      for (std::size_t i = 0; i < received.size(); ++i) {
        EXPECT_EQ(received[i].rank, expected[i].rank);
        EXPECT_TRUE(received[i].bytes == expected[i].bytes) << "round " << round << " #" << i;
      }
    }
  });
}

TEST_P(Collectives, EverybodySendsToEverybody) {
  run([](const Ranks& ranks) {
    for (int round = 0; round < 20; ++round) {
      std::vector<Parcel> parcels;
      for (int to = 0; to < ranks->size(); ++to)
        parcels.push_back({to, pattern(100000, ranks->rank() * 100 + to)});
      const auto received = ranks->exchange(std::move(parcels));
      ASSERT_EQ(received.size(), static_cast<std::size_t>(ranks->size()));
      for (int from = 0; from < ranks->size(); ++from)
        EXPECT_TRUE(received[from].bytes == pattern(100000, from * 100 + ranks->rank()));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(On, Collectives, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::collectives_test
