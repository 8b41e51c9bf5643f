// Searches on GPUs find what those on CPUs find, and their validation finds what is broken.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu.hpp"

#if GOBAN_HAVE_CUDA

#include "goban/backend/cuda/nvrtc.hpp"
#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_search.hpp"
#include "tests/ranks.hpp"

namespace goban::graph500 {
namespace {

TEST(Graph500Kernels, AreCompiled) {
  if (!cuda::nvrtc_refusal().empty()) GTEST_SKIP() << cuda::nvrtc_refusal();
  for (const cuda::KernelSource& source : gpu_kernel_sources()) {
    EXPECT_FALSE(cuda::compile(source.text, source.entry, {}, {"--std=c++20"}, 90).empty())
        << source.entry;
  }
}

class Graph500Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gpu()) GTEST_SKIP() << "there is no GPU";
  }
  void make(const EdgeSource& source) {
    list_ = make_edges(source, false, 0, 1, team_);
    labels_ = make_labels(list_, source.vertices(), *alone_, team_);
  }
  /// All of them on the first GPU, or on as many as there are.
  std::vector<std::unique_ptr<GpuPart>> parts(int count) {
    std::vector<std::unique_ptr<GpuPart>> all;
    for (int part = 0; part < count; ++part) {
      const Graph graph =
          make_part(list_, labels_, Partition(count, 1, part, labels_.count()), team_);
      all.push_back(copied(part % test::gpu_count(), graph, labels_));
    }
    return all;
  }
  std::vector<Index> expected(Index root, const DirectionRule& rule = {}) {
    const Graph graph = make_part(list_, labels_, Partition(1, 1, 0, labels_.count()), team_);
    Search search(graph, labels_, *alone_, team_, rule);
    Parents parents = search.make_parents();
    search.run(root, parents);
    return {parents.begin(), parents.end()};
  }
  EdgeList list_;
  Labels labels_;
  ThreadTeam team_{4, false};
  std::shared_ptr<Communicator> alone_ = self_communicator();
};

TEST_F(Graph500Gpu, FindsTheSameParents) {
  for (const int scale : {8, 13, 16}) {
    for (const bool is_reference : {false, true}) {
      const auto source =
          is_reference ? reference_edges(scale, 16) : kronecker_edges({.scale = scale});
      make(*source);
      for (const int count : {1, 2, 3}) {
        const auto all = parts(count);
        // Both directions throughout, too.
        for (const DirectionRule& rule :
             {DirectionRule{}, DirectionRule{1e-9, 1}, DirectionRule{1e18, 1e18}}) {
          GpuSearch search(all, labels_, *alone_, rule);
          for (const Vertex label : {Vertex{0}, static_cast<Vertex>(labels_.count() - 1)}) {
            const Index root = labels_.original[label];
            search.run(root);
            EXPECT_EQ(search.parents(team_), expected(root))
                << source->description() << " from " << root << " on " << count << " parts";
          }
        }
      }
    }
  }
}

TEST_F(Graph500Gpu, FindsTheSameParentsOnRanks) {
  const auto source = kronecker_edges({.scale = 12});
  make(*source);
  const Index root = labels_.original[17];
  const std::vector<Index> tree = expected(root);
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    ThreadTeam team(1, false);
    const EdgeList share = make_edges(*source, false, ranks->rank(), ranks->size(), team);
    const Labels labels = make_labels(share, source->vertices(), *ranks, team);
    const Graph graph = make_graph(share, labels, ranks->size(), *ranks, team);
    std::vector<std::unique_ptr<GpuPart>> mine;
    mine.push_back(copied(0, graph, labels));
    GpuSearch search(mine, labels, *ranks);
    search.run(root);
    EXPECT_EQ(search.parents(team), tree);
  });
}

