// Results do not depend on ranks and threads; every rule's check fails on a tree broken that way.

#include <gtest/gtest.h>

#include <limits>
#include <queue>

#include "graph500/graph_parts.hpp"
#include "graph500/paths.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"

namespace goban::graph500::graph500_search_test {
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
  std::vector<Index> all = gathered(parents, Index{-1}, graph, labels, ranks);
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

/// A graph in memory of a rank, as values of a checkpoint.
class InMemory : public GraphParts {
 public:
  InMemory(Graph& graph, Labels& labels, Communicator& ranks)
      : graph_(graph), labels_(labels), ranks_(ranks) {}
  GraphShape shape() const override {
    return shape_of(graph_.partition, labels_.count(), false, {graph_.by_row.neighbour.size()},
                    {graph_.by_column.neighbour.size()}, ranks_);
  }
  Labels& labels() override { return labels_; }
  void read(Lists lists, ListValues, int part, Index begin,
            std::span<std::uint32_t> values) override {
    EXPECT_EQ(part, ranks_.rank());
    std::copy_n(of(lists).neighbour.begin() + begin, values.size(), values.begin());
  }
  void write(Lists lists, ListValues, int part, Index begin,
             std::span<const std::uint32_t> values) override {
    EXPECT_EQ(part, ranks_.rank());
    std::copy(values.begin(), values.end(), of(lists).neighbour.begin() + begin);
  }

 private:
  Adjacency& of(Lists lists) { return lists == Lists::rows ? graph_.by_row : graph_.by_column; }
  Graph& graph_;
  Labels& labels_;
  Communicator& ranks_;
};

TEST(Graph500Ranks, ListsOfAllPartsAreOneArray) {
  const auto source = kronecker_edges({.scale = 9});
  test::run_ranks(4, [&](const std::shared_ptr<Communicator>& ranks) {
    ThreadTeam team(1, false);
    const EdgeList list = make_edges(*source, false, ranks->rank(), 4, team);
    Labels labels = make_labels(list, source->vertices(), *ranks, team);
    Graph graph = make_graph(list, labels, 2, *ranks, team);
    InMemory parts(graph, labels, *ranks);
    const GraphShape shape = shape_from(to_json(parts.shape()));
    const auto arrays = graph_arrays(parts, shape, *ranks);
    ASSERT_EQ(arrays.size(), 6u);
    for (const std::size_t n : {3u, 5u}) {  // neighbours of rows and columns
      const CheckpointArray& array = arrays[n];
      const Buffer<Vertex>& own = n == 3 ? graph.by_row.neighbour : graph.by_column.neighbour;
      const std::vector<Vertex> before(own.begin(), own.end());
      // Every rank reads and gives back some of all ranks' values.
      const Part share = split_evenly(array.extents[0], 4, 3 - ranks->rank());
      const Box box{{share.begin, 0, 0}, {share.end, 1, 1}};
      std::vector<std::uint32_t> values(static_cast<std::size_t>(box.volume()));
      array.copy_out(box, values.data());
      fill(n == 3 ? graph.by_row.neighbour : graph.by_column.neighbour, no_vertex, team);
      array.copy_in(box, values.data());
      EXPECT_EQ(std::vector<Vertex>(own.begin(), own.end()), before);
    }
  });
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

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Shortest paths of one partition, validated.
struct Paths {
  std::vector<Index> parents;
  std::vector<float> distances;
};
Paths paths_on(Communicator& ranks, int threads, int rows, const EdgeSource& source, Index root,
               double delta) {
  ThreadTeam team(threads, false);
  const EdgeList list = make_edges(source, true, ranks.rank(), ranks.size(), team);
  const Labels labels = make_labels(list, source.vertices(), ranks, team);
  const Graph graph = make_graph(list, labels, rows, ranks, team);
  ShortestPaths search(graph, labels, ranks, team, {source.most_weight(), delta});
  Parents parents = Search(graph, labels, ranks, team).make_parents();
  Distances distances = search.make_distances();
  for (int i = 0; i < 2; ++i) search.run(root, parents, distances);
  Paths all{gathered(parents, Index{-1}, graph, labels, ranks),
            gathered(distances, infinity, graph, labels, ranks)};
  const Verdict verdict = validate_paths(list, all.parents, all.distances, root, ranks, team);
  EXPECT_FALSE(verdict.broken.has_value()) << name_of(*verdict.broken);
  return all;
}

/// Expects the parent with the smallest label of all neighbours on shortest paths that lead on.
void expect_smallest_parents(const EdgeList& list, const Labels& labels, const Paths& paths,
                             Index root) {
  std::vector<Index> smallest(paths.parents.size(), -1);
  const auto offer = [&](Index from, Index to, float weight) {
    const float near = paths.distances[static_cast<std::size_t>(from)];
    if (near == infinity || near + weight != paths.distances[static_cast<std::size_t>(to)]) return;
    EXPECT_TRUE(near + weight > near || from == to) << "this graph decides nothing";
    Index& parent = smallest[static_cast<std::size_t>(to)];
    if (parent < 0 || labels.label[from] < labels.label[parent]) parent = from;
  };
  for (Index e = 0; e < list.edges.size(); ++e) {
    const Edge edge = list.edges[e];
    if (edge.is_loop()) continue;
    offer(edge.first(), edge.second(), list.weights[e]);
    offer(edge.second(), edge.first(), list.weights[e]);
  }
  smallest[static_cast<std::size_t>(root)] = root;
  EXPECT_EQ(paths.parents, smallest);
}

TEST(Graph500Paths, AreThoseOfDijkstraBitForBit) {
  ThreadTeam team(1, false);
  const auto alone = self_communicator();
  for (const bool is_reference : {false, true}) {
    const auto source = is_reference ? reference_edges(11, 16) : kronecker_edges({.scale = 11});
    const EdgeList list = make_edges(*source, true, 0, 1, team);
    const Labels labels = make_labels(list, source->vertices(), *alone, team);
    for (const Index root : {labels.original[3], labels.original[1000]}) {
      const std::vector<float> expected = dijkstra(list, source->vertices(), root);
      for (const auto& [threads, delta] : {std::pair{1, 0.01}, {1, 2.0}, {4, 0.1}, {1, 1e-300}}) {
        const Paths paths = paths_on(*alone, threads, 1, *source, root, delta);
        EXPECT_EQ(paths.distances, expected) << threads << " threads, bins of " << delta;
        expect_smallest_parents(list, labels, paths, root);
      }
    }
  }
}

TEST(Graph500Paths, AreTheSameForAllPartitions) {
  const auto source = reference_edges(11, 16);
  const Index root = 5;
  const Paths expected = paths_on(*self_communicator(), 1, 1, *source, root, 0.05);
  const std::vector<std::pair<int, int>> partitions = {{2, 1}, {2, 2}, {3, 1}, {3, 3}, {4, 2},
                                                       {7, 7}, {7, 1}, {8, 4}, {8, 2}};
  for (const auto& [count, rows] : partitions) {
    test::run_ranks(count, [&](const std::shared_ptr<Communicator>& ranks) {
      const Paths paths = paths_on(*ranks, 1, rows, *source, root, 0.05);
      EXPECT_EQ(paths.distances, expected.distances) << count << " ranks in " << rows << " rows";
      EXPECT_EQ(paths.parents, expected.parents) << count << " ranks in " << rows << " rows";
    });
  }
}

/// Every edge of a ring weighs nothing, or too little beside what lies before it.
class WeightlessEdges : public EdgeSource {
 public:
  WeightlessEdges(Index vertices, float before, float weight)
      : vertices_(vertices), before_(before), weight_(weight) {}
  Index vertices() const override { return vertices_ + 1; }
  Index edges() const override { return vertices_ + 1; }
  void edges(Index begin, std::span<Edge> edges) const override {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Index e = begin + static_cast<Index>(i);
      edges[i] = e == vertices_ ? Edge(vertices_, 0) : Edge(e, (e + 1) % vertices_);
    }
  }
  void weights(Index begin, std::span<float> weights) const override {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = begin + static_cast<Index>(i) == vertices_ ? before_ : weight_;
    }
  }
  float most_weight() const override { return std::max(before_, weight_); }
  Index draw_key(Index) const override { return vertices_; }
  std::string description() const override { return "a ring"; }

