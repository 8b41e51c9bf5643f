// Results do not depend on ranks and threads; every rule's check fails on a tree broken that way.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <queue>

#include "graph500/paths.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"
#include "tests/ranks.hpp"

namespace goban::graph500 {
namespace {

std::vector<Index> tree_on(Communicator& ranks, int threads, int rows, const EdgeSource& source,
                           Index root, Verdict& verdict) {
  ThreadTeam team(threads, false);
  const EdgeList list = make_edges(source, false, ranks.rank(), ranks.size(), team);
  const Labels labels = make_labels(list, source.vertices(), ranks, team);
  const Graph graph = make_graph(list, labels, rows, ranks, team);
  Search search(graph, labels, ranks, team);
  Parents parents = search.make_parents();
  search.run(root, parents);
  std::vector<Index> all = gathered(parents, graph, labels, ranks);
  verdict = validate(list, all, root, ranks, team);
  return all;
}

TEST(Graph500Ranks, ParentsAreTheSameForAllPartitions) {
  const auto source = reference_edges(11, 16);
  const Index root = 5;
  Verdict alone;
  const auto expected = tree_on(*self_communicator(), 1, 1, *source, root, alone);
  ASSERT_FALSE(alone.broken.has_value());
  Verdict threads;
  EXPECT_EQ(tree_on(*self_communicator(), 4, 1, *source, root, threads), expected);
  const std::vector<std::pair<int, int>> partitions = {{2, 1}, {2, 2}, {3, 1}, {3, 3}, {4, 2},
                                                       {7, 7}, {7, 1}, {8, 4}, {8, 2}};
  for (const auto& [count, rows] : partitions) {
    test::run_ranks(count, [&](const std::shared_ptr<Communicator>& ranks) {
      Verdict verdict;
      const auto tree = tree_on(*ranks, 1, rows, *source, root, verdict);
      EXPECT_FALSE(verdict.broken.has_value());
      EXPECT_EQ(tree, expected) << count << " ranks in " << rows << " rows";
      EXPECT_EQ(verdict.edges, alone.edges);
      EXPECT_EQ(verdict.per_level, alone.per_level);
    });
  }
}

TEST(Graph500Ranks, UsualPartitionsAreNearlySquare) {
  EXPECT_EQ(usual_rows(1), 1);
  EXPECT_EQ(usual_rows(7), 7);
  EXPECT_EQ(usual_rows(8), 4);
  EXPECT_EQ(usual_rows(1366), 683);
  EXPECT_EQ(usual_rows(36), 6);
}

TEST(Graph500Ranks, EveryLabelHasOnePlaceInEachNumbering) {
  constexpr Index vertices = 1000;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 1}, {1, 4}, {2, 3}}) {
    for (Vertex label = 0; label < vertices; ++label) {
      const int owner = Partition(rows, columns, 0, vertices).owner(label);
      const Partition own(rows, columns, owner, vertices);
      EXPECT_EQ(own.label_of_own(own.own_of(label)), label);
      EXPECT_EQ(own.label_of_column(own.column_of(label)), label);
      EXPECT_EQ(own.row_of(label) / 64, own.row_block_of(own.own_of(label) / 64, own.column()));
      EXPECT_EQ(own.column_of(label) / 64, own.column_block_of(own.own_of(label) / 64, own.row()));
    }
  }
}

TEST(Graph500Ranks, SetsTravelSparselyAndDensely) {
  for (const Index step : {Index{1}, Index{7}, Index{200}, Index{5000}}) {
    std::vector<Word> words(100, 0), back(100, 0);
    for (Index bit = 3; bit < 6400; bit += step) {
      words[static_cast<std::size_t>(bit / 64)] |= Word{1} << (bit % 64);
    }
    const auto bytes = packed(words);
    unpack(bytes, [&](Index w, Word bits) { back[static_cast<std::size_t>(w)] |= bits; });
    EXPECT_EQ(back, words) << step;
    if (step == 5000) {
      EXPECT_LT(bytes.size(), 10u);
    }
  }
}

