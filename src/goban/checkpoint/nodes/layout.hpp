#pragma once
// What the nodes of a run store for each other: which ranks lie where, who has a copy of whose
// part, who shares parity with whom.

#include <string>
#include <vector>

namespace goban {

/// Ranks that keep files at the same place, which fails as one.
class NodeLayout {
 public:
  /// `node_of`: of every rank, any numbers.
  explicit NodeLayout(const std::vector<int>& node_of);

  int nodes() const { return static_cast<int>(ranks_.size()); }
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& ranks_on(int node) const {
    return ranks_[static_cast<std::size_t>(node)];
  }
  /// The first rank of its node.
  bool leads(int rank) const { return ranks_on(node_of(rank)).front() == rank; }

  /// Who keeps a copy of the part of `rank`: a rank of the next node.
  int partner_of(int rank) const;

 private:
  std::vector<int> node_of_;
  std::vector<std::vector<int>> ranks_;
};

/// A member of a group: the rank that keeps its files, and whose part it is; -1 where its node has
/// fewer ranks than others: a part without bytes.
struct GroupMember {
  int keeper = 0;
  int part = -1;
};
using ParityGroup = std::vector<GroupMember>;

/// Groups of ranks on different nodes, of `size` or one more or, where there are fewer nodes, all
/// of them; every part is in one group. Each group survives the loss of any `parity` of its
/// members. Error (usage): fewer nodes than parity and one more, or groups of more than 255.
std::vector<ParityGroup> parity_groups(const NodeLayout& layout, int size, int parity);

}  // namespace goban
