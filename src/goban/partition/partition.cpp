#include "goban/partition/partition.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "goban/base/error.hpp"
#include "goban/partition/scotch.hpp"

namespace goban {
namespace {

using Vertex = std::int32_t;

/// Calls use(neighbour, weight) for every edge of a vertex.
template <class Use>
void each_edge(const WeightedGraph& graph, Vertex v, const Use& use) {
  const auto n = static_cast<std::size_t>(v);
  for (auto e = graph.begins[n]; e < graph.begins[n + 1]; ++e) {
    use(graph.neighbors[static_cast<std::size_t>(e)],
        graph.edge_weights[static_cast<std::size_t>(e)]);
  }
}

std::int64_t total(const std::vector<std::int64_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

/// The graph, and whose its vertices are at the moment.
class Pieces {
 public:
  Pieces(const WeightedGraph& graph, std::vector<std::int32_t>& part_of)
      : graph_(graph), part_of_(part_of) {}

  std::int32_t part(Vertex v) const { return part_of_[static_cast<std::size_t>(v)]; }
  std::int64_t weight(Vertex v) const { return graph_.weights[static_cast<std::size_t>(v)]; }
  const WeightedGraph& graph() const { return graph_; }
  void give(Vertex v, std::int32_t part) { part_of_[static_cast<std::size_t>(v)] = part; }

  /// Number of edges to these vertices of one part on the way from the first; the others stay at
  /// -1. `distances` is as large as the graph and -1 for `members`. Returns the last one reached.
  Vertex measure(Vertex from, std::vector<std::int32_t>& distances) const {
    std::vector<Vertex> front{from};
    distances[static_cast<std::size_t>(from)] = 0;
    for (std::size_t n = 0; n < front.size(); ++n) {
      each_edge(graph_, front[n], [&](Vertex next, std::int32_t) {
        auto& distance = distances[static_cast<std::size_t>(next)];
        if (part(next) != part(from) || distance >= 0) return;
        distance = distances[static_cast<std::size_t>(front[n])] + 1;
        front.push_back(next);
      });
    }
    return front.back();
  }

  /// What is left of a vertex's part beside it hangs together, as far as its neighbours'
  /// neighbours tell.
  bool can_leave(Vertex v) const {
    std::vector<Vertex> near, around;
    each_edge(graph_, v, [&](Vertex next, std::int32_t) {
      if (part(next) == part(v)) near.push_back(next);
    });
    if (near.empty()) return false;  // the last of its part
    around = near;
    for (const Vertex n : near) {
      each_edge(graph_, n, [&](Vertex next, std::int32_t) {
        if (next != v && part(next) == part(v)) around.push_back(next);
      });
    }
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    std::vector<char> is_seen(around.size());
    std::vector<Vertex> front{near.front()};
    const auto place = [&](Vertex n) {
      return std::lower_bound(around.begin(), around.end(), n) - around.begin();
    };
    is_seen[static_cast<std::size_t>(place(near.front()))] = 1;
    while (!front.empty()) {
      const Vertex at = front.back();
      front.pop_back();
      each_edge(graph_, at, [&](Vertex next, std::int32_t) {
        const auto n = static_cast<std::size_t>(place(next));
        if (n >= around.size() || around[n] != next || is_seen[n]) return;
        is_seen[n] = 1;
        front.push_back(next);
      });
    }
    return std::all_of(near.begin(), near.end(),
                       [&](Vertex n) { return is_seen[static_cast<std::size_t>(place(n))]; });
  }

 private:
  const WeightedGraph& graph_;
  std::vector<std::int32_t>& part_of_;
};

/// Cuts parts in two until each is one of those wanted.
class Bisection {
 public:
  Bisection(const WeightedGraph& graph, std::vector<std::int32_t>& part_of)
      : pieces_(graph, part_of), from_low_(part_of.size(), -1), from_high_(part_of.size(), -1) {}

  /// `members`, in order, of part `first` become parts first ... first + parts - 1.
  void cut(const std::vector<Vertex>& members, std::int32_t first, int parts) {
    if (parts == 1) return;
    const int low_parts = parts / 2;
    const std::int32_t other = first + low_parts;
    std::int64_t all = 0;
    for (const Vertex v : members) all += pieces_.weight(v);
    const std::int64_t quota = all * low_parts / parts;
    flood(members, other, all - quota);
    std::vector<Vertex> low, high;
    for (const Vertex v : members) (pieces_.part(v) == first ? low : high).push_back(v);
    cut(low, first, low_parts);
    cut(high, other, parts - low_parts);
  }

 private:
  /// Gives `other` so much of the members: what is nearer to one of two far vertices than to the
  /// other.
  void flood(const std::vector<Vertex>& members, std::int32_t other, std::int64_t quota) {
    const auto forget = [&](std::vector<std::int32_t>& distances) {
      for (const Vertex v : members) distances[static_cast<std::size_t>(v)] = -1;
    };
    forget(from_low_);
    const Vertex far = pieces_.measure(members.front(), from_low_);
    forget(from_low_);
    const Vertex seed = pieces_.measure(far, from_low_);
    forget(from_high_);
    pieces_.measure(seed, from_high_);
    const std::int32_t own = pieces_.part(seed);
    std::set<std::tuple<std::int32_t, std::int32_t, Vertex>> front;
    const auto reach = [&](Vertex v) {
      const auto n = static_cast<std::size_t>(v);
      front.emplace(from_high_[n] - from_low_[n], from_high_[n], v);
    };
    std::int64_t taken = 0;
    reach(seed);
    std::size_t next_apart = 0;
    while (taken < quota) {
      while (front.empty()) {  // what does not hang together
        if (pieces_.part(members[next_apart]) == own) reach(members[next_apart]);
        ++next_apart;
      }
      const Vertex v = std::get<2>(*front.begin());
      front.erase(front.begin());
      const std::int64_t more = taken + pieces_.weight(v);
      if (more - quota > quota - taken && taken > 0) break;
      taken = more;
      pieces_.give(v, other);
      each_edge(pieces_.graph(), v, [&](Vertex next, std::int32_t) {
        if (pieces_.part(next) == own) reach(next);
      });
    }
  }

  Pieces pieces_;
  std::vector<std::int32_t> from_low_, from_high_;
};

/// Vertices change parts: of parts that are too heavy to lighter ones, of pieces that lie apart to
/// those around them, and where that makes the cut smaller.
class Smoothing {
 public:
  Smoothing(const WeightedGraph& graph, std::vector<std::int32_t>& part_of, int parts,
            double tolerance)
      : pieces_(graph, part_of), weights_(static_cast<std::size_t>(parts)) {
    for (Vertex v = 0; v < graph.vertices(); ++v) weight_of(v) += pieces_.weight(v);
    const auto mean = static_cast<double>(total(weights_)) / parts;
    most_ = static_cast<std::int64_t>(mean * (1 + tolerance));
    least_ = static_cast<std::int64_t>(mean * (1 - tolerance));
  }

  void run() {
    constexpr int rounds = 200;
    for (int round = 0; round < rounds; ++round) {
      join_pieces();
      const bool has_moved = pass();
      if (!has_moved) break;
    }
    join_pieces();
  }

 private:
  std::int64_t& weight_of(Vertex v) { return weights_[static_cast<std::size_t>(pieces_.part(v))]; }

  void move(Vertex v, std::int32_t part) {
    weight_of(v) -= pieces_.weight(v);
    pieces_.give(v, part);
    weight_of(v) += pieces_.weight(v);
  }

  /// Whether any vertex has moved.
  bool pass() {
    bool has_moved = false;
    for (Vertex v = 0; v < pieces_.graph().vertices(); ++v) {
      const std::int32_t to = better_part(v);
      if (to < 0 || !pieces_.can_leave(v)) continue;
      move(v, to);
      has_moved = true;
    }
    return has_moved;
  }

  /// Where a vertex is better off; -1: nowhere.
  std::int32_t better_part(Vertex v) {
    const std::int32_t own = pieces_.part(v);
    std::vector<std::pair<std::int32_t, std::int64_t>> links;  // parts around
    std::int64_t inner = 0;
    each_edge(pieces_.graph(), v, [&](Vertex next, std::int32_t weight) {
      if (pieces_.part(next) == own) {
        inner += weight;
        return;
      }
      const auto at = std::find_if(links.begin(), links.end(), [&](const auto& link) {
        return link.first == pieces_.part(next);
      });
      if (at == links.end()) {
        links.emplace_back(pieces_.part(next), weight);
      } else {
        at->second += weight;
      }
    });
    std::int32_t best = -1;
    std::int64_t most = 0;
    const std::int64_t weight = pieces_.weight(v), from = weight_of(v);
    for (const auto& [part, linked] : links) {
      const std::int64_t to = weights_[static_cast<std::size_t>(part)];
      const bool levels = from > to + weight && (from > most_ || to < least_);
      const bool smooths = linked > inner && to + weight <= most_ && from - weight >= least_;
      if ((levels || smooths) && linked > most) {
        best = part;
        most = linked;
      }
    }
    return best;
  }

  /// Pieces of a part beside its heaviest go to the part that they share most links with.
  void join_pieces() {
    const Index vertices = pieces_.graph().vertices();
    std::vector<std::int32_t> distances(static_cast<std::size_t>(vertices), -1);
    std::vector<std::vector<Vertex>> heaviest(weights_.size());
    std::vector<std::int64_t> of_heaviest(weights_.size());
    std::vector<std::vector<Vertex>> apart;
    for (Vertex v = 0; v < vertices; ++v) {
      if (distances[static_cast<std::size_t>(v)] >= 0) continue;
      std::vector<Vertex> piece = piece_of(v, distances);
      std::int64_t weight = 0;
      for (const Vertex n : piece) weight += pieces_.weight(n);
      const auto part = static_cast<std::size_t>(pieces_.part(v));
      if (weight > of_heaviest[part]) {
        std::swap(piece, heaviest[part]);
        of_heaviest[part] = weight;
      }
      if (!piece.empty()) apart.push_back(std::move(piece));
    }
    for (const std::vector<Vertex>& piece : apart) hand_over(piece);
  }
  std::vector<Vertex> piece_of(Vertex first, std::vector<std::int32_t>& seen) const {
    std::vector<Vertex> piece{first};
    seen[static_cast<std::size_t>(first)] = 0;
    for (std::size_t n = 0; n < piece.size(); ++n) {
      each_edge(pieces_.graph(), piece[n], [&](Vertex next, std::int32_t) {
        auto& mark = seen[static_cast<std::size_t>(next)];
        if (pieces_.part(next) != pieces_.part(first) || mark >= 0) return;
        mark = 0;
        piece.push_back(next);
      });
    }
    return piece;
  }
  void hand_over(const std::vector<Vertex>& piece) {
    std::vector<std::int64_t> links(weights_.size());
    const std::int32_t own = pieces_.part(piece.front());
    for (const Vertex v : piece) {
      each_edge(pieces_.graph(), v, [&](Vertex next, std::int32_t weight) {
        if (pieces_.part(next) != own)
          links[static_cast<std::size_t>(pieces_.part(next))] += weight;
      });
    }
    const auto most = std::max_element(links.begin(), links.end());
    if (*most == 0) return;  // the graph itself lies in pieces
    for (const Vertex v : piece) move(v, static_cast<std::int32_t>(most - links.begin()));
  }

  Pieces pieces_;
  std::vector<std::int64_t> weights_;
  std::int64_t most_, least_;
};

Partition cut_by_scotch(const WeightedGraph& graph, int parts) {
  Partition made = measure(graph, scotch_parts(graph, parts), parts);
  require(std::count(made.weights.begin(), made.weights.end(), 0) == 0,
          "SCOTCH has left a part empty",
          std::to_string(graph.vertices()) + " tiles into " + std::to_string(parts) + " parts",
          "take fewer parts, or leave run.partition out");
  return made;
}

/// How many parts one of SCOTCH becomes: as far as these divide evenly.
int parts_of_each(int parts) {
  for (const int each : {4, 3, 2}) {
    if (parts % each == 0) return each;
  }
  return 1;
}

/// Every part becomes as many.
Partition flooded_within(const WeightedGraph& graph, Partition coarse, int each) {
  std::vector<std::vector<Vertex>> members(coarse.weights.size());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    std::int32_t& part = coarse.part_of[static_cast<std::size_t>(v)];
    members[static_cast<std::size_t>(part)].push_back(v);
    part *= each;
  }
  Bisection bisection(graph, coarse.part_of);
  for (std::size_t part = 0; part < members.size(); ++part) {
    require(std::ssize(members[part]) >= each, "a part of SCOTCH is too small to be flooded",
            std::to_string(members[part].size()) + " tiles into " + std::to_string(each) + " parts",
            "take fewer parts, or leave run.partition out");
    bisection.cut(members[part], static_cast<std::int32_t>(part) * each, each);
  }
  const int parts = static_cast<int>(members.size()) * each;
  Smoothing(graph, coarse.part_of, parts, most_imbalance).run();
  return measure(graph, std::move(coarse.part_of), parts);
}

void check(const WeightedGraph& graph, int parts) {
  require(parts >= 1, "a graph cannot be cut into " + std::to_string(parts) + " parts");
  require(graph.vertices() >= parts,
          "a graph of " + std::to_string(graph.vertices()) + " vertices cannot be cut into " +
              std::to_string(parts) + " parts",
          "each has one at least", "take fewer parts or smaller tiles");
}

}  // namespace

double Partition::imbalance() const {
  const auto mean = static_cast<double>(total(weights)) / static_cast<double>(weights.size());
  return static_cast<double>(*std::max_element(weights.begin(), weights.end())) / mean - 1;
}

Partition measure(const WeightedGraph& graph, std::vector<std::int32_t> part_of, int parts) {
  Partition result{std::move(part_of), std::vector<std::int64_t>(static_cast<std::size_t>(parts)),
                   0, true};
  const Pieces pieces(graph, result.part_of);
  std::vector<std::int32_t> distances(result.part_of.size(), -1), whole(1, 0);
  std::vector<std::int32_t> one(result.part_of.size(), 0), reached(result.part_of.size(), -1);
  std::int64_t pieces_of_parts = 0, pieces_of_graph = 0;
  const Pieces all(graph, one);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const auto n = static_cast<std::size_t>(v);
    result.weights[static_cast<std::size_t>(pieces.part(v))] += graph.weights[n];
    each_edge(graph, v, [&](Vertex next, std::int32_t weight) {
      if (next > v && pieces.part(next) != pieces.part(v)) result.cut += weight;
    });
    if (distances[n] < 0) {
      ++pieces_of_parts;
      pieces.measure(v, distances);
    }
    if (reached[n] < 0) {
      ++pieces_of_graph;
      all.measure(v, reached);
    }
  }
  result.is_connected = pieces_of_parts <= parts + pieces_of_graph - 1;
  return result;
}

