#include "graph500/validate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

namespace goban::graph500 {
namespace {

constexpr std::int32_t unknown = -2;

/// The first rule that something breaks, and a vertex where.
class Findings {
 public:
  void add(Rule rule, Index vertex) {
    const std::lock_guard lock(mutex_);
    if (broken_ && *broken_ <= rule) return;
    broken_ = rule;
    vertex_ = vertex;
  }
  void put(Verdict& verdict) const {
    if (!broken_ || (verdict.broken && *verdict.broken <= *broken_)) return;
    verdict.broken = broken_;
    verdict.vertex = vertex_;
  }

 private:
  std::mutex mutex_;
  std::optional<Rule> broken_;
  Index vertex_ = -1;
};

std::atomic_ref<std::int32_t> shared(std::int32_t& level) { return std::atomic_ref(level); }

/// Levels from a vertex up to one whose level is known. Threads may walk the same way: they find
/// the same.
void walk(const std::vector<Index>& parents, Index vertex, std::vector<std::int32_t>& level,
          std::vector<Index>& path, Findings& findings) {
  const auto vertices = static_cast<Index>(parents.size());
  const auto at = [&](Index v) -> std::int32_t& { return level[static_cast<std::size_t>(v)]; };
  path.clear();
  Index v = vertex;
  while (shared(at(v)).load(std::memory_order_relaxed) == unknown) {
    path.push_back(v);
    const Index parent = parents[static_cast<std::size_t>(v)];
    if (static_cast<Index>(path.size()) >= vertices) return findings.add(Rule::no_cycles, vertex);
    // A vertex outside has no level to be one below of.
    if (parent >= vertices) return findings.add(Rule::tree_edges, v);
    if (parent == v) return findings.add(Rule::no_cycles, v);
    v = parent;
  }
  std::int32_t here = shared(at(v)).load(std::memory_order_relaxed);
  if (here < 0) return findings.add(Rule::tree_edges, path.empty() ? v : path.back());
  for (auto p = path.rbegin(); p != path.rend(); ++p) {
    shared(at(*p)).store(++here, std::memory_order_relaxed);
  }
}

/// Rules about tuples, over this rank's: whether tuple e takes a and b too far apart, and whether
/// it may be the tree's edge from a parent.
template <class IsApart, class IsStep>
void check_tuples(const EdgeList& list, const std::vector<Index>& parents,
                  const std::vector<std::int32_t>& level, const IsApart& is_apart,
                  const IsStep& is_step, std::vector<Word>& is_edge, Verdict& verdict,
                  ThreadTeam& team) {
  Findings findings;
  std::atomic<Index> edges{0};
  team.run_split(list.edges.size(), [&](Index begin, Index end, int) {
    Index count = 0;
    for (Index e = begin; e < end; ++e) {
      const Index a = list.edges[e].first(), b = list.edges[e].second();
      const bool has_a = level[static_cast<std::size_t>(a)] >= 0;
      const bool has_b = level[static_cast<std::size_t>(b)] >= 0;
      if (!has_a && !has_b) continue;
      ++count;
      if (has_a != has_b) {
        findings.add(Rule::spans_component, has_a ? b : a);
      } else if (is_apart(a, b, e)) {
        findings.add(Rule::input_edges, a);
      }
      if (a == b) continue;
      const auto mark = [&](Index from, Index to) {
        if (parents[static_cast<std::size_t>(to)] != from || !is_step(from, to, e)) return;
        set_bit(is_edge[static_cast<std::size_t>(to / 64)], to % 64, true);
      };
      mark(b, a);
      mark(a, b);
    }
    edges += count;
  });
  verdict.edges = edges;
  findings.put(verdict);
}

/// Marks of all ranks together, each rank's share of the words.
void join(std::vector<Word>& words, Communicator& ranks) {
  if (ranks.size() == 1) return;
  const auto count = static_cast<Index>(words.size());
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Part part = split_evenly(count, ranks.size(), rank);
    const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
    parcels.push_back({rank, {bytes + part.begin * 8, bytes + part.end * 8}});
  }
  const Part mine = split_evenly(count, ranks.size(), ranks.rank());
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    for (Index w = mine.begin; w < mine.end; ++w) {
      Word word;
      std::memcpy(&word, parcel.bytes.data() + (w - mine.begin) * 8, sizeof(word));
      words[static_cast<std::size_t>(w)] |= word;
    }
  }
}