/// A path 0 - 1 - 2 - 3, a chord 0 - 2, a loop at 3, and a component 4 - 5 of its own.
class BrokenTree : public testing::Test {
 protected:
  BrokenTree() : list_{0, Buffer<Edge>(6), {}} {
    const Edge edges[] = {{0, 1}, {1, 2}, {3, 2}, {2, 0}, {3, 3}, {4, 5}};
    std::copy(std::begin(edges), std::end(edges), list_.edges.begin());
  }
  std::optional<Rule> broken_by(const std::vector<Index>& parents) {
    return validate(list_, parents, 0, *self_communicator(), team_).broken;
  }
  EdgeList list_;
  ThreadTeam team_{2, false};
};

TEST_F(BrokenTree, IsNotThisOne) {
  const Verdict verdict = validate(list_, {0, 0, 0, 2, -1, -1}, 0, *self_communicator(), team_);
  EXPECT_FALSE(verdict.broken.has_value());
  EXPECT_EQ(verdict.visited, 4);
  EXPECT_EQ(verdict.edges, 5);
  EXPECT_EQ(verdict.per_level, (std::vector<Index>{1, 2, 1}));
}
TEST_F(BrokenTree, HasACycle) {
  EXPECT_EQ(broken_by({0, 0, 3, 2, -1, -1}), Rule::no_cycles);
  EXPECT_EQ(broken_by({0, 1, 0, 2, -1, -1}), Rule::no_cycles);
}
TEST_F(BrokenTree, HasAParentOutside) {
  EXPECT_EQ(broken_by({0, 0, 0, 4, -1, -1}), Rule::tree_edges);
  EXPECT_EQ(broken_by({0, 0, 0, 9, -1, -1}), Rule::tree_edges);
  EXPECT_EQ(broken_by({1, 0, 0, 2, -1, -1}), Rule::tree_edges);
}
TEST_F(BrokenTree, IsNotOfShortestPaths) {
  // 3 hangs two levels too deep: 0 - 1 - 2 - 3 although 0 and 2 are neighbours.
  EXPECT_EQ(broken_by({0, 0, 1, 2, -1, -1}), Rule::input_edges);
}
TEST_F(BrokenTree, LeavesAVertexOut) {
  EXPECT_EQ(broken_by({0, 0, 0, -1, -1, -1}), Rule::spans_component);
}
TEST_F(BrokenTree, ReachesAnotherComponent) {
  EXPECT_EQ(broken_by({0, 0, 0, 2, 3, -1}), Rule::spans_component);
  EXPECT_EQ(broken_by({0, 0, 0, 2, 2, 2}), Rule::parents_are_edges);
}
TEST_F(BrokenTree, HasAnEdgeThatIsNone) {
  EXPECT_EQ(broken_by({0, 0, 0, 1, -1, -1}), Rule::parents_are_edges);
}

TEST_F(BrokenTree, IsFoundOnAllRanks) {
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    ThreadTeam team(1, false);
    EdgeList share{2 * ranks->rank(), Buffer<Edge>(2), {}};
    for (Index e = 0; e < 2; ++e) share.edges[e] = list_.edges[share.begin + e];
    const auto broken_by = [&](const std::vector<Index>& parents) {
      return validate(share, parents, 0, *ranks, team).broken;
    };
    EXPECT_EQ(broken_by({0, 0, 0, 2, -1, -1}), std::nullopt);
    EXPECT_EQ(broken_by({0, 0, 1, 2, -1, -1}), Rule::input_edges);
    EXPECT_EQ(broken_by({0, 0, 0, -1, -1, -1}), Rule::spans_component);
    EXPECT_EQ(broken_by({0, 0, 0, 1, -1, -1}), Rule::parents_are_edges);
  });
}

