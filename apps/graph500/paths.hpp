#pragma once
// Kernel 3 on CPUs: shortest paths from one vertex, by delta-stepping (Meyer, Sanders, J.
// Algorithms 49 (2003) 114).

#include <algorithm>
#include <limits>

#include "graph500/edge_shares.hpp"
#include "graph500/path_word.hpp"
#include "graph500/search.hpp"

namespace goban::graph500 {

/// Distances of the vertices that Parents have; infinity: not reached.
using Distances = Buffer<float>;

/// The bins of distances that kernel 3 computes with.
class DistanceBins {
 public:
  /// `delta` as a share of the greatest weight.
  DistanceBins(float most_weight, double delta)
      : delta_(std::max(std::max(most_weight, 1e-30f) * static_cast<float>(delta),
                        std::numeric_limits<float>::min())) {}
  /// Lighter edges are followed at once, others when all distances below the limit are known.
  float delta() const { return delta_; }
  float limit() const { return limit_; }
  void begin() { limit_ = delta_; }
  void next() { limit_ += delta_; }
  /// Goes on to the first bin whose limit lies beyond a distance.
  void next_beyond(float distance);

 private:
  float delta_, limit_ = 0;
};
/// Error (usage) if `any` on some rank.
void refuse_steps(bool any, const PathWords& words, Communicator& ranks);

/// Distances are those of Dijkstra's algorithm in single precision, bit for bit: rounded sums are
/// monotone, so that the smallest over all paths does not depend on their order. The parent of a
/// vertex is its neighbour on a shortest path that has the smallest label; PathWords has the rest.
class ShortestPaths {
 public:
  /// A graph with weights. What it is given must outlive it.
  ShortestPaths(const Graph& graph, const Labels& labels, Communicator& ranks, ThreadTeam& team,
                const DistanceBins& bins);

  /// Collective. Error (usage): more edges follow each other without adding to a distance than are
  /// counted.
  void run(Index root, Parents& parents, Distances& distances);
  Distances make_distances() const;

 private:
  enum class Edges { light, heavy };
  void begin(Vertex root);
  bool take_near();
  void expand();
  void relax(const Buffer<Word>& set, Edges edges);
  void offer(Index row, Word word, bool is_shared);
  void fold();
  bool next_bin();
  void write(Parents& parents, Distances& distances);
  bool has_columns() const { return offered_.size() > 0; }

  const Graph& graph_;
  const Labels& labels_;
  Communicator& ranks_;
  ThreadTeam& team_;
  PathWords words_;
  DistanceBins bins_;
  /// Words of the row's vertices, as far as this part knows; it knows all of its own.
  Buffer<Word> best_;
  /// Words of the column's vertices, as their owner has said; empty: as in best_.
  Buffer<Word> reach_;
  Buffer<Word> near_;      ///< own vertices to go on from, below the limit
  Buffer<Word> far_;       ///< own vertices to go on from, beyond the limit
  Buffer<Word> active_;    ///< own vertices of the frontier; empty: it has no others
  Buffer<Word> frontier_;  ///< vertices of the column that are on the frontier
  /// Vertices of the column that were on the frontier since the limit has moved.
  Buffer<Word> settled_;
  /// Vertices of the row whose owners are to hear of them; empty: all are own ones.
  Buffer<Word> offered_;
  EdgeShares shares_;
};

}  // namespace goban::graph500