 private:
  Index vertices_;
  float before_, weight_;
};

TEST(Graph500Paths, WithoutLengthAreTheShortestInEdges) {
  constexpr Index ring = 101;
  for (const float weight : {0.0f, 1e-3f}) {
    const WeightlessEdges source(ring, 1e6f, weight);
    const Paths alone = paths_on(*self_communicator(), 3, 1, source, ring, 0.05);
    EXPECT_EQ(alone.distances[40], 1e6f);
    for (Index v = 1; v < ring; ++v) {  // the shorter way round
      EXPECT_EQ(alone.parents[static_cast<std::size_t>(v)], v <= ring / 2 ? v - 1 : (v + 1) % ring);
    }
    for (const auto& [count, rows] : {std::pair{3, 3}, {4, 2}, {3, 1}}) {
      test::run_ranks(count, [&](const std::shared_ptr<Communicator>& ranks) {
        EXPECT_EQ(paths_on(*ranks, 1, rows, source, ring, 0.05).parents, alone.parents);
      });
    }
  }
}

TEST(Graph500Paths, TooManyEdgesWithoutLengthAreRefused) {
  const WeightlessEdges source(Index{1} << 17, 1, 0);
  EXPECT_NE(test::error_of([&] {
              paths_on(*self_communicator(), 1, 1, source, source.vertices() - 1, 1);
            }).find("32767 edges or more follow each other without adding to a distance"),
            std::string::npos);
}

TEST(Graph500Paths, BrokenOnesAreFound) {
  ThreadTeam team(2, false);
  EdgeList list{0, Buffer<Edge>(4), Buffer<float>(4)};
  const Edge edges[] = {{0, 1}, {1, 2}, {0, 2}, {3, 4}};
  const float weights[] = {0.25f, 0.25f, 0.75f, 0.5f};
  std::copy(std::begin(edges), std::end(edges), list.edges.begin());
  std::copy(std::begin(weights), std::end(weights), list.weights.begin());
  const float no = infinity;
  const auto broken_by = [&](const std::vector<Index>& parents, const std::vector<float>& far) {
    return validate_paths(list, parents, far, 0, *self_communicator(), team).broken;
  };
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), std::nullopt);
  EXPECT_EQ(broken_by({0, 0, 0, -1, -1}, {0, 0.25f, 0.75f, no, no}), Rule::input_edges);
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.45f, no, no}), Rule::parents_are_edges);
  EXPECT_EQ(broken_by({0, 0, -1, -1, -1}, {0, 0.25f, no, no, no}), Rule::spans_component);
  EXPECT_EQ(broken_by({0, 2, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), Rule::no_cycles);
}

}  // namespace
}  // namespace goban::graph500::graph500_search_test