/// Dijkstra's algorithm over the tuples.
std::vector<float> dijkstra(const EdgeList& list, Index vertices, Index root) {
  std::vector<std::vector<std::pair<Index, float>>> next(static_cast<std::size_t>(vertices));
  for (Index e = 0; e < list.edges.size(); ++e) {
    const Edge edge = list.edges[e];
    next[static_cast<std::size_t>(edge.first())].emplace_back(edge.second(), list.weights[e]);
    next[static_cast<std::size_t>(edge.second())].emplace_back(edge.first(), list.weights[e]);
  }
  std::vector<float> distance(static_cast<std::size_t>(vertices),
                              std::numeric_limits<float>::infinity());
  using Entry = std::pair<float, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[static_cast<std::size_t>(root)] = 0;
  queue.emplace(0.0f, root);
  while (!queue.empty()) {
    const auto [at, v] = queue.top();
    queue.pop();
    if (at > distance[static_cast<std::size_t>(v)]) continue;
    for (const auto& [to, weight] : next[static_cast<std::size_t>(v)]) {
      const float beyond = at + weight;
      if (beyond >= distance[static_cast<std::size_t>(to)]) continue;
      distance[static_cast<std::size_t>(to)] = beyond;
      queue.emplace(beyond, to);
    }
  }
  return distance;
}

class Graph500Paths : public testing::TestWithParam<int> {};

TEST_P(Graph500Paths, AreThoseOfDijkstraBitForBit) {
  ThreadTeam team(GetParam(), false);
  for (const bool is_reference : {false, true}) {
    const auto source = is_reference ? reference_edges(11, 16) : kronecker_edges({.scale = 11});
    const EdgeList list = make_edges(*source, true, 0, 1, team);
    const auto ranks = self_communicator();
    const Labels labels = make_labels(list, source->vertices(), *ranks, team);
    const Graph graph = make_graph(list, labels, 1, *ranks, team);
    Parents parents(source->vertices());
    Distances distances(source->vertices());
    for (const float delta : {0.01f, 0.1f, 2.0f}) {
      ShortestPaths paths(graph, labels, team, delta);
      for (const Index root : {labels.original[3], labels.original[1000]}) {
        paths.run(root, parents, distances);
        EXPECT_EQ(std::vector<float>(distances.begin(), distances.end()),
                  dijkstra(list, source->vertices(), root));
        const Verdict verdict =
            validate_paths(list, {parents.begin(), parents.end()}, distances, root, 1e-5f, team);
        EXPECT_FALSE(verdict.broken.has_value()) << name_of(*verdict.broken);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Threads, Graph500Paths, testing::Values(1, 4));

TEST(Graph500Paths, BrokenOnesAreFound) {
  ThreadTeam team(2, false);
  EdgeList list{0, Buffer<Edge>(4), Buffer<float>(4)};
  const Edge edges[] = {{0, 1}, {1, 2}, {0, 2}, {3, 4}};
  const float weights[] = {0.25f, 0.25f, 0.75f, 0.5f};
  std::copy(std::begin(edges), std::end(edges), list.edges.begin());
  std::copy(std::begin(weights), std::end(weights), list.weights.begin());
  const float no = std::numeric_limits<float>::infinity();
  const auto broken_by = [&](const std::vector<Index>& parents, const std::vector<float>& far) {
    Distances distances(5);
    std::copy(far.begin(), far.end(), distances.begin());
    return validate_paths(list, parents, distances, 0, 1e-5f, team).broken;
  };
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), std::nullopt);
  EXPECT_EQ(broken_by({0, 0, 0, -1, -1}, {0, 0.25f, 0.75f, no, no}), Rule::input_edges);
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.45f, no, no}), Rule::parents_are_edges);
  EXPECT_EQ(broken_by({0, 0, -1, -1, -1}, {0, 0.25f, no, no, no}), Rule::spans_component);
  EXPECT_EQ(broken_by({0, 2, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), Rule::no_cycles);
}

}  // namespace
}  // namespace goban::graph500
