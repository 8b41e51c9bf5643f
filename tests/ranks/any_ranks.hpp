#pragma once
// Tests of ranks of every kind: threads, or the processes an MPI has started.

#include <gtest/gtest.h>

#include <vector>

#include "goban/domain/ranks/mpi_loader.hpp"
#include "tests/ranks.hpp"

namespace goban::test {

inline bool is_in_threads() { return world_communicator() == self_communicator(); }

/// On how many ranks a test runs: several threads, or as many processes as there are.
inline std::vector<int> rank_counts() {
  if (!is_in_threads()) return {world_communicator()->size()};
  return {1, 2, 3, 4, 6, 8};
}

class AnyRanks : public testing::TestWithParam<int> {
 protected:
  static void run(const RankFunction& f) {
    if (is_in_threads())
      run_ranks(GetParam(), f);
    else
      f(world_communicator());
  }
};

}  // namespace goban::test
