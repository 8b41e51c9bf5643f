#include "heat/medium.hpp"

#include <algorithm>

#include "goban/base/agreement.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban::heat {

BoundarySet closed(const BoundarySet& boundary) {
  BoundarySet ends = boundary;
  for (auto& axis : ends.sides) {
    for (auto& side : axis) {
      if (side.kind != periodic_kind) side = mirror;
    }
  }
  return ends;
}

double largest_conductivity(const Medium& medium, Communicator& ranks) {
  constexpr Index bytes_at_a_time = Index{4} << 20;
  double largest = medium.conductivity;
  for (const auto& inclusion : medium.inclusions) largest = std::max(largest, inclusion.amplitude);
  if (!medium.image) return largest;
  const auto boxes = blocks_of(medium.image->extents(), sizeof(double), bytes_at_a_time);
  const auto first_of = [&](int rank) {
    return boxes.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
  };
  agree(ranks, [&] {
    for (std::size_t b = first_of(ranks.rank()); b < first_of(ranks.rank() + 1); ++b) {
      const Array part = medium.image->read(boxes[b]);
      for (const double k : part.as<double>()) largest = std::max(largest, k);
    }
  });
  return -minimum_of_ranks(ranks, -largest);
}

}  // namespace goban::heat
