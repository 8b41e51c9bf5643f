#pragma once
// Kernel 3: shortest paths from one vertex, by delta-stepping (Meyer, Sanders, J. Algorithms 49
// (2003) 114) on the threads of one process.

#include <vector>

#include "graph500/graph.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"

namespace goban::graph500 {

/// Distances of original vertices; infinity: not reached.
using Distances = Buffer<float>;

/// Distances are those of Dijkstra's algorithm in single precision, bit for bit: rounded sums are
/// monotone, so that the smallest over all paths does not depend on their order. Of several
/// shortest paths the tree has any.
class ShortestPaths {
 public:
  /// A graph of one part with weights. Edges lighter than delta are followed at once, others when
  /// all distances up to the next multiple of delta are known.
  ShortestPaths(const Graph& graph, const Labels& labels, ThreadTeam& team, float delta);

  void run(Index root, Parents& parents, Distances& distances);

 private:
  using Bins = std::vector<std::vector<Vertex>>;
  enum class Edges { light, heavy };
  void relax(const std::vector<Vertex>& vertices, Edges edges, std::size_t bin);
  void offer(Vertex vertex, float distance, Vertex parent, Bins& bins);
  /// Moves what all threads have in a bin together.
  void take(std::size_t bin, std::vector<Vertex>& vertices);
  std::size_t next_bin(std::size_t bin) const;
  float distance_of(Vertex vertex) const;
  std::size_t bin_of(float distance) const { return static_cast<std::size_t>(distance / delta_); }

  const Graph& graph_;
  const Labels& labels_;
  ThreadTeam& team_;
  float delta_;
  Buffer<std::uint64_t> best_;        ///< bits of the distance, then the parent's label
  Buffer<std::uint32_t> settled_in_;  ///< the bin after which heavy edges are followed, and 1
  std::vector<Bins> bins_;            ///< of each thread
  std::vector<Bins> settled_;         ///< likewise, one bin each
};

/// Whether parents and distances are a tree of shortest paths of the tuples, up to `tolerance` a
/// tuple: a tree without cycles that spans the component; along its edges distances grow by the
/// weight of a tuple; no tuple is a shortcut.
Verdict validate_paths(const EdgeList& list, const std::vector<Index>& parents,
                       const Distances& distances, Index root, float tolerance, ThreadTeam& team);

}  // namespace goban::graph500
