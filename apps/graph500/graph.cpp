#include "graph500/graph.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "goban/base/error.hpp"
#include "graph500/adjacency.hpp"

namespace goban::graph500 {
namespace {

/// Pairs that are handed on together, and tuples that ranks exchange at a time.
constexpr std::size_t pairs_at_once = 1024;
constexpr Index tuples_at_once = Index{1} << 20;

/// Visits both directions of the tuples [begin, end), in labels; loops lead nowhere.
template <class F>
void each_direction(const EdgeList& list, const Labels& labels, Index begin, Index end,
                    const F& f) {
  for (Index e = begin; e < end; ++e) {
    const Edge edge = list.edges[e];
    if (edge.is_loop()) continue;
    const Vertex a = labels.label[edge.first()], b = labels.label[edge.second()];
    const float weight = list.weights.size() > 0 ? list.weights[e] : 0.0f;
    f(Pair{a, b, weight});
    f(Pair{b, a, weight});
  }
}

class Batch {
 public:
  explicit Batch(const std::function<void(std::span<const Pair>)>& take) : take_(take) {}
  void add(const Pair& pair) {
    pairs_[count_++] = pair;
    if (count_ == pairs_at_once) flush();
  }
  void flush() {
    take_({pairs_, count_});
    count_ = 0;
  }

 private:
  const std::function<void(std::span<const Pair>)>& take_;
  std::size_t count_ = 0;
  Pair pairs_[pairs_at_once];
};

Pair reversed(const Pair& pair) { return {pair.to, pair.from, pair.weight}; }

/// `each` hands on pairs in the numberings of the row and the column.
Graph assemble(const Partition& partition, const Labels& labels, bool with_weights,
               const EachPair& each, ThreadTeam& team) {
  Graph graph;
  graph.partition = partition;
  graph.own_degree = degrees_of_own(partition, labels, team);
  const bool is_alone = partition.parts() == 1;
  graph.by_row = make_adjacency(partition.row_blocks() * Partition::block, with_weights && is_alone,
                                each, team);
  if (is_alone) return graph;
  const EachPair reverse = [&](int thread, const auto& take) {
    each(thread, [&](std::span<const Pair> pairs) {
      Pair turned[pairs_at_once];
      for (; !pairs.empty(); pairs = pairs.subspan(std::min(pairs_at_once, pairs.size()))) {
        const std::size_t count = std::min(pairs_at_once, pairs.size());
        std::transform(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count), turned,
                       reversed);
        take({turned, count});
      }
    });
  };
  graph.by_column =
      make_adjacency(partition.column_blocks() * Partition::block, with_weights, reverse, team);
  return graph;
}

/// Takes pairs to the ranks that have them, in their numberings.
std::vector<Pair> exchanged_pairs(const EdgeList& list, const Labels& labels,
                                  const Partition& partition, Communicator& ranks) {
  const auto parts = static_cast<std::size_t>(partition.parts());
  std::vector<std::uint64_t> counts(parts, 0);
  each_direction(list, labels, 0, list.edges.size(), [&](const Pair& pair) {
    ++counts[static_cast<std::size_t>(partition.part_of(pair.from, pair.to))];
  });
  ranks.sum(counts);
  std::vector<Pair> received;
  received.reserve(counts[static_cast<std::size_t>(partition.part())]);
  std::int64_t rounds[1] = {(list.edges.size() + tuples_at_once - 1) / tuples_at_once};
  ranks.maximum(rounds);
  for (Index round = 0; round < rounds[0]; ++round) {
    std::vector<std::vector<Pair>> for_part(parts);
    const Index begin = std::min(list.edges.size(), round * tuples_at_once);
    const Index end = std::min(list.edges.size(), begin + tuples_at_once);
    each_direction(list, labels, begin, end, [&](const Pair& pair) {
      for_part[static_cast<std::size_t>(partition.part_of(pair.from, pair.to))].push_back(pair);
    });
    std::vector<Parcel> parcels;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<Pair>& pairs = for_part[part];
      if (pairs.empty()) continue;
      const auto* bytes = reinterpret_cast<const std::byte*>(pairs.data());
      parcels.push_back({static_cast<int>(part), {bytes, bytes + pairs.size() * sizeof(Pair)}});
    }
    for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
      const std::size_t count = parcel.bytes.size() / sizeof(Pair), before = received.size();
      received.resize(before + count);
      std::memcpy(received.data() + before, parcel.bytes.data(), parcel.bytes.size());
      for (std::size_t i = before; i < received.size(); ++i) {
        received[i].from = static_cast<Vertex>(partition.column_of(received[i].from));
        received[i].to = static_cast<Vertex>(partition.row_of(received[i].to));
      }
    }
  }
  return received;
}

}  // namespace

Index exchange_bytes(Index edges, int ranks) {
  const Index tuples = std::min(tuples_at_once, (edges + ranks - 1) / ranks);
  return 3 * 2 * tuples * Index{sizeof(Pair)};  // sorted by ranks, as parcels, and as received
}

Buffer<std::uint32_t> degrees_of_own(const Partition& partition, const Labels& labels,
                                     ThreadTeam& team) {
  Buffer<std::uint32_t> degrees(partition.own_blocks() * Partition::block);
  team.run_split(degrees.size(), [&](Index begin, Index end, int) {
    for (Index o = begin; o < end; ++o) {
      const Vertex label = partition.label_of_own(o);
      degrees[o] = label < labels.count() ? labels.degree[label] : 0;
    }
  });
  return degrees;
}

int usual_rows(int parts) {
  int rows = parts;
  for (int columns = 1; columns * columns <= parts; ++columns) {
    if (parts % columns == 0) rows = parts / columns;
  }
  return rows;
}

Graph make_part(const EdgeList& list, const Labels& labels, const Partition& partition,
                ThreadTeam& team) {
  const EachPair each = [&](int thread, const auto& take) {
    const Part share = split_evenly(list.edges.size(), team.size(), thread);
    Batch batch(take);
    each_direction(list, labels, share.begin, share.end, [&](const Pair& pair) {
      if (partition.part_of(pair.from, pair.to) != partition.part()) return;
      batch.add({static_cast<Vertex>(partition.column_of(pair.from)),
                 static_cast<Vertex>(partition.row_of(pair.to)), pair.weight});
    });
    batch.flush();
  };
  return assemble(partition, labels, list.weights.size() > 0, each, team);
}

Graph make_graph(const EdgeList& list, const Labels& labels, int rows, Communicator& ranks,
                 ThreadTeam& team) {
  require(rows >= 1 && ranks.size() % rows == 0, "the partition is refused",
          std::to_string(ranks.size()) + " ranks do not make " + std::to_string(rows) + " rows",
          "take a number of rows that divides the number of ranks");
  const Partition partition(rows, ranks.size() / rows, ranks.rank(), labels.count());
  if (ranks.size() == 1) return make_part(list, labels, partition, team);
  const std::vector<Pair> pairs = exchanged_pairs(list, labels, partition, ranks);
  const EachPair each = [&](int thread, const auto& take) {
    const Part share = split_evenly(static_cast<Index>(pairs.size()), team.size(), thread);
    take(std::span(pairs).subspan(static_cast<std::size_t>(share.begin),
                                  static_cast<std::size_t>(share.end - share.begin)));
  };
  return assemble(partition, labels, list.weights.size() > 0, each, team);
}

}  // namespace goban::graph500
