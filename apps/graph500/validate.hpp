#pragma once
// Whether parents are a breadth-first tree of the tuples: the five rules of the specification.

#include <optional>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "graph500/graph.hpp"
#include "graph500/search.hpp"

namespace goban::graph500 {

/// What the specification asks of a result, in its order.
enum class Rule {
  no_cycles,          ///< following parents leads to the root
  tree_edges,         ///< a vertex is one level below its parent
  input_edges,        ///< ends of every tuple lie at most one level apart, or both outside
  spans_component,    ///< every vertex of the root's component is in the tree, no other is
  parents_are_edges,  ///< every vertex and its parent are a tuple
};
/// "the tree has a cycle", ...
const char* name_of(Rule broken);

struct Verdict {
  std::optional<Rule> broken;
  Index vertex = -1;             ///< where
  Index visited = 0;             ///< vertices of the tree
  Index edges = 0;               ///< tuples of the component: what TEPS count
  std::vector<Index> per_level;  ///< vertices
};

/// What all original vertices have; collective: values of every rank, laid out as Parents; `none`
/// of isolated ones. Parents and Distances.
template <class T>
std::vector<T> gathered(const Buffer<T>& values, T none, const Graph& graph, const Labels& labels,
                        Communicator& ranks);

/// Levels of a tree: 0 of the root, -1 outside. A verdict is returned where there is none: cycles,
/// and parents that are no vertices or outside of the tree.
Verdict find_levels(const std::vector<Index>& parents, Index root, std::vector<std::int32_t>& level,
                    ThreadTeam& team);

/// `parents` of all original vertices on every rank, `list` this rank's tuples. Collective; the
/// same on every rank.
Verdict validate(const EdgeList& list, const std::vector<Index>& parents, Index root,
                 Communicator& ranks, ThreadTeam& team);

/// What a tuple may be away from what distances say.
inline constexpr float path_tolerance = 1e-5f;

/// Whether parents and distances, both of all original vertices on every rank, are a tree of
/// shortest paths of the tuples, up to the tolerance: a tree without cycles that spans the
/// component; along its edges distances grow by the weight of a tuple; no tuple is a shortcut.
/// Collective.
Verdict validate_paths(const EdgeList& list, const std::vector<Index>& parents,
                       const std::vector<float>& distances, Index root, Communicator& ranks,
                       ThreadTeam& team);

}  // namespace goban::graph500
