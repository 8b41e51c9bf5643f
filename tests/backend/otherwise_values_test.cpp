#include "goban/backend/otherwise_values.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::otherwise_values_test {
namespace {

using Read = FieldParameter<Access::in, float, 1>;
using Out = FieldParameter<Access::out, float, 1>;

/// Offsets along x of the reads that selections alone take.
template <class F>
std::vector<int> reads_otherwise(const F& f) {
  const auto recorded = record<Read, Out>(f);
  const Graph& graph = *recorded.graph;
  const auto found = otherwise_values(graph, results_of(graph));
  std::vector<int> offsets;
  for (std::size_t n = 0; n < found.size(); ++n) {
    const GraphNode& node = graph.node(static_cast<int>(n));
    if (found[n] && node.op == GraphOp::read) offsets.push_back(static_cast<int>(node.data[2]));
  }
  return offsets;
}

using Offsets = std::vector<int>;

TEST(OtherwiseValues, AreReadsAndSumsWithThem) {
  EXPECT_EQ(reads_otherwise([](auto u, auto v) { v = select(u() > 0, u(), u(1, 0, 0)); }),
            Offsets{1});
  EXPECT_EQ(reads_otherwise(
                [](auto u, auto v) { v = select(u() > 0, u(2, 0, 0), u(1, 0, 0) + u(2, 0, 0)); }),
            Offsets{1});
  EXPECT_EQ(reads_otherwise([](auto u, auto v) {
              const auto first = select(u() > 0, u(2, 0, 0), u(1, 0, 0) - u(2, 0, 0));
              v = select(u() > 1, first, u(1, 0, 0)) * first;
            }),
            Offsets{1});
}

TEST(OtherwiseValues, AreNotWhatAllCellsNeed) {
  EXPECT_EQ(reads_otherwise([](auto u, auto v) { v = select(u() > 0, u(1, 0, 0), u()); }),
            Offsets{});
  EXPECT_EQ(
      reads_otherwise([](auto u, auto v) { v = select(u() > 0, u(), u(1, 0, 0)) + u(1, 0, 0); }),
      Offsets{});
  EXPECT_EQ(reads_otherwise([](auto u, auto v) {
              const auto sum = u(1, 0, 0) + u();
              v = select(u() > 0, u(), sum) * sum;
            }),
            Offsets{});
  EXPECT_EQ(reads_otherwise([](auto u, auto v) { v = select(u() > 0, u(), sqrt(u(1, 0, 0))); }),
            Offsets{});
}

}  // namespace
}  // namespace goban::otherwise_values_test