TEST_F(Graph500Gpu, MakesTheSameListsAndTuples) {
  const cuda::OnDevice current(0);
  const KroneckerOptions options{.scale = 13, .seed = 3};
  const auto source = kronecker_edges(options);
  make(*source);
  const Index count = list_.edges.size(), half = count / 3;
  const cuda::CUstream stream = nullptr;
  const DeviceEdges edges = {generated(kronecker_rule(options), 0, half, stream),
                             generated(kronecker_rule(options), half, count - half, stream)};
  std::vector<Edge> same(static_cast<std::size_t>(count));
  edges[0].get(same.data(), stream);
  edges[1].get(same.data() + half, stream);
  for (Index e = 0; e < count; ++e) {
    ASSERT_EQ(same[static_cast<std::size_t>(e)].first(), list_.edges[e].first());
    ASSERT_EQ(same[static_cast<std::size_t>(e)].second(), list_.edges[e].second());
  }
  Buffer<std::uint32_t> degree(source->vertices());
  std::fill(degree.begin(), degree.end(), 0);
  for (const auto& share : edges) graph500::count_ends(share, degree, stream, team_);
  const Labels labels = labels_of(degree, team_);
  EXPECT_TRUE(std::equal(labels.original.begin(), labels.original.end(), labels_.original.begin(),
                         labels_.original.end()));
  const DeviceArray<Vertex> label(labels.label.all());
  const auto is_same = [&](const auto& here, const auto& there) {
    std::vector<std::remove_cvref_t<decltype(there[0])>> values(
        static_cast<std::size_t>(here.size()));
    here.get(values.data(), stream);
    return std::equal(values.begin(), values.end(), there.begin(), there.end());
  };
  for (const int parts : {1, 2, 3}) {
    for (int part = 0; part < parts; ++part) {
      const Partition partition(parts, 1, part, labels.count());
      const Graph graph = make_part(list_, labels_, partition, team_);
      for (const Lists lists : {Lists::rows, Lists::columns}) {
        if (lists == Lists::columns && parts == 1) continue;
        const Adjacency& expected = lists == Lists::rows ? graph.by_row : graph.by_column;
        const DeviceAdjacency found =
            made(lists, edges, label, partition, labels.count(), stream, team_);
        EXPECT_TRUE(is_same(found.begin, expected.begin)) << part << " of " << parts;
        EXPECT_TRUE(is_same(found.neighbour, expected.neighbour)) << part << " of " << parts;
        EXPECT_TRUE(is_same(found.first, expected.first)) << part << " of " << parts;
      }
    }
  }
}

TEST_F(Graph500Gpu, FollowsALongPath) {
  list_ = {0, Buffer<Edge>(999), {}};
  for (Index e = 0; e < 999; ++e) list_.edges[e] = Edge(e, e + 1);
  labels_ = make_labels(list_, 1000, *alone_, team_);
  for (const int count : {1, 2}) {
    const auto all = parts(count);
    GpuSearch search(all, labels_, *alone_);
    search.run(0);
    EXPECT_EQ(search.parents(team_), expected(0));
  }
}

/// The path 0 - 1 - 2 - 3, a chord 0 - 2, a loop at 3, and a component 4 - 5 of its own.
TEST_F(Graph500Gpu, FindsBrokenTrees) {
  list_ = {0, Buffer<Edge>(6), {}};
  const Edge edges[] = {{0, 1}, {1, 2}, {3, 2}, {2, 0}, {3, 3}, {4, 5}};
  std::copy(std::begin(edges), std::end(edges), list_.edges.begin());
  labels_ = make_labels(list_, 6, *alone_, team_);
  const auto all = parts(1);
  {
    const cuda::OnDevice current(0);
    all[0]->keep_tuples(DeviceArray<Edge>(list_.edges.all()));
  }
  const auto verdict_of = [&](const std::vector<Index>& parents) {
    Verdict verdict;
    std::vector<std::uint32_t> is_edge;
    EXPECT_TRUE(all[0]->validate(parents, 0, verdict, is_edge));
    const Verdict expected = validate(list_, parents, 0, *alone_, team_);
    EXPECT_EQ(verdict.broken, expected.broken);
    if (!expected.broken) {
      EXPECT_EQ(verdict.edges, expected.edges);
      EXPECT_EQ(verdict.visited, expected.visited);
      EXPECT_EQ(verdict.per_level, expected.per_level);
    }
    return verdict.broken;
  };
  EXPECT_EQ(verdict_of({0, 0, 0, 2, -1, -1}), std::nullopt);
  EXPECT_EQ(verdict_of({0, 0, 3, 2, -1, -1}), Rule::no_cycles);
  EXPECT_EQ(verdict_of({0, 0, 0, 4, -1, -1}), Rule::tree_edges);
  EXPECT_EQ(verdict_of({1, 0, 0, 2, -1, -1}), Rule::tree_edges);
  EXPECT_EQ(verdict_of({0, 0, 1, 2, -1, -1}), Rule::input_edges);
  EXPECT_EQ(verdict_of({0, 0, 0, -1, -1, -1}), Rule::spans_component);
  EXPECT_EQ(verdict_of({0, 0, 0, 1, -1, -1}), Rule::parents_are_edges);
}

}  // namespace
}  // namespace goban::graph500

#endif
