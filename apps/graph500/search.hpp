#pragma once
// Kernel 2 on CPUs: breadth-first search by levels, top-down while the frontier is small and
// bottom-up while it is large (Beamer, Asanovic, Patterson, SC 2012).

#include <string>
#include <vector>

#include "graph500/bitmap.hpp"
#include "graph500/edge_shares.hpp"
#include "graph500/graph.hpp"

namespace goban::graph500 {

/// When the direction changes: to bottom-up where the frontier's edges are more than those of
/// unvisited vertices / alpha, back where it has fewer than vertices / beta.
struct DirectionRule {
  double alpha = 15, beta = 18;
};

/// Decides before every level of a search.
class Direction {
 public:
  /// `edges` of all vertices, `root_edges` of the first frontier.
  Direction(const DirectionRule& rule, Index vertices, Index edges, Index root_edges)
      : rule_(rule), vertices_(vertices), unexplored_(edges), frontier_edges_(root_edges) {}
  bool is_bottom_up();
  /// What the level has found.
  void found(Index vertices, Index edges);
  bool is_over() const { return frontier_ == 0; }

 private:
  DirectionRule rule_;
  Index vertices_, unexplored_, frontier_edges_;
  Index frontier_ = 1, last_frontier_ = 0;
  bool bottom_up_ = false;
};

/// What one level of a search was.
struct Level {
  bool bottom_up = false;
  Index found = 0;  ///< vertices, on all ranks
  double seconds = 0, message_seconds = 0;
  Index bytes = 0;  ///< bytes that this rank sent to others
};

/// Parents of the vertices a rank owns, in original numbers; -1: none. If a rank runs alone, there
/// is one for every original vertex, else one for every vertex of its part, as
/// Partition::label_of_own counts them.
using Parents = Buffer<Index>;

/// The parent of a vertex is its neighbour one level above that has the smallest label, whatever
/// the number of ranks and threads.
class Search {
 public:
  /// What it is given must outlive it.
  Search(const Graph& graph, const Labels& labels, Communicator& ranks, ThreadTeam& team,
         const DirectionRule& rule = {});

  /// Collective. The root is an original vertex that is not isolated. Nothing is carried over from
  /// earlier searches but memory.
  void run(Index root, Parents& parents);
  Parents make_parents() const;

  const std::vector<Level>& levels() const { return levels_; }

 private:
  struct Totals {
    Index found = 0, edges = 0;
  };
  void clear();
  void begin(Vertex root);
  void go_down();
  void go_up();
  void up_words(Index begin, Index end);
  void fold();
  Totals finish_level();
  void spread();
  std::vector<Parcel> exchange(std::vector<Parcel> parcels);
  void write(Parents& parents) const;

  const Graph& graph_;
  const Labels& labels_;
  Communicator& ranks_;
  ThreadTeam& team_;
  DirectionRule rule_;
  Index edges_ = 0;        ///< edges of all vertices
  Buffer<Word> visited_;   ///< vertices of the row that were found before this level
  Buffer<Word> found_;     ///< vertices of the row that this part has found in this level
  Buffer<Word> frontier_;  ///< vertices of the column that are on the frontier
  /// The part's own, where the row has several parts; else found_ is that.
  Buffer<Word> own_found_;
  Buffer<Vertex> parent_;      ///< parents of the row's vertices: labels, as far as this part knows
  Buffer<Vertex> own_parent_;  ///< the part's own, where the row has several parts
  EdgeShares frontier_edges_;
  Index sent_ = 0;  ///< bytes, in this level
  std::vector<Level> levels_;
};

}  // namespace goban::graph500
