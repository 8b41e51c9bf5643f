#pragma once
// Graphs cut into parts of equal weight that hang together: which tile of cells whom belongs to.

#include <cstdint>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/partition/partitioner.hpp"

namespace goban {

/// Vertices with weights and neighbours, each edge at both ends. Vertices are numbered along a
/// curve that fills space (Morton's), so that those of near numbers are near each other.
struct WeightedGraph {
  std::vector<std::int64_t> weights;       ///< weights of vertices, positive
  std::vector<std::int64_t> begins{0};     ///< where a vertex's edges begin; one more than vertices
  std::vector<std::int32_t> neighbors;     ///< the other ends of edges
  std::vector<std::int32_t> edge_weights;  ///< weights of edges, positive

  Index vertices() const { return static_cast<Index>(weights.size()); }
};

struct Partition {
  std::vector<std::int32_t> part_of;  ///< the part of each vertex
  std::vector<std::int64_t> weights;  ///< weights of parts
  std::int64_t cut = 0;               ///< weight of the edges between parts
  bool is_connected = false;          ///< every part hangs together, as far as the graph does

  /// The heaviest part over the mean, less 1.
  double imbalance() const;
};

/// Parts are to be no heavier than so much over the mean.
inline constexpr double most_imbalance = 0.03;

/// Weights, cut and connection of parts that are given.
Partition measure(const WeightedGraph& graph, std::vector<std::int32_t> part_of, int parts);

/// Pieces of the curve of about equal weight.
Partition cut_curve(const WeightedGraph& graph, int parts);

/// Parts by flooding, in halves of halves: of two seeds that lie far from each other one is
/// flooded, breadth first, up to the quota of its half; vertices then change sides where that makes
/// the cut smaller and keeps both in one piece, weights within `tolerance` of the quota. The same
/// on every rank. Errors (usage): fewer vertices than parts; no part.
Partition flood(const WeightedGraph& graph, int parts, double tolerance = most_imbalance);

/// Parts whose weights are within 3 % of their mean, if they can be. Errors: those of flood() and
/// of scotch_parts().
Partition make_parts(const WeightedGraph& graph, int parts, Partitioner partitioner);

}  // namespace goban
