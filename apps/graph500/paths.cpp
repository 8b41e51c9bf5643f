#include "graph500/paths.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace goban::graph500 {
namespace {

constexpr std::uint64_t unreached = ~std::uint64_t{0};
constexpr Index vertices_at_once = 64;

std::uint64_t packed(float distance, Vertex parent) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(distance)) << 32 | parent;
}

}  // namespace

ShortestPaths::ShortestPaths(const Graph& graph, const Labels& labels, ThreadTeam& team,
                             float delta)
    : graph_(graph),
      labels_(labels),
      team_(team),
      delta_(delta),
      best_(graph.by_row.vertices()),
      settled_in_(graph.by_row.vertices()),
      bins_(static_cast<std::size_t>(team.size())),
      settled_(static_cast<std::size_t>(team.size()), Bins(1)) {}

float ShortestPaths::distance_of(Vertex vertex) const {
  const std::uint64_t best =
      std::atomic_ref(const_cast<std::uint64_t&>(best_[vertex])).load(std::memory_order_relaxed);
  return best == unreached ? std::numeric_limits<float>::infinity()
                           : std::bit_cast<float>(static_cast<std::uint32_t>(best >> 32));
}

/// Only shorter paths count, so that vertices at equal distance are not each other's parents.
void ShortestPaths::offer(Vertex vertex, float distance, Vertex parent, Bins& bins) {
  std::atomic_ref shared(best_[vertex]);
  std::uint64_t held = shared.load(std::memory_order_relaxed);
  const std::uint64_t wanted = packed(distance, parent);
  do {
    if (held >> 32 <= wanted >> 32) return;
  } while (!shared.compare_exchange_weak(held, wanted, std::memory_order_relaxed));
  const std::size_t bin = bin_of(distance);
  if (bins.size() <= bin) bins.resize(bin + 1);
  bins[bin].push_back(vertex);
}

void ShortestPaths::relax(const std::vector<Vertex>& vertices, Edges edges, std::size_t bin) {
  const Adjacency& adjacency = graph_.by_row;
  const auto count = static_cast<Index>(vertices.size());
  std::atomic<Index> next{0};
  team_.run([&](int thread) {
    Bins& bins = bins_[static_cast<std::size_t>(thread)];
    std::vector<Vertex>& settled = settled_[static_cast<std::size_t>(thread)][0];
    for (Index i = next.fetch_add(vertices_at_once); i < count;
         i = next.fetch_add(vertices_at_once)) {
      for (Index at = i; at < std::min(count, i + vertices_at_once); ++at) {
        const Vertex v = vertices[static_cast<std::size_t>(at)];
        const float distance = distance_of(v);
        if (edges == Edges::light) {
          if (bin_of(distance) < bin) continue;  // done from a smaller bin
          const auto mark = static_cast<std::uint32_t>(bin + 1);
          if (std::atomic_ref(settled_in_[v]).exchange(mark, std::memory_order_relaxed) != mark) {
            settled.push_back(v);
          }
        }
        for (std::uint64_t e = adjacency.begin[v]; e < adjacency.begin[v + 1]; ++e) {
          const float weight = adjacency.weight[static_cast<Index>(e)];
          if ((weight < delta_) != (edges == Edges::light)) continue;
          offer(adjacency.neighbour[static_cast<Index>(e)], distance + weight, v, bins);
        }
      }
    }
  });
}

void ShortestPaths::take(std::size_t bin, std::vector<Vertex>& vertices) {
  vertices.clear();
  for (Bins& bins : bins_) {
    if (bins.size() <= bin) continue;
    vertices.insert(vertices.end(), bins[bin].begin(), bins[bin].end());
    bins[bin].clear();
  }
}

std::size_t ShortestPaths::next_bin(std::size_t bin) const {
  std::size_t next = std::numeric_limits<std::size_t>::max();
  for (const Bins& bins : bins_) {
    for (std::size_t b = bin; b < std::min(bins.size(), next); ++b) {
      if (!bins[b].empty()) next = b;
    }
  }
  return next;
}

