#include "graph500/search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

namespace goban::graph500 {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// Words of a bitmap that a thread takes at a time.
constexpr Index words_at_once = 64;

/// Several threads may offer parents at once; the smallest stays.
void offer(Vertex& parent, Vertex candidate, bool is_shared) {
  if (!is_shared) {
    parent = std::min(parent, candidate);
    return;
  }
  std::atomic_ref<Vertex> shared(parent);
  Vertex held = shared.load(std::memory_order_relaxed);
  while (candidate < held &&
         !shared.compare_exchange_weak(held, candidate, std::memory_order_relaxed)) {
  }
}

}  // namespace

bool Direction::is_bottom_up() {
  unexplored_ -= frontier_edges_;
  if (!bottom_up_) {
    bottom_up_ =
        static_cast<double>(frontier_edges_) > static_cast<double>(unexplored_) / rule_.alpha;
  } else if (frontier_ < last_frontier_ &&
             static_cast<double>(frontier_) < static_cast<double>(vertices_) / rule_.beta) {
    bottom_up_ = false;
  }
  return bottom_up_;
}

void Direction::found(Index vertices, Index edges) {
  last_frontier_ = frontier_;
  frontier_ = vertices;
  frontier_edges_ = edges;
}

Search::Search(const Graph& graph, const Labels& labels, Communicator& ranks, ThreadTeam& team,
               const DirectionRule& rule)
    : graph_(graph),
      labels_(labels),
      ranks_(ranks),
      team_(team),
      rule_(rule),
      visited_(graph.partition.row_blocks()),
      found_(graph.partition.row_blocks()),
      frontier_(graph.partition.column_blocks()),
      parent_(graph.partition.row_blocks() * Partition::block) {
  if (graph.partition.columns() > 1) {
    own_found_ = Buffer<Word>(graph.partition.own_blocks());
    own_parent_ = Buffer<Vertex>(graph.partition.own_blocks() * Partition::block);
  }
  for (const std::uint32_t degree : labels.degree) edges_ += degree;
}

Parents Search::make_parents() const {
  const bool is_alone = graph_.partition.parts() == 1;
  return Parents(is_alone ? labels_.label.size() : graph_.own_degree.size());
}

void Search::run(Index root, Parents& parents) {
  levels_.clear();
  clear();
  begin(labels_.label[root]);
  Direction direction(rule_, labels_.count(), edges_, labels_.degree[labels_.label[root]]);
  while (!direction.is_over()) {
    const auto start = steady_clock::now();
    const bool bottom_up = direction.is_bottom_up();
    bottom_up ? go_up() : go_down();
    const auto before_messages = steady_clock::now();
    double message_seconds = 0;
    if (graph_.partition.columns() > 1) {
      fold();
      message_seconds = seconds_since(before_messages);
    }
    const Totals totals = finish_level();
    const auto before_spread = steady_clock::now();
    if (totals.found > 0) spread();
    if (graph_.partition.parts() > 1) message_seconds += seconds_since(before_spread);
    direction.found(totals.found, totals.edges);
    levels_.push_back(
        {bottom_up, totals.found, seconds_since(start), message_seconds, std::exchange(sent_, 0)});
  }
  write(parents);
}

void Search::clear() {
  fill(parent_, no_vertex, team_);
  if (own_parent_.size() > 0) fill(own_parent_, no_vertex, team_);
  if (own_found_.size() > 0) fill(own_found_, Word{0}, team_);
  fill(found_, Word{0}, team_);
  fill(frontier_, Word{0}, team_);
  // What nothing leads to is never looked for; so are labels beyond the last.
  fill(visited_, Word{0}, team_);
}

void Search::begin(Vertex root) {
  const Partition& partition = graph_.partition;
  const int owner = partition.owner(root);
  if (owner % partition.rows() == partition.row()) {
    const Index r = partition.row_of(root);
    visited_[r / 64] |= Word{1} << (r % 64);
    parent_[r] = root;
  }
  if (owner / partition.rows() == partition.column()) {
    const Index c = partition.column_of(root);
    frontier_[c / 64] |= Word{1} << (c % 64);
  }
  if (owner == partition.part() && own_parent_.size() > 0) {
    own_parent_[partition.own_of(root)] = root;
  }
}

void Search::go_down() {
  const Adjacency& adjacency = graph_.from_columns();
  frontier_edges_.list(frontier_, adjacency);
  const bool is_shared = team_.size() > 1;
  frontier_edges_.each(adjacency, team_, [&](Index c, Index begin, Index end) {
    const Vertex label = graph_.partition.label_of_column(c);
    for (Index e = begin; e < end; ++e) {
      const Index v = adjacency.neighbour[e];
      if (has_bit(visited_.data(), v)) continue;
      offer(parent_[v], label, is_shared);
      set_bit(found_[v / 64], v % 64, is_shared);
    }
  });
}

/// The first neighbour on the frontier is the one with the smallest label.
void Search::go_up() {
  std::atomic<Index> next{0};
  team_.run([&](int) {
    for (Index w = next.fetch_add(words_at_once); w < visited_.size();
         w = next.fetch_add(words_at_once)) {
      up_words(w, std::min(visited_.size(), w + words_at_once));
    }
  });
}