Partition cut_curve(const WeightedGraph& graph, int parts) {
  check(graph, parts);
  std::vector<std::int32_t> part_of(graph.weights.size());
  const std::int64_t all = total(graph.weights);
  std::int64_t before = 0;
  for (std::size_t v = 0; v < part_of.size(); ++v) {
    const std::int64_t middle = before + graph.weights[v] / 2;
    part_of[v] = static_cast<std::int32_t>(std::min<std::int64_t>(middle * parts / all, parts - 1));
    before += graph.weights[v];
  }
  return measure(graph, std::move(part_of), parts);
}

Partition flood(const WeightedGraph& graph, int parts, double tolerance) {
  check(graph, parts);
  std::vector<std::int32_t> part_of(graph.weights.size());
  std::vector<Vertex> members(part_of.size());
  std::iota(members.begin(), members.end(), 0);
  Bisection(graph, part_of).cut(members, 0, parts);
  Smoothing(graph, part_of, parts, tolerance).run();
  return measure(graph, std::move(part_of), parts);
}

Partition make_parts(const WeightedGraph& graph, int parts, Partitioner partitioner) {
  check(graph, parts);
  if (partitioner == Partitioner::scotch) return cut_by_scotch(graph, parts);
  if (partitioner == Partitioner::scotch_flooded) {
    const int each = parts_of_each(parts);
    return flooded_within(graph, cut_by_scotch(graph, parts / each), each);
  }
  Partition curve = cut_curve(graph, parts), flooded = flood(graph, parts);
  const bool is_even = flooded.imbalance() <= std::max(most_imbalance, curve.imbalance());
  return is_even && flooded.cut < curve.cut ? flooded : curve;
}

}  // namespace goban
