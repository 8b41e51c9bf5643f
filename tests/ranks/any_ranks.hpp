#pragma once
// Tests of ranks of every kind: threads, or the processes an MPI has started.

#include <gtest/gtest.h>

#include <vector>

#include "tests/ranks.hpp"

namespace goban::test {

/// On how many ranks a test runs: several threads, or as many processes as there are.
inline std::vector<int> rank_counts() { return {1, 2, 3, 4, 6, 8}; }

class AnyRanks : public testing::TestWithParam<int> {
 protected:
  static bool is_in_threads() { return true; }
  static void run(const RankFunction& f) {
    if (is_in_threads()) run_ranks(GetParam(), f);
  }
};

}  // namespace goban::test
