#pragma once
// What a search works on: kernel 1 makes it of a list of tuples.

#include <vector>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/communicator.hpp"
#include "graph500/buffer.hpp"
#include "graph500/edge.hpp"
#include "graph500/partition.hpp"

namespace goban::graph500 {

/// A rank's share of the tuples, and where it lies in the list.
struct EdgeList {
  Index begin = 0;
  Buffer<Edge> edges;
  Buffer<float> weights;  ///< empty: not wanted
};

/// Share `rank` of `ranks` of the tuples.
EdgeList make_edges(const EdgeSource& source, bool with_weights, int rank, int ranks,
                    ThreadTeam& team);

/// Vertices by decreasing number of tuples that touch them, loops not counted; of as many, the one
/// with the smaller original number first. Isolated ones have no label. The same on all ranks.
struct Labels {
  Buffer<Vertex> label;            ///< label of every original vertex; no_vertex: isolated
  Buffer<std::uint32_t> original;  ///< original vertex of every label
  Buffer<std::uint32_t> degree;    ///< for every label, the tuples that touch its vertex
  Index count() const { return original.size(); }
};

/// Makes labels from the number of tuples that touch each original vertex. Error (usage): more than
/// 2^32 vertices.
Labels labels_of(const Buffer<std::uint32_t>& degree, ThreadTeam& team);
/// Collective; as labels_of().
Labels make_labels(const EdgeList& list, Index vertices, Communicator& ranks, ThreadTeam& team);

/// Numbers the labels' original vertices, of `vertices`, by them.
void number(Labels& labels, Index vertices, ThreadTeam& team);

enum class Lists { rows, columns };

/// Neighbours of each vertex, the smallest label first, each once.
struct Adjacency {
  Buffer<std::uint64_t> begin;  ///< one more than vertices
  Buffer<Vertex> neighbour;
  Buffer<float> weight;  ///< the smallest of the tuples between the two; empty: there are none
  Buffer<Vertex> first;  ///< neighbour; no_vertex: none

  Index vertices() const { return begin.size() - 1; }
};

/// A part of a graph. Where weights are wanted, from_columns() has some.
struct Graph {
  Partition partition;
  Adjacency by_row;     ///< neighbours of the row's vertices, in the numbering of the column
  Adjacency by_column;  ///< the reverse; empty where there is one part, as edges lead both ways
  Buffer<std::uint32_t> own_degree;  ///< tuples that touch vertices the part owns

  const Adjacency& from_columns() const { return partition.parts() == 1 ? by_row : by_column; }
};

/// Tuples that touch the vertices a part owns, by its numbering; 0: beyond the last label.
Buffer<std::uint32_t> degrees_of_own(const Partition& partition, const Labels& labels,
                                     ThreadTeam& team);

/// What every rank needs while ranks exchange a graph's edges, beside these.
Index exchange_bytes(Index edges, int ranks);

/// Makes this rank's part of the graph, one of as many as there are ranks. Collective.
Graph make_graph(const EdgeList& list, const Labels& labels, int rows, Communicator& ranks,
                 ThreadTeam& team);

/// Part `part` of a graph whose tuples are all here.
Graph make_part(const EdgeList& list, const Labels& labels, const Partition& partition,
                ThreadTeam& team);

}  // namespace goban::graph500
