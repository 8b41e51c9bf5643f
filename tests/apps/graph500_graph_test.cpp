// Generators and kernel 1 against the graphs of the reference implementation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph500/edge.hpp"
#include "graph500/graph.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"

namespace goban::graph500::graph500_graph_test {
namespace {

struct ReferenceGraph {
  int scale;
  std::uint64_t fingerprint;
  Index loops, unique, isolated, most_edges;
};
// graph500_reference_bfs.csv: graph500/graph500, seeds 2 and 3, edge factor 16; searches by an
// independent serial program.
const std::vector<ReferenceGraph> reference_graphs = {
    {8, 0x4bcb87c85025c714, 85, 2152, 15, 829},
    {10, 0xd1ddd7445ee1ff52, 144, 10551, 125, 1977},
    {12, 0x8d77012a7a2f73f0, 208, 48358, 743, 4765},
    {14, 0x4e157f0dad7d70fa, 326, 213088, 3834, 10921}};

struct ReferenceSearch {
  int scale;
  Index root, vertices, edges;
  std::vector<Index> per_level;
};
const std::vector<ReferenceSearch> reference_searches = {
    {8, 53, 241, 4096, {1, 2, 49, 178, 11}},
    {8, 55, 241, 4096, {1, 19, 194, 27}},
    {8, 31, 241, 4096, {1, 1, 98, 135, 6}},
    {8, 241, 241, 4096, {1, 21, 181, 38}},
    {8, 98, 241, 4096, {1, 5, 175, 59, 1}},
    {8, 2, 241, 4096, {1, 5, 190, 44, 1}},
    {8, 116, 241, 4096, {1, 7, 185, 48}},
    {8, 212, 241, 4096, {1, 1, 26, 192, 21}},
    {10, 458, 897, 16383, {1, 8, 500, 380, 8}},
    {10, 214, 897, 16383, {1, 1, 463, 427, 5}},
    {10, 220, 897, 16383, {1, 21, 660, 214, 1}},
    {10, 966, 897, 16383, {1, 13, 634, 249}},
    {10, 395, 897, 16383, {1, 1, 125, 696, 74}},
    {10, 9, 897, 16383, {1, 23, 656, 216, 1}},
    {10, 848, 897, 16383, {1, 18, 636, 241, 1}},
    {10, 777, 897, 16383, {1, 1, 463, 427, 5}},
    {12, 1834, 3351, 65535, {1, 33, 1940, 1361, 16}},
    {12, 858, 3351, 65535, {1, 47, 2318, 975, 10}},
    {12, 881, 3351, 65535, {1, 2, 197, 2696, 455}},
    {12, 504, 3351, 65535, {1, 139, 2657, 552, 2}},
    {12, 3865, 3351, 65535, {1, 7, 1790, 1530, 23}},
    {12, 37, 3351, 65535, {1, 37, 2229, 1076, 8}},
    {12, 3394, 3351, 65535, {1, 7, 1437, 1858, 48}},
    {12, 3109, 3351, 65535, {1, 39, 2155, 1144, 12}},
    {14, 7337, 12550, 262144, {1, 282, 9574, 2675, 18}},
    {14, 3434, 12550, 262144, {1, 9, 3047, 9118, 375}},
    {14, 3526, 12550, 262144, {1, 786, 10297, 1458, 8}},
    {14, 2016, 12550, 262144, {1, 10, 4032, 8261, 246}},
    {14, 15463, 12550, 262144, {1, 4, 1461, 10215, 863, 6}},
    {14, 6328, 12550, 262144, {1, 1, 1772, 10057, 719}},
    {14, 7452, 12550, 262144, {1, 1, 1744, 10061, 740, 3}},
    {14, 13579, 12550, 262144, {1, 6, 2624, 9500, 418, 1}}};

class WithTeam : public testing::Test {
 protected:
  EdgeList edges(const EdgeSource& source) { return make_edges(source, false, 0, 1, team_); }
  ThreadTeam team_{3, false};
  std::shared_ptr<Communicator> alone_ = self_communicator();
};
using ReferenceGraphs = WithTeam;
using KroneckerGraphs = WithTeam;

TEST_F(ReferenceGraphs, AreThoseOfTheReferenceEdgeByEdge) {
  for (const ReferenceGraph& expected : reference_graphs) {
    const auto source = reference_edges(expected.scale, 16);
    EXPECT_EQ(fingerprint(*source), expected.fingerprint) << expected.scale;
    const EdgeList list = edges(*source);
    EXPECT_EQ(std::count_if(list.edges.begin(), list.edges.end(),
                            [](const Edge& edge) { return edge.is_loop(); }),
              expected.loops);
    const Labels labels = make_labels(list, source->vertices(), *alone_, team_);
    EXPECT_EQ(source->vertices() - labels.count(), expected.isolated);
    EXPECT_EQ(labels.degree[0], static_cast<std::uint32_t>(expected.most_edges));
    const Graph graph = make_graph(list, labels, 1, *alone_, team_);
    EXPECT_EQ(graph.by_row.neighbour.size(), 2 * expected.unique);
  }
}

TEST_F(ReferenceGraphs, HaveTheLevelsOfTheReference) {
  int scale = 0;
  std::unique_ptr<EdgeSource> source;
  EdgeList list;
  Labels labels;
  Graph graph;
  Index drawn = 0;
  for (const ReferenceSearch& expected : reference_searches) {
    if (expected.scale != scale) {
      scale = expected.scale;
      source = reference_edges(scale, 16);
      list = edges(*source);
      labels = make_labels(list, source->vertices(), *alone_, team_);
      graph = make_graph(list, labels, 1, *alone_, team_);
      drawn = 0;
    }
    Index key = source->draw_key(drawn++);
    while (labels.label[key] == no_vertex) key = source->draw_key(drawn++);
    EXPECT_EQ(key, expected.root);
    Search search(graph, labels, *alone_, team_);
    Parents parents = search.make_parents();
    search.run(expected.root, parents);
    const Verdict verdict =
        validate(list, {parents.begin(), parents.end()}, expected.root, *alone_, team_);
    EXPECT_FALSE(verdict.broken.has_value());
    EXPECT_EQ(verdict.visited, expected.vertices);
    EXPECT_EQ(verdict.edges, expected.edges);
    EXPECT_EQ(verdict.per_level, expected.per_level) << scale << " from " << expected.root;
  }
}

TEST_F(KroneckerGraphs, AnyPartOfTheListIsTheSameAnywhere) {
  const auto source = kronecker_edges({.scale = 9, .seed = 7});
  std::vector<Edge> all(static_cast<std::size_t>(source->edges())), part(100);
  source->edges(0, all);
  source->edges(1234, part);
  for (std::size_t i = 0; i < part.size(); ++i) {
    EXPECT_EQ(part[i].first(), all[1234 + i].first());
    EXPECT_EQ(part[i].second(), all[1234 + i].second());
  }
  EXPECT_NE(fingerprint(*source), fingerprint(*kronecker_edges({.scale = 9, .seed = 8})));
}

/// The share of tuples in each quadrant follows from A, B, C, D; permuted vertices are all there.
TEST_F(KroneckerGraphs, DrawQuadrantsWithTheirProbabilities) {
  const int scale = 1;  // a bit an end; permuting it may only flip it
  const auto source = kronecker_edges({.scale = scale, .edge_factor = 1 << 16});
  std::vector<Edge> all(static_cast<std::size_t>(source->edges()));
  source->edges(0, all);
  std::vector<double> share(4, 0);
  for (const Edge& edge : all) {
    share[static_cast<std::size_t>(2 * edge.first() + edge.second())] +=
        1.0 / static_cast<double>(all.size());
  }
  if (share[3] > share[0]) std::reverse(share.begin(), share.end());
  const double expected[] = {0.57, 0.19, 0.19, 0.05};
  for (std::size_t q = 0; q < 4; ++q) EXPECT_NEAR(share[q], expected[q], 0.006) << q;
}

/// Counts that are expected of a graph whose tuples are drawn independently.
struct Expected {
  double with_edges = 0, with_one = 0, single_edges = 0;
};
Expected expected_of(int scale) {
  const auto choose = [](int n, int k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
  };
  const double tuples = 16 * std::pow(2.0, scale);
  // The first bit of an end is 0 with A + B.
  const auto degree = [&](int ones) {
    return 2 * tuples * std::pow(0.76, scale - ones) * std::pow(0.24, ones);
  };
  Expected expected;
  for (int ones = 0; ones <= scale; ++ones) {
    const double vertices = choose(scale, ones), d = degree(ones);
    expected.with_edges += vertices * (1 - std::exp(-d));
    expected.with_one += vertices * d * std::exp(-d);
  }
  for (int both = 0; both <= scale; ++both) {
    for (int first = 0; first + both <= scale; ++first) {
      for (int second = 0; first + second + both <= scale; ++second) {
        if (first + second == 0) continue;  // a loop
        const double pairs = choose(scale, both) * choose(scale - both, first) *
                             choose(scale - both - first, second);
        const double probability = std::pow(0.57, scale - both - first - second) *
                                   std::pow(0.19, first + second) * std::pow(0.05, both);
        expected.single_edges +=
            pairs * tuples * probability * std::exp(-degree(both + first) - degree(both + second));
      }
    }
  }
  return expected;
}

TEST_F(KroneckerGraphs, HaveAsManySingleEdgesAsExpected) {
  const auto source = kronecker_edges({.scale = 17});
  const EdgeList list = edges(*source);
  const Labels labels = make_labels(list, source->vertices(), *alone_, team_);
  const Expected expected = expected_of(17);
  const auto is_near = [](Index found, double wanted) {
    EXPECT_NEAR(static_cast<double>(found), wanted, 4 * std::sqrt(wanted));
  };
  is_near(labels.count(), expected.with_edges);
  is_near(std::count(labels.degree.begin(), labels.degree.end(), 1u), expected.with_one);
  const auto is_end = [&](Index v) { return labels.degree[labels.label[v]] == 1; };
  is_near(std::count_if(list.edges.begin(), list.edges.end(),
                        [&](const Edge& edge) {
                          return !edge.is_loop() && is_end(edge.first()) && is_end(edge.second());
                        }),
          expected.single_edges);
}

TEST_F(KroneckerGraphs, AreAsLargeAsThoseOfTheReference) {
  // The reference's at scale 14: 213088 unique edges, 3834 isolated vertices, 326 loops.
  const auto source = kronecker_edges({.scale = 14});
  const EdgeList list = edges(*source);
  const Labels labels = make_labels(list, source->vertices(), *alone_, team_);
  const Graph graph = make_graph(list, labels, 1, *alone_, team_);
  EXPECT_NEAR(static_cast<double>(graph.by_row.neighbour.size()) / 2, 213088, 0.01 * 213088);
  EXPECT_NEAR(static_cast<double>(source->vertices() - labels.count()), 3834, 0.1 * 3834);
}

TEST_F(KroneckerGraphs, HaveSortedListsThatLeadBothWays) {
  const auto source = kronecker_edges({.scale = 10});
  const EdgeList list = edges(*source);
  const Labels labels = make_labels(list, source->vertices(), *alone_, team_);
  const Graph graph = make_graph(list, labels, 1, *alone_, team_);
  std::set<std::pair<Vertex, Vertex>> expected, found;
  for (const Edge& edge : list.edges) {
    if (edge.is_loop()) continue;
    const Vertex a = labels.label[edge.first()], b = labels.label[edge.second()];
    expected.insert({a, b});
    expected.insert({b, a});
  }
  const Adjacency& rows = graph.by_row;
  for (Index v = 0; v < rows.vertices(); ++v) {
    for (auto e = static_cast<Index>(rows.begin[v]); e < static_cast<Index>(rows.begin[v + 1]);
         ++e) {
      if (e > static_cast<Index>(rows.begin[v])) {
        EXPECT_LT(rows.neighbour[e - 1], rows.neighbour[e]);
      }
      found.insert({static_cast<Vertex>(v), rows.neighbour[e]});
    }
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace goban::graph500::graph500_graph_test
