#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "graph500/graph.hpp"

namespace goban::graph500 {
namespace {

/// Degrees below this are counted; vertices beyond it are few and are sorted.
constexpr std::uint32_t many = 4096;

void count_ends(const EdgeList& list, Buffer<std::uint32_t>& degree, ThreadTeam& team) {
  const bool is_shared = team.size() > 1;
  const auto add = [&](Index vertex) {
    std::uint32_t& count = degree[vertex];
    if (is_shared) {
      std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
    } else {
      ++count;
    }
  };
  team.run_split(list.edges.size(), [&](Index begin, Index end, int) {
    for (Index e = begin; e < end; ++e) {
      const Edge edge = list.edges[e];
      if (edge.is_loop()) continue;
      add(edge.first());
      add(edge.second());
    }
  });
}

/// Sums over all ranks, a piece at a time.
void sum_over_ranks(Buffer<std::uint32_t>& degree, Communicator& ranks) {
  if (ranks.size() == 1) return;
  constexpr Index piece = Index{1} << 20;
  std::vector<std::uint64_t> sums;
  for (Index begin = 0; begin < degree.size(); begin += piece) {
    const Index end = std::min(degree.size(), begin + piece);
    sums.assign(degree.begin() + begin, degree.begin() + end);
    ranks.sum(sums);
    std::copy(sums.begin(), sums.end(), degree.begin() + begin);
  }
}

}  // namespace

EdgeList make_edges(const EdgeSource& source, bool with_weights, int rank, int ranks,
                    ThreadTeam& team) {
  const Part share = split_evenly(source.edges(), ranks, rank);
  EdgeList list;
  list.begin = share.begin;
  list.edges = Buffer<Edge>(share.end - share.begin);
  if (with_weights) list.weights = Buffer<float>(list.edges.size());
  team.run_split(list.edges.size(), [&](Index begin, Index end, int) {
    const auto count = static_cast<std::size_t>(end - begin);
    source.edges(list.begin + begin, {list.edges.data() + begin, count});
    if (with_weights) source.weights(list.begin + begin, {list.weights.data() + begin, count});
  });
  return list;
}

Labels make_labels(const EdgeList& list, Index vertices, Communicator& ranks, ThreadTeam& team) {
  Buffer<std::uint32_t> degree(vertices);
  fill(degree, std::uint32_t{0}, team);
  count_ends(list, degree, team);
  sum_over_ranks(degree, ranks);
  return labels_of(degree, team);
}

Labels labels_of(const Buffer<std::uint32_t>& degree, ThreadTeam& team) {
  const Index vertices = degree.size();
  require(vertices < static_cast<Index>(no_vertex), "the graph is too large",
          "labels of vertices have 32 bits", "take a scale of at most 31");
  // A stable counting sort, each thread for its share of the vertices.
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<std::vector<Index>> places(threads, std::vector<Index>(many + 1, 0));
  const auto class_of = [](std::uint32_t d) { return std::min(d, many); };
  team.run_split(vertices, [&](Index begin, Index end, int thread) {
    auto& counts = places[static_cast<std::size_t>(thread)];
    for (Index v = begin; v < end; ++v) ++counts[class_of(degree[v])];
  });
  Index next = 0;
  for (std::uint32_t d = many; d >= 1; --d) {
    for (auto& counts : places) next += std::exchange(counts[d], next);
  }
  Labels labels;
  labels.original = Buffer<std::uint32_t>(next);
  labels.degree = Buffer<std::uint32_t>(next);
  team.run_split(vertices, [&](Index begin, Index end, int thread) {
    auto& place = places[static_cast<std::size_t>(thread)];
    for (Index v = begin; v < end; ++v) {
      if (degree[v] == 0) continue;
      labels.original[place[class_of(degree[v])]++] = static_cast<std::uint32_t>(v);
    }
  });
  // Those of many edges come first.
  const Index largest = places.back()[many];
  std::stable_sort(labels.original.begin(), labels.original.begin() + largest,
                   [&](std::uint32_t a, std::uint32_t b) { return degree[a] > degree[b]; });
  team.run_split(next, [&](Index begin, Index end, int) {
    for (Index label = begin; label < end; ++label) {
      labels.degree[label] = degree[labels.original[label]];
    }
  });
  number(labels, vertices, team);
  return labels;
}

void number(Labels& labels, Index vertices, ThreadTeam& team) {
  labels.label = Buffer<Vertex>(vertices);
  fill(labels.label, no_vertex, team);
  team.run_split(labels.count(), [&](Index begin, Index end, int) {
    for (Index label = begin; label < end; ++label) {
      labels.label[labels.original[label]] = static_cast<Vertex>(label);
    }
  });
}

}  // namespace goban::graph500
