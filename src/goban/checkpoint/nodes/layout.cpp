#include "goban/checkpoint/nodes/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "goban/base/error.hpp"
#include "goban/checkpoint/erasure/code.hpp"

namespace goban {

NodeLayout::NodeLayout(const std::vector<int>& node_of) {
  std::map<int, int> numbers;  // in the order in which they come
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const int node =
        numbers.try_emplace(node_of[rank], static_cast<int>(numbers.size())).first->second;
    node_of_.push_back(node);
    ranks_.resize(numbers.size());
    ranks_[static_cast<std::size_t>(node)].push_back(static_cast<int>(rank));
  }
}

int NodeLayout::partner_of(int rank) const {
  const std::vector<int>& here = ranks_on(node_of(rank));
  const std::vector<int>& there = ranks_on((node_of(rank) + 1) % nodes());
  const auto place =
      static_cast<std::size_t>(std::find(here.begin(), here.end(), rank) - here.begin());
  return there[place % there.size()];
}

std::vector<ParityGroup> parity_groups(const NodeLayout& layout, int size, int parity) {
  const int nodes = layout.nodes();
  require(nodes > parity,
          fmt::format("parity over {} node{} is refused", nodes, nodes == 1 ? "" : "s"),
          fmt::format("after the loss of {} there must be one left", parity),
          "use more nodes or less parity");
  const int count = std::max(1, nodes / size);
  const int largest = (nodes + count - 1) / count;
  require(nodes / count > parity && largest <= ErasureCode::most_rows,
          fmt::format("groups of {} nodes with {} of parity are refused", nodes / count, parity),
          fmt::format("they take more than the parity and {} at most", ErasureCode::most_rows));
  std::vector<ParityGroup> groups;
  for (int g = 0; g < count; ++g) {
    const int first = nodes * g / count, end = nodes * (g + 1) / count;
    std::size_t most = 0;
    for (int node = first; node < end; ++node) most = std::max(most, layout.ranks_on(node).size());
    for (std::size_t n = 0; n < most; ++n) {
      ParityGroup& group = groups.emplace_back();
      for (int node = first; node < end; ++node) {
        const std::vector<int>& ranks = layout.ranks_on(node);
        group.push_back({ranks[n % ranks.size()], n < ranks.size() ? ranks[n] : -1});
      }
    }
  }
  return groups;
}

}  // namespace goban
