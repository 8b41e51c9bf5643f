#include "graph500/paths.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "goban/base/error.hpp"

namespace goban::graph500 {
namespace {

/// Distances are ordered as their bits are.
constexpr std::int64_t no_distance = std::numeric_limits<std::int64_t>::max();

}  // namespace

void DistanceBins::next_beyond(float distance) {
  const double bins = std::floor(static_cast<double>(distance) / delta_) + 1;
  limit_ = std::max(static_cast<float>(bins * delta_),
                    std::nextafter(distance, std::numeric_limits<float>::infinity()));
}

void refuse_steps(bool any, const PathWords& words, Communicator& ranks) {
  std::array<std::int64_t, 1> most{any ? 1 : 0};
  ranks.maximum(most);
  require(most[0] == 0, "search.paths is refused",
          std::to_string(words.most_steps()) +
              " edges or more follow each other without adding to a distance",
          "give them greater weights");
}

ShortestPaths::ShortestPaths(const Graph& graph, const Labels& labels, Communicator& ranks,
                             ThreadTeam& team, const DistanceBins& bins)
    : graph_(graph),
      labels_(labels),
      ranks_(ranks),
      team_(team),
      words_(labels.count()),
      bins_(bins),
      best_(graph.partition.row_blocks() * Partition::block),
      near_(graph.partition.own_blocks()),
      far_(graph.partition.own_blocks()),
      frontier_(graph.partition.column_blocks()),
      settled_(graph.partition.column_blocks()) {
  if (graph.partition.parts() > 1) {
    active_ = Buffer<Word>(graph.partition.own_blocks());
    reach_ = Buffer<Word>(graph.partition.column_blocks() * Partition::block);
  }
  if (graph.partition.columns() > 1) offered_ = Buffer<Word>(graph.partition.row_blocks());
}

Distances ShortestPaths::make_distances() const {
  const bool is_alone = graph_.partition.parts() == 1;
  return Distances(is_alone ? labels_.label.size() : graph_.own_degree.size());
}

void ShortestPaths::run(Index root, Parents& parents, Distances& distances) {
  begin(labels_.label[root]);
  do {
    while (take_near()) relax(frontier_, Edges::light);
    relax(settled_, Edges::heavy);
    fill(settled_, Word{0}, team_);
  } while (next_bin());
  write(parents, distances);
}

void ShortestPaths::begin(Vertex root) {
  fill(best_, PathWords::unreached, team_);
  for (Buffer<Word>* set : {&near_, &far_, &settled_, &offered_}) fill(*set, Word{0}, team_);
  bins_.begin();
  const Partition& partition = graph_.partition;
  if (partition.owner(root) == partition.part()) {
    offer(partition.row_of(root), words_.start(root), false);
  }
}

/// Own vertices near enough become the frontier. False: no rank has any.
bool ShortestPaths::take_near() {
  const bool is_alone = active_.size() == 0;
  std::atomic<std::uint64_t> count{0};
  team_.run_split(near_.size(), [&](Index begin, Index end, int) {
    std::uint64_t here = 0;
    for (Index w = begin; w < end; ++w) {
      const Word taken = std::exchange(near_[w], 0);
      here += static_cast<std::uint64_t>(__builtin_popcountll(taken));
      far_[w] &= ~taken;
      (is_alone ? frontier_ : active_)[w] = taken;
      if (is_alone) settled_[w] |= taken;
    }
    count += here;
  });
  std::array<std::uint64_t, 1> counts{count};
  ranks_.sum(counts);
  if (counts[0] == 0) return false;
  if (!is_alone) expand();
  return true;
}

/// The frontier goes to those in the column, who have its edges.
void ShortestPaths::expand() {
  const Partition& partition = graph_.partition;
  DeltaWriter writer;
  for (Index n = 0; n < active_.size(); ++n) {
    each_bit(active_[n], [&](Index t) {
      const Index row = partition.row_block_of(n, partition.column()) * 64 + t;
      writer.add(static_cast<std::uint64_t>(n * 64 + t));
      writer.add_value(words_.place(best_[row]));
    });
  }
  const std::vector<std::byte> bytes = writer.take();
  std::vector<Parcel> parcels;
  for (int row = 0; row < partition.rows(); ++row) {
    parcels.push_back({partition.column() * partition.rows() + row, bytes});
  }
  fill(frontier_, Word{0}, team_);
  for (const Parcel& parcel : ranks_.exchange(std::move(parcels))) {
    const int row = parcel.rank % partition.rows();
    for (DeltaReader reader(parcel.bytes); !reader.is_over();) {
      const auto own = static_cast<Index>(reader.next());
      const Index block = partition.column_block_of(own / 64, row);
      reach_[block * 64 + own % 64] = words_.at_place(reader.next_value());
      frontier_[block] |= Word{1} << (own % 64);
      settled_[block] |= Word{1} << (own % 64);
    }
  }
}

/// Follows the edges of one kind that lead from a set of the column.
void ShortestPaths::relax(const Buffer<Word>& set, Edges edges) {
  const Adjacency& adjacency = graph_.from_columns();
  const bool is_shared = team_.size() > 1;
  Buffer<Word>& from = reach_.size() > 0 ? reach_ : best_;
  shares_.list(set, adjacency);
  shares_.each(adjacency, team_, [&](Index c, Index begin, Index end) {
    const Word word = std::atomic_ref(from[c]).load(std::memory_order_relaxed);
    const Vertex label = graph_.partition.label_of_column(c);
    for (Index e = begin; e < end; ++e) {
      const float weight = adjacency.weight[e];
      if ((weight < bins_.delta()) != (edges == Edges::light)) continue;
      offer(adjacency.neighbour[e], words_.beyond(word, weight, label), is_shared);
    }
  });
  if (has_columns()) fold();
}

/// A shorter way to a vertex of the row, perhaps.
void ShortestPaths::offer(Index row, Word word, bool is_shared) {
  std::atomic_ref shared(best_[row]);
  Word held = shared.load(std::memory_order_relaxed);
  do {
    if (held <= word) return;
  } while (!shared.compare_exchange_weak(held, word, std::memory_order_relaxed));
  const Partition& partition = graph_.partition;
  const Index block = row / 64, t = row % 64;
  if (block % partition.columns() != partition.column()) {
    return set_bit(offered_[block], t, is_shared);
  }
  if (words_.place(held) == words_.place(word)) return;  // what follows from it stays
  Buffer<Word>& set = words_.distance(word) < bins_.limit() ? near_ : far_;
  set_bit(set[block / partition.columns()], t, is_shared);
}

/// What this part offers to vertices of others in its row goes there.
void ShortestPaths::fold() {
  const Partition& partition = graph_.partition;
  std::vector<Parcel> parcels;
  for (int column = 0; column < partition.columns(); ++column) {
    DeltaWriter writer;
    for (Index n = 0; n < partition.own_blocks(); ++n) {
      const Index block = partition.row_block_of(n, column);
      each_bit(std::exchange(offered_[block], 0), [&](Index t) {
        writer.add(static_cast<std::uint64_t>(n * 64 + t));
        writer.add_value(best_[block * 64 + t]);
      });
    }
    std::vector<std::byte> bytes = writer.take();
    if (bytes.empty()) continue;
    parcels.push_back({column * partition.rows() + partition.row(), std::move(bytes)});
  }
  for (const Parcel& parcel : ranks_.exchange(std::move(parcels))) {
    for (DeltaReader reader(parcel.bytes); !reader.is_over();) {
      const auto own = static_cast<Index>(reader.next());
      const Index block = partition.row_block_of(own / 64, partition.column());
      offer(block * 64 + own % 64, reader.next_value(), false);
    }
  }
}

/// Moves the limit to the next distances there are. False: there are none.
bool ShortestPaths::next_bin() {
  for (bins_.next();;) {
    std::atomic<std::uint64_t> moved{0};
    std::atomic<std::int64_t> nearest{no_distance};
    team_.run_split(far_.size(), [&](Index begin, Index end, int) {
      std::uint64_t here = 0;
      std::int64_t least = no_distance;
      for (Index n = begin; n < end; ++n) {
        const Index block = graph_.partition.row_block_of(n, graph_.partition.column());
        each_bit(far_[n], [&](Index t) {
          const float distance = words_.distance(best_[block * 64 + t]);
          if (distance < bins_.limit()) {
            near_[n] |= Word{1} << t;
          } else {
            least = std::min<std::int64_t>(least, std::bit_cast<std::int32_t>(distance));
          }
        });
        here += static_cast<std::uint64_t>(__builtin_popcountll(near_[n]));
      }
      moved += here;
      std::int64_t held = nearest;
      while (least < held && !nearest.compare_exchange_weak(held, least)) {
      }
    });
    std::array<std::uint64_t, 1> moves{moved};
    std::array<std::int64_t, 1> distances{nearest};
    ranks_.sum(moves);
    ranks_.minimum(distances);
    if (moves[0] > 0) return true;
    if (distances[0] == no_distance) return false;
    bins_.next_beyond(std::bit_cast<float>(static_cast<std::int32_t>(distances[0])));
  }
}

void ShortestPaths::write(Parents& parents, Distances& distances) {
  const Partition& partition = graph_.partition;
  const bool is_alone = partition.parts() == 1;
  std::atomic<bool> has_most_steps{false};
  team_.run_split(parents.size(), [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      Word word = PathWords::unreached;
      if (!is_alone) {
        word = best_[partition.row_block_of(i / 64, partition.column()) * 64 + i % 64];
      } else if (labels_.label[i] != no_vertex) {
        word = best_[labels_.label[i]];
      }
      const bool is_reached = word != PathWords::unreached;
      parents[i] = is_reached ? Index{labels_.original[words_.parent(word)]} : Index{-1};
      distances[i] = words_.distance(word);
      if (words_.has_most_steps(word)) has_most_steps = true;
    }
  });
  refuse_steps(has_most_steps, words_, ranks_);
}

}  // namespace goban::graph500
