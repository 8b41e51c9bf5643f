#include "graph500/edge_shares.hpp"

namespace goban::graph500 {

void EdgeShares::list(const Buffer<Word>& set, const Adjacency& adjacency) {
  vertices_.clear();
  sums_.assign(1, 0);
  for (Index w = 0; w < set.size(); ++w) {
    each_bit(set[w], [&](Index t) {
      const Index v = w * 64 + t;
      const auto count = static_cast<Index>(adjacency.begin[v + 1] - adjacency.begin[v]);
      if (count == 0) return;
      vertices_.push_back(static_cast<Vertex>(v));
      sums_.push_back(sums_.back() + count);
    });
  }
}

}  // namespace goban::graph500