void Search::up_words(Index begin, Index end) {
  const Adjacency& adjacency = graph_.by_row;
  const Word* frontier = frontier_.data();
  for (Index w = begin; w < end; ++w) {
    const Word unvisited = ~visited_[w];
    if (unvisited == 0) continue;
    const Index base = w * 64;
    const Vertex* first = adjacency.first.data() + base;
    Word hit = 0, missed = 0;
    each_bit(unvisited, [&](Index t) {
      const Vertex u = first[t];
      if (u == no_vertex) return;
      const Word bit = frontier[u / 64] >> (u % 64) & 1;
      hit |= bit << t;
      missed |= (bit ^ 1) << t;
    });
    each_bit(hit, [&](Index t) { parent_[base + t] = graph_.partition.label_of_column(first[t]); });
    each_bit(missed, [&](Index t) {
      const auto* neighbour = adjacency.neighbour.data() + adjacency.begin[base + t] + 1;
      const auto* last = adjacency.neighbour.data() + adjacency.begin[base + t + 1];
      for (; neighbour < last; ++neighbour) {
        if (!has_bit(frontier, *neighbour)) continue;
        parent_[base + t] = graph_.partition.label_of_column(*neighbour);
        hit |= Word{1} << t;
        return;
      }
    });
    found_[w] = hit;
  }
}

std::vector<Parcel> Search::exchange(std::vector<Parcel> parcels) {
  for (const Parcel& parcel : parcels) {
    if (parcel.rank != ranks_.rank()) sent_ += static_cast<Index>(parcel.bytes.size());
  }
  return ranks_.exchange(std::move(parcels));
}

/// What this part has found goes to those in its row that own it.
void Search::fold() {
  const Partition& partition = graph_.partition;
  std::vector<Parcel> parcels;
  for (int column = 0; column < partition.columns(); ++column) {
    DeltaWriter writer;
    for (Index n = 0; n < partition.own_blocks(); ++n) {
      const Index w = partition.row_block_of(n, column);
      each_bit(found_[w], [&](Index t) {
        writer.add(static_cast<std::uint64_t>(n * 64 + t));
        writer.add_value(parent_[w * 64 + t]);
      });
    }
    std::vector<std::byte> bytes = writer.take();
    if (bytes.empty()) continue;
    parcels.push_back({column * partition.rows() + partition.row(), std::move(bytes)});
  }
  for (const Parcel& parcel : exchange(std::move(parcels))) {
    for (DeltaReader reader(parcel.bytes); !reader.is_over();) {
      const auto own = static_cast<Index>(reader.next());
      const auto parent = static_cast<Vertex>(reader.next_value());
      own_parent_[own] = std::min(own_parent_[own], parent);
      own_found_[own / 64] |= Word{1} << (own % 64);
    }
  }
}

/// Counts what was found on all ranks.
Search::Totals Search::finish_level() {
  const Buffer<Word>& found = own_found_.size() > 0 ? own_found_ : found_;
  std::atomic<Index> vertices{0}, edges{0};
  team_.run_split(found.size(), [&](Index begin, Index end, int) {
    Index v = 0, e = 0;
    for (Index w = begin; w < end; ++w) {
      v += __builtin_popcountll(found[w]);
      each_bit(found[w], [&](Index t) { e += graph_.own_degree[w * 64 + t]; });
    }
    vertices += v;
    edges += e;
  });
  std::array<std::uint64_t, 2> sums{static_cast<std::uint64_t>(vertices),
                                    static_cast<std::uint64_t>(edges)};
  ranks_.sum(sums);
  return {static_cast<Index>(sums[0]), static_cast<Index>(sums[1])};
}

/// What parts own of the new frontier goes to all parts of their rows, for which it is visited, and
/// of their columns, which go on from it.
void Search::spread() {
  const Partition& partition = graph_.partition;
  if (partition.parts() == 1) {
    team_.run_split(found_.size(), [&](Index begin, Index end, int) {
      for (Index w = begin; w < end; ++w) {
        visited_[w] |= found_[w];
        frontier_[w] = std::exchange(found_[w], 0);
      }
    });
    return;
  }
  Buffer<Word>& found = own_found_.size() > 0 ? own_found_ : found_;
  const std::vector<std::byte> bytes = packed(found.all());
  std::vector<Parcel> parcels;
  for (int part = 0; part < partition.parts(); ++part) {
    const bool is_near =
        part % partition.rows() == partition.row() || part / partition.rows() == partition.column();
    if (is_near) parcels.push_back({part, bytes});
  }
  fill(found_, Word{0}, team_);
  if (own_found_.size() > 0) fill(own_found_, Word{0}, team_);
  fill(frontier_, Word{0}, team_);
  for (const Parcel& parcel : exchange(std::move(parcels))) {
    const int row = parcel.rank % partition.rows(), column = parcel.rank / partition.rows();
    unpack(parcel.bytes, [&](Index n, Word bits) {
      if (row == partition.row()) visited_[partition.row_block_of(n, column)] |= bits;
      if (column == partition.column()) frontier_[partition.column_block_of(n, row)] |= bits;
    });
  }
}

void Search::write(Parents& parents) const {
  const bool is_alone = graph_.partition.parts() == 1;
  const Buffer<Vertex>& parent = own_parent_.size() > 0 ? own_parent_ : parent_;
  team_.run_split(parents.size(), [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const Index own = is_alone ? labels_.label[i] : i;
      const Vertex label = own == no_vertex ? no_vertex : parent[own];
      parents[i] = label == no_vertex ? Index{-1} : Index{labels_.original[label]};
    }
  });
}

}  // namespace goban::graph500
