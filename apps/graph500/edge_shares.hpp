#pragma once
// The edges of a set of vertices, dealt to threads.

#include <algorithm>
#include <vector>

#include "graph500/bitmap.hpp"
#include "graph500/graph.hpp"

namespace goban::graph500 {

class EdgeShares {
 public:
  void list(const Buffer<Word>& set, const Adjacency& adjacency);

  /// Every thread gets as many edges: f(vertex, begin, end) for those of `adjacency` that lead from
  /// it.
  template <class F>
  void each(const Adjacency& adjacency, ThreadTeam& team, const F& f) const {
    team.run_split(sums_.back(), [&](Index begin, Index end, int) {
      auto q = static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), begin) -
                                        sums_.begin() - 1);
      for (Index e = begin; e < end; ++q) {
        const Index stop = std::min(end, sums_[q + 1]);
        const Index vertex = vertices_[q];
        const auto first = static_cast<Index>(adjacency.begin[vertex]) - sums_[q];
        f(vertex, first + e, first + stop);
        e = stop;
      }
    });
  }

 private:
  std::vector<Vertex> vertices_;
  std::vector<Index> sums_;  ///< edges of the vertices before each, and of all
};

}  // namespace goban::graph500
