// Searches on GPUs find what those on CPUs find, and their validation finds what is broken.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu.hpp"

#if GOBAN_HAVE_CUDA

#include "goban/backend/cuda/driver/nccl.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/domain/halo/device_reach.hpp"
#include "graph500/gpu_gather.hpp"
#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_paths.hpp"
#include "graph500/gpu_search.hpp"
#include "tests/ranks.hpp"

namespace goban::graph500::graph500_gpu_test {
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
  void make(const EdgeSource& source, bool with_weights = false) {
    list_ = make_edges(source, with_weights, 0, 1, team_);
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
            EXPECT_EQ(gathered_parents(all, labels_, *alone_, team_), expected(root))
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
    EXPECT_EQ(gathered_parents(mine, labels, *ranks, team), tree);
  });
}

/// A GPU a rank, which are a group.
class Graph500GpuGroup : public Graph500Gpu {
 protected:
  void SetUp() override {
    if (test::gpu_count() < 2) GTEST_SKIP() << "there are no two GPUs";
    const std::string refusal = cuda::group_card(0).refusal;
    if (!refusal.empty()) GTEST_SKIP() << refusal;
  }
};

TEST_F(Graph500GpuGroup, FindsTheSameTreesAndPaths) {
  const auto source = kronecker_edges({.scale = 11});
  make(*source, true);
  const Index root = labels_.original[17];
  const std::vector<Index> tree = expected(root);
  std::vector<Index> path_tree;
  {
    const Graph graph = make_part(list_, labels_, Partition(1, 1, 0, labels_.count()), team_);
    ShortestPaths paths(graph, labels_, *alone_, team_, {1, 0.05});
    Parents parents(labels_.label.size());
    Distances distances = paths.make_distances();
    paths.run(root, parents, distances);
    path_tree.assign(parents.begin(), parents.end());
  }
  test::run_ranks(std::min(3, test::gpu_count()), [&](const std::shared_ptr<Communicator>& ranks) {
    ThreadTeam team(1, false);
    const auto executor = cuda::make_executors({ranks->rank()}, {}, "").front();
    const JoinedDevices joined = join_devices(*ranks, {executor.get()});
    ASSERT_NE(joined.group, nullptr) << joined.refusal;
    const EdgeList share = make_edges(*source, true, ranks->rank(), ranks->size(), team);
    const Labels labels = make_labels(share, source->vertices(), *ranks, team);
    const Graph graph = make_graph(share, labels, ranks->size(), *ranks, team);
    std::vector<std::unique_ptr<GpuPart>> mine;
    mine.push_back(copied(ranks->rank(), graph, labels));
    GpuSearch search(mine, labels, *ranks, {}, joined.group.get());
    search.run(root);
    EXPECT_EQ(gathered_parents(mine, labels, *ranks, team), tree);
    GpuPaths paths(mine, labels, *ranks, {1, 0.05}, joined.group.get());
    paths.run(root);
    EXPECT_EQ(gathered_parents(mine, labels, *ranks, team), path_tree);
    ranks->barrier();
  });
}

