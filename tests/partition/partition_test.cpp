#include "goban/partition/partition.hpp"

#include <gtest/gtest.h>

#include <random>

#include "goban/partition/scotch.hpp"
#include "tests/error_text.hpp"

namespace goban::partition_test {
namespace {

/// nx x ny vertices with edges between neighbours, rows one after the other.
WeightedGraph lattice(int nx, int ny, int heaviest = 1) {
  std::mt19937 random(3);
  WeightedGraph graph;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      graph.weights.push_back(1 + static_cast<int>(random() % static_cast<unsigned>(heaviest)));
      const auto edge = [&](int x, int y) {
        if (x < 0 || x >= nx || y < 0 || y >= ny) return;
        graph.neighbors.push_back(x + nx * y);
        graph.edge_weights.push_back(2);
      };
      edge(i - 1, j);
      edge(i + 1, j);
      edge(i, j - 1);
      edge(i, j + 1);
      graph.begins.push_back(static_cast<std::int64_t>(graph.neighbors.size()));
    }
  }
  return graph;
}

TEST(Partition, MeasuresCutAndConnection) {
  const WeightedGraph graph = lattice(4, 2);
  const Partition halves = measure(graph, {0, 0, 1, 1, 0, 0, 1, 1}, 2);
  EXPECT_EQ(halves.cut, 4);
  EXPECT_TRUE(halves.is_connected);
  EXPECT_DOUBLE_EQ(halves.imbalance(), 0);
  const Partition apart = measure(graph, {0, 1, 1, 0, 0, 1, 1, 1}, 2);
  EXPECT_FALSE(apart.is_connected);
  EXPECT_EQ(apart.cut, 8);
  EXPECT_DOUBLE_EQ(apart.imbalance(), 0.25);
}

TEST(Partition, FloodsAStrip_AcrossIt) {
  const Partition parts = flood(lattice(40, 5), 4);
  EXPECT_DOUBLE_EQ(parts.imbalance(), 0);
  EXPECT_LE(parts.cut, 2 * (3 * 5 * 2));  // three straight cuts
  EXPECT_TRUE(parts.is_connected);
}

TEST(Partition, FloodsASquareOfUnevenWeights) {
  const WeightedGraph graph = lattice(60, 60, 9);
  for (const int count : {2, 3, 5, 8, 13, 32}) {
    const Partition parts = flood(graph, count);
    EXPECT_LE(parts.imbalance(), 0.03) << count;
    EXPECT_TRUE(parts.is_connected) << count;
    EXPECT_EQ(flood(graph, count).part_of, parts.part_of);
  }
}

TEST(Partition, WhatLiesApart_IsSharedOut) {
  WeightedGraph graph = lattice(8, 8);
  const WeightedGraph other = lattice(8, 8);
  for (std::size_t v = 0; v < 64; ++v) {
    graph.weights.push_back(other.weights[v]);
    graph.begins.push_back(graph.begins[64] + other.begins[v + 1]);
  }
  for (const std::int32_t n : other.neighbors) graph.neighbors.push_back(n + 64);
  graph.edge_weights.insert(graph.edge_weights.end(), other.edge_weights.begin(),
                            other.edge_weights.end());
  const Partition parts = flood(graph, 4);
  EXPECT_LE(parts.imbalance(), 0.03);
  EXPECT_TRUE(parts.is_connected);
}

TEST(Partition, Scotch_CutsEvenlyAndLessThanTheCurve) {
  if (!have_scotch()) GTEST_SKIP() << "there is no libscotch";
  const WeightedGraph graph = lattice(60, 60, 9);
  for (const int count : {2, 5, 32}) {
    const Partition alone = make_parts(graph, count, Partitioner::scotch);
    EXPECT_LE(alone.imbalance(), 0.05) << count;
    EXPECT_LE(alone.cut, cut_curve(graph, count).cut) << count;
    const Partition parts = make_parts(graph, count, Partitioner::scotch_flooded);
    EXPECT_LE(parts.imbalance(), 0.03) << count;
    EXPECT_TRUE(parts.is_connected) << count;
  }
}

TEST(Partition, MorePartsThanVertices_AreRefused) {
  EXPECT_EQ(
      test::refusal(ExitCode::usage, [] { flood(lattice(2, 2), 5); }),
      "a graph of 4 vertices cannot be cut into 5 parts (each has one at least); take fewer parts "
      "or smaller tiles");
}

}  // namespace
}  // namespace goban::partition_test
