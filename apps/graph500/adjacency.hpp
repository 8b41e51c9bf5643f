#pragma once
// Sorted lists of neighbours from pairs in any order.

#include <atomic>
#include <functional>

#include "goban/backend/cpu/thread_team.hpp"
#include "graph500/graph.hpp"

namespace goban::graph500 {

/// An edge of a part, and the weight of its tuple.
struct Pair {
  Vertex from, to;
  float weight;
};

/// Hands all pairs to a function, thread by thread, the same ones each time it is called.
using EachPair = std::function<void(int thread, const std::function<void(std::span<const Pair>)>&)>;

/// Counts become the sums of those before them.
void sum_up(Buffer<std::uint64_t>& counts, ThreadTeam& team);

/// The first neighbour of every vertex, once all are there.
void set_first(Adjacency& adjacency, ThreadTeam& team);

/// Neighbours `from` of every `to` in [0, vertices).
Adjacency make_adjacency(Index vertices, bool with_weights, const EachPair& each, ThreadTeam& team);

}  // namespace goban::graph500