/// The most severe of all ranks' findings, the same on all.
void agree_on(Verdict& verdict, Communicator& ranks) {
  std::array<std::uint64_t, 1> edges{static_cast<std::uint64_t>(verdict.edges)};
  ranks.sum(edges);
  verdict.edges = static_cast<Index>(edges[0]);
  constexpr std::int64_t none = 99;
  std::array<std::int64_t, 1> rule{verdict.broken ? static_cast<std::int64_t>(*verdict.broken)
                                                  : none};
  const std::int64_t here = rule[0];
  ranks.minimum(rule);
  std::array<std::int64_t, 1> vertex{here == rule[0] ? verdict.vertex : -1};
  ranks.maximum(vertex);
  verdict.broken = rule[0] == none ? std::nullopt : std::optional(static_cast<Rule>(rule[0]));
  verdict.vertex = vertex[0];
}

}  // namespace

const char* name_of(Rule broken) {
  switch (broken) {
    case Rule::no_cycles: return "the tree has a cycle";
    case Rule::tree_edges: return "a tree edge does not join neighbouring levels";
    case Rule::input_edges: return "an input edge joins levels more than one apart";
    case Rule::spans_component: return "the tree does not span the component";
    case Rule::parents_are_edges: return "a parent is no neighbour in the input";
  }
  return "";
}

template <class T>
std::vector<T> gathered(const Buffer<T>& values, T none, const Graph& graph, const Labels& labels,
                        Communicator& ranks) {
  const Partition& partition = graph.partition;
  if (partition.parts() == 1) return {values.begin(), values.end()};
  std::vector<T> all(static_cast<std::size_t>(labels.label.size()), none);
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  const std::vector<std::byte> bytes(first, first + values.size() * Index{sizeof(T)});
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < ranks.size(); ++rank) parcels.push_back({rank, bytes});
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    const Partition theirs(partition.rows(), partition.columns(), parcel.rank, labels.count());
    for (Index own = 0; own < values.size(); ++own) {
      const Vertex label = theirs.label_of_own(own);
      if (label >= labels.count()) continue;
      std::memcpy(&all[labels.original[label]], parcel.bytes.data() + own * Index{sizeof(T)},
                  sizeof(T));
    }
  }
  return all;
}
template std::vector<Index> gathered(const Buffer<Index>&, Index, const Graph&, const Labels&,
                                     Communicator&);
template std::vector<float> gathered(const Buffer<float>&, float, const Graph&, const Labels&,
                                     Communicator&);

Verdict find_levels(const std::vector<Index>& parents, Index root, std::vector<std::int32_t>& level,
                    ThreadTeam& team) {
  Verdict verdict;
  const auto vertices = static_cast<Index>(parents.size());
  level.resize(parents.size());
  team.run_split(vertices, [&](Index begin, Index end, int) {
    for (Index v = begin; v < end; ++v) {
      level[static_cast<std::size_t>(v)] = parents[static_cast<std::size_t>(v)] < 0 ? -1 : unknown;
    }
  });
  Findings findings;
  if (parents[static_cast<std::size_t>(root)] != root) {
    findings.add(Rule::tree_edges, root);
    findings.put(verdict);
    return verdict;
  }
  level[static_cast<std::size_t>(root)] = 0;
  std::mutex mutex;
  team.run_split(vertices, [&](Index begin, Index end, int) {
    std::vector<Index> path, counts;
    Index visited = 0;
    for (Index v = begin; v < end; ++v) {
      const auto shared_level = shared(level[static_cast<std::size_t>(v)]);
      if (shared_level.load(std::memory_order_relaxed) == -1) continue;
      walk(parents, v, level, path, findings);
      const std::int32_t at = shared_level.load(std::memory_order_relaxed);
      if (at < 0) return;
      if (counts.size() <= static_cast<std::size_t>(at))
        counts.resize(static_cast<std::size_t>(at) + 1);
      ++counts[static_cast<std::size_t>(at)];
      ++visited;
    }
    const std::lock_guard lock(mutex);
    verdict.visited += visited;
    if (verdict.per_level.size() < counts.size()) verdict.per_level.resize(counts.size());
    for (std::size_t l = 0; l < counts.size(); ++l) verdict.per_level[l] += counts[l];
  });
  findings.put(verdict);
  return verdict;
}