TEST_F(Graph500Gpu, MakesTheSameListsAndTuples) {
  const cuda::OnDevice current(0);
  const KroneckerOptions options{.scale = 13, .seed = 3};
  const auto source = kronecker_edges(options);
  make(*source, true);
  const Index count = list_.edges.size(), half = count / 3;
  const cuda::CUstream stream = nullptr;
  const KroneckerRule rule = kronecker_rule(options);
  const DeviceEdges edges = {generated(rule, 0, half, true, stream),
                             generated(rule, half, count - half, true, stream)};
  std::vector<Edge> same(static_cast<std::size_t>(count));
  edges[0].edges.get(same.data(), stream);
  edges[1].edges.get(same.data() + half, stream);
  std::vector<float> same_weights(same.size());
  edges[0].weights.get(same_weights.data(), stream);
  edges[1].weights.get(same_weights.data() + half, stream);
  EXPECT_TRUE(std::equal(same_weights.begin(), same_weights.end(), list_.weights.begin(),
                         list_.weights.end()));
  for (Index e = 0; e < count; ++e) {
    ASSERT_EQ(same[static_cast<std::size_t>(e)].first(), list_.edges[e].first());
    ASSERT_EQ(same[static_cast<std::size_t>(e)].second(), list_.edges[e].second());
  }
  Buffer<std::uint32_t> degree(source->vertices());
  std::fill(degree.begin(), degree.end(), 0);
  for (const auto& share : edges) graph500::count_ends(share.edges, degree, stream, team_);
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
        DeviceAdjacency found = made(lists, edges, label, partition, labels.count(), stream, team_);
        EXPECT_EQ(found.weight.size(), 0);
        if (expected.weight.size() > 0) weigh(found, lists, edges, label, partition, stream);
        EXPECT_TRUE(is_same(found.begin, expected.begin)) << part << " of " << parts;
        EXPECT_TRUE(is_same(found.neighbour, expected.neighbour)) << part << " of " << parts;
        EXPECT_TRUE(is_same(found.first, expected.first)) << part << " of " << parts;
        EXPECT_TRUE(is_same(found.weight, expected.weight)) << part << " of " << parts;
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
    EXPECT_EQ(gathered_parents(all, labels_, *alone_, team_), expected(0));
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
    all[0]->keep_tuples(copied(list_, {0, list_.edges.size()}));
  }
  const auto verdict_of = [&](const std::vector<Index>& parents) {
    Verdict verdict;
    std::vector<std::uint32_t> is_edge;
    EXPECT_TRUE(all[0]->validate(parents, nullptr, 0, verdict, is_edge));
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

/// Shortest paths on threads.
struct Paths {
  std::vector<Index> parents;
  std::vector<float> distances;
};
class Graph500GpuPaths : public Graph500Gpu {
 protected:
  Paths expected_paths(Index root, double delta) {
    const Graph graph = make_part(list_, labels_, Partition(1, 1, 0, labels_.count()), team_);
    ShortestPaths search(graph, labels_, *alone_, team_, {most_weight_, delta});
    Parents parents(labels_.label.size());
    Distances distances = search.make_distances();
    search.run(root, parents, distances);
    return {{parents.begin(), parents.end()}, {distances.begin(), distances.end()}};
  }
  Paths paths_of(const std::vector<std::unique_ptr<GpuPart>>& parts, const GpuPaths& paths,
                 Communicator& ranks) {
    const auto count = [&](std::size_t n) { return paths.distances(n).size(); };
    const auto copy = [&](std::size_t n, float* values) {
      const cuda::OnDevice current(parts[n]->device());
      paths.distances(n).get(values, parts[n]->stream());
    };
    return {gathered_parents(parts, labels_, ranks, team_),
            gathered(parts, labels_, ranks, team_, std::numeric_limits<float>::infinity(), count,
                     copy)};
  }
  float most_weight_ = 1;
};

TEST_F(Graph500GpuPaths, AreThoseOfThreads) {
  for (const int scale : {8, 13}) {
    const auto source = kronecker_edges({.scale = scale});
    make(*source, true);
    for (const int count : {1, 2, 3}) {
      const auto all = parts(count);
      for (const double delta : {0.05, 1.0}) {
        GpuPaths search(all, labels_, *alone_, {most_weight_, delta});
        for (const Vertex label : {Vertex{0}, static_cast<Vertex>(labels_.count() - 1)}) {
          const Index root = labels_.original[label];
          search.run(root);
          const Paths found = paths_of(all, search, *alone_), known = expected_paths(root, delta);
          EXPECT_EQ(found.distances, known.distances) << scale << " on " << count << " parts";
          EXPECT_EQ(found.parents, known.parents) << scale << " on " << count << " parts";
        }
      }
    }
  }
}

TEST_F(Graph500GpuPaths, AreTheSameOnRanks) {
  const auto source = kronecker_edges({.scale = 11});
  make(*source, true);
  const Index root = labels_.original[17];
  const Paths known = expected_paths(root, 0.05);
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    ThreadTeam team(1, false);
    const EdgeList share = make_edges(*source, true, ranks->rank(), ranks->size(), team);
    const Labels labels = make_labels(share, source->vertices(), *ranks, team);
    const Graph graph = make_graph(share, labels, ranks->size(), *ranks, team);
    std::vector<std::unique_ptr<GpuPart>> mine;
    mine.push_back(copied(0, graph, labels));
    GpuPaths search(mine, labels, *ranks, {1, 0.05});
    search.run(root);
    EXPECT_EQ(gathered_parents(mine, labels, *ranks, team), known.parents);
  });
}

TEST_F(Graph500GpuPaths, BrokenOnesAreFound) {
  list_ = {0, Buffer<Edge>(4), Buffer<float>(4)};
  const Edge edges[] = {{0, 1}, {1, 2}, {0, 2}, {3, 4}};
  const float weights[] = {0.25f, 0.25f, 0.75f, 0.5f};
  std::copy(std::begin(edges), std::end(edges), list_.edges.begin());
  std::copy(std::begin(weights), std::end(weights), list_.weights.begin());
  labels_ = make_labels(list_, 5, *alone_, team_);
  const auto all = parts(1);
  const cuda::OnDevice current(0);
  all[0]->keep_tuples(copied(list_, {0, 4}));
  const float no = std::numeric_limits<float>::infinity();
  const auto broken_by = [&](const std::vector<Index>& parents, const std::vector<float>& far) {
    const DeviceArray<float> distances{std::span(far)};
    Verdict verdict;
    std::vector<std::uint32_t> is_edge;
    EXPECT_TRUE(all[0]->validate(parents, &distances, 0, verdict, is_edge));
    EXPECT_EQ(verdict.broken, validate_paths(list_, parents, far, 0, *alone_, team_).broken);
    return verdict.broken;
  };
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), std::nullopt);
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0.5f, 0.25f, 0.5f, no, no}), Rule::tree_edges);
  EXPECT_EQ(broken_by({0, 0, 0, -1, -1}, {0, 0.25f, 0.75f, no, no}), Rule::input_edges);
  EXPECT_EQ(broken_by({0, 0, 1, -1, -1}, {0, 0.25f, 0.45f, no, no}), Rule::parents_are_edges);
  EXPECT_EQ(broken_by({0, 0, -1, -1, -1}, {0, 0.25f, no, no, no}), Rule::spans_component);
  EXPECT_EQ(broken_by({0, 2, 1, -1, -1}, {0, 0.25f, 0.5f, no, no}), Rule::no_cycles);
}

}  // namespace
}  // namespace goban::graph500::graph500_gpu_test

#endif