void ShortestPaths::run(Index root, Parents& parents, Distances& distances) {
  team_.run_split(best_.size(), [&](Index begin, Index end, int) {
    std::fill(best_.begin() + begin, best_.begin() + end, unreached);
    std::fill(settled_in_.begin() + begin, settled_in_.begin() + end, 0);
  });
  const Vertex start = labels_.label[root];
  offer(start, 0, start, bins_[0]);
  std::vector<Vertex> active, settled;
  for (std::size_t bin = 0; bin != std::numeric_limits<std::size_t>::max(); bin = next_bin(bin)) {
    for (take(bin, active); !active.empty(); take(bin, active)) relax(active, Edges::light, bin);
    settled.clear();
    for (Bins& bins : settled_) {
      settled.insert(settled.end(), bins[0].begin(), bins[0].end());
      bins[0].clear();
    }
    relax(settled, Edges::heavy, bin);
  }
  team_.run_split(labels_.label.size(), [&](Index begin, Index end, int) {
    for (Index v = begin; v < end; ++v) {
      const Vertex label = labels_.label[v];
      const std::uint64_t best = label == no_vertex ? unreached : best_[label];
      parents[v] =
          best == unreached ? Index{-1} : Index{labels_.original[static_cast<Vertex>(best)]};
      distances[v] =
          label == no_vertex ? std::numeric_limits<float>::infinity() : distance_of(label);
    }
  });
}

Verdict validate_paths(const EdgeList& list, const std::vector<Index>& parents,
                       const Distances& distances, Index root, float tolerance, ThreadTeam& team) {
  std::vector<std::int32_t> level;
  Verdict verdict = find_levels(parents, root, level, team);
  if (!verdict.broken && distances[root] != 0) {
    verdict.broken = Rule::tree_edges;
    verdict.vertex = root;
  }
  if (verdict.broken) return verdict;
  const auto vertices = static_cast<Index>(parents.size());
  std::vector<Word> is_edge(static_cast<std::size_t>((vertices + 63) / 64), 0);
  std::atomic<Index> edges{0}, apart{-1}, outside{-1};
  const auto is_step = [&](Index from, Index to, float weight) {
    return parents[static_cast<std::size_t>(to)] == from &&
           std::abs(distances[from] + weight - distances[to]) <= tolerance;
  };
  const auto mark = [&](Index v) {
    std::atomic_ref(is_edge[static_cast<std::size_t>(v / 64)])
        .fetch_or(Word{1} << (v % 64), std::memory_order_relaxed);
  };
  team.run_split(list.edges.size(), [&](Index begin, Index end, int) {
    Index count = 0;
    for (Index e = begin; e < end; ++e) {
      const Index a = list.edges[e].first(), b = list.edges[e].second();
      const bool has_a = level[static_cast<std::size_t>(a)] >= 0;
      const bool has_b = level[static_cast<std::size_t>(b)] >= 0;
      if (has_a != has_b) outside = has_a ? b : a;
      if (!has_a || !has_b) continue;
      ++count;
      const float weight = list.weights[e];
      if (std::abs(distances[a] - distances[b]) > weight + tolerance) apart = a;
      if (a == b) continue;
      if (is_step(a, b, weight)) mark(b);
      if (is_step(b, a, weight)) mark(a);
    }
    edges += count;
  });
  verdict.edges = edges;
  if (apart >= 0) {
    verdict.broken = Rule::input_edges;
    verdict.vertex = apart;
  } else if (outside >= 0) {
    verdict.broken = Rule::spans_component;
    verdict.vertex = outside;
  }
  for (Index v = 0; v < vertices && !verdict.broken; ++v) {
    if (v == root || parents[static_cast<std::size_t>(v)] < 0 || has_bit(is_edge.data(), v)) {
      continue;
    }
    verdict.broken = Rule::parents_are_edges;
    verdict.vertex = v;
  }
  return verdict;
}

}  // namespace goban::graph500