namespace {

/// `level` are those of the tree, with `verdict`.
template <class IsApart, class IsStep>
Verdict validate_tree(const EdgeList& list, const std::vector<Index>& parents, Index root,
                      const std::vector<std::int32_t>& level, Verdict verdict,
                      const IsApart& is_apart, const IsStep& is_step, Communicator& ranks,
                      ThreadTeam& team) {
  if (verdict.broken) return verdict;
  const auto vertices = static_cast<Index>(parents.size());
  std::vector<Word> is_edge(static_cast<std::size_t>((vertices + 63) / 64), 0);
  check_tuples(list, parents, level, is_apart, is_step, is_edge, verdict, team);
  join(is_edge, ranks);
  Findings findings;
  const Part mine = split_evenly(static_cast<Index>(is_edge.size()), ranks.size(), ranks.rank());
  const Index from = std::min(vertices, mine.begin * 64), to = std::min(vertices, mine.end * 64);
  team.run_split(to - from, [&](Index begin, Index end, int) {
    for (Index v = from + begin; v < from + end; ++v) {
      if (v == root || parents[static_cast<std::size_t>(v)] < 0) continue;
      if (!has_bit(is_edge.data(), v)) findings.add(Rule::parents_are_edges, v);
    }
  });
  findings.put(verdict);
  agree_on(verdict, ranks);
  return verdict;
}

}  // namespace

Verdict validate(const EdgeList& list, const std::vector<Index>& parents, Index root,
                 Communicator& ranks, ThreadTeam& team) {
  std::vector<std::int32_t> level;
  const Verdict verdict = find_levels(parents, root, level, team);
  const auto is_apart = [&](Index a, Index b, Index) {
    return std::abs(level[static_cast<std::size_t>(a)] - level[static_cast<std::size_t>(b)]) > 1;
  };
  const auto is_step = [](Index, Index, Index) { return true; };
  return validate_tree(list, parents, root, level, verdict, is_apart, is_step, ranks, team);
}

Verdict validate_paths(const EdgeList& list, const std::vector<Index>& parents,
                       const std::vector<float>& distances, Index root, Communicator& ranks,
                       ThreadTeam& team) {
  std::vector<std::int32_t> level;
  Verdict verdict = find_levels(parents, root, level, team);
  const auto at = [&](Index v) { return distances[static_cast<std::size_t>(v)]; };
  if (!verdict.broken && at(root) != 0) {
    verdict.broken = Rule::tree_edges;
    verdict.vertex = root;
  }
  const auto is_apart = [&](Index a, Index b, Index e) {
    const float near = std::min(at(a), at(b)), far = std::max(at(a), at(b));
    return !(far <= near + list.weights[e] + path_tolerance);
  };
  const auto is_step = [&](Index from, Index to, Index e) {
    return std::abs(at(from) + list.weights[e] - at(to)) <= path_tolerance;
  };
  return validate_tree(list, parents, root, level, verdict, is_apart, is_step, ranks, team);
}

}  // namespace goban::graph500
