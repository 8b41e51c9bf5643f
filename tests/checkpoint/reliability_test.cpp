#include "goban/checkpoint/reliability.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace goban::reliability_test {
namespace {

/// Rare failures: of any other node within a repair with one in a million.
NodeFailures rare() {
  NodeFailures failures;
  failures.nodes = 1000;
  failures.mtbf = 1e6;
  failures.repair = 1e3;
  failures.run = 1e5;
  return failures;
}

TEST(Reliability, ChancesAreBinomial) {
  const double p = -std::expm1(-1e-6);
  EXPECT_NEAR(chance_of_more(rare(), 7, 1) / (1 - std::pow(1 - p, 7)), 1, 1e-6);
  EXPECT_NEAR(chance_of_more(rare(), 7, 2) / (21 * p * p), 1, 1e-4);
  EXPECT_EQ(chance_of_more(rare(), 0, 0), 1);
  EXPECT_EQ(chance_of_more(rare(), 3, 4), 0);
}

TEST(Reliability, WithoutProtectionTheFirstFailureCounts) {
  EXPECT_DOUBLE_EQ(chance_to_lose(rare(), 1, 0), -std::expm1(-0.1));
}

/// Patterson, Gibson and Katz: the time until data is lost is MTTF^2 / (N (G - 1) MTTR) for groups
/// of G that survive one loss; MTTF of a node is N times that of all.
TEST(Reliability, GroupsThatSurviveOneLossAreThoseOfRaid) {
  const NodeFailures failures = rare();
  const double of_node = failures.nodes * failures.mtbf;
  const double until_lost = of_node * of_node / (failures.nodes * (8 - 1) * failures.repair);
  EXPECT_NEAR(chance_to_lose(failures, 8, 1) / (failures.run / until_lost), 1, 1e-4);
}

TEST(Reliability, CopiesAreLostWithEitherNeighbour) {
  EXPECT_NEAR(chance_to_lose_copies(rare()) / chance_to_lose(rare(), 3, 1), 1, 1e-12);
  EXPECT_LT(chance_to_lose(rare(), 8, 2), 1e-4 * chance_to_lose_copies(rare()));
}

TEST(Reliability, ParityIsSentOnceForEachLossAndWrittenInShares) {
  NodeFailures failures = rare();
  failures.bytes = 6e9;
  failures.local = 1e9;
  failures.network = 2e9;
  failures.encoding = 3e9;
  EXPECT_DOUBLE_EQ(seconds_of_local(failures), 6);
  EXPECT_DOUBLE_EQ(seconds_of_copies(failures), 3 + 6);
  EXPECT_DOUBLE_EQ(seconds_of_parity(failures, 8, 2), 2 * 3 + 2 + 2);
}

}  // namespace
}  // namespace goban::reliability_test
