#pragma once
// The graph of kernel 1 as a checkpoint has it: labels, and the lists of every part, one part after
// the other.

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "goban/checkpoint/content.hpp"
#include "graph500/graph.hpp"

namespace goban::graph500 {

/// How a graph is cut, and how much every part has.
struct GraphShape {
  int rows = 1, parts = 1;
  Index labels = 0;
  bool has_weights = false;
  std::vector<Index> row_entries, column_entries;  ///< neighbours; one part has no columns

  Partition partition(int part) const { return {rows, parts / rows, part, labels}; }
  /// The lists that have weights, where there are some.
  Lists weighted() const { return parts > 1 ? Lists::columns : Lists::rows; }
};
nlohmann::ordered_json to_json(const GraphShape& shape);
GraphShape shape_from(const nlohmann::ordered_json& json);
/// The same on every rank, of which each has as many parts, in their order; collective.
GraphShape shape_of(const Partition& partition, Index labels, bool has_weights,
                    const std::vector<Index>& row_entries, const std::vector<Index>& column_entries,
                    Communicator& ranks);

/// Neighbours a vertex has, all neighbours one after the other, and bits of their weights.
enum class ListValues { counts, neighbours, weights };

/// A graph wherever it lies. Calls name parts of this rank, counted over all ranks.
class GraphParts {
 public:
  virtual ~GraphParts();
  /// Collective.
  virtual GraphShape shape() const = 0;
  virtual Labels& labels() = 0;
  /// Values from `begin` on.
  virtual void read(Lists lists, ListValues what, int part, Index begin,
                    std::span<std::uint32_t> values) = 0;
  virtual void write(Lists lists, ListValues what, int part, Index begin,
                     std::span<const std::uint32_t> values) = 0;
};

/// What of `parts`, which has room for it, goes to a checkpoint and comes back; it and `ranks` must
/// outlive the arrays.
std::vector<CheckpointArray> graph_arrays(GraphParts& parts, const GraphShape& shape,
                                          Communicator& ranks);

}  // namespace goban::graph500
