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

namespace {

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

}  // namespace

double largest_diffusivity(const Medium& medium, Communicator& ranks) {
  const double largest = largest_conductivity(medium, ranks);
  if (medium.has_one_capacity()) return largest / medium.heat_capacity;
  std::vector<Material> materials = medium.phases;
  materials.push_back({medium.image ? largest : medium.conductivity, medium.heat_capacity});
  for (std::size_t n = 0; n < medium.capacities.size(); ++n) {
    materials.push_back({medium.inclusions[n].amplitude, medium.capacities[n].amplitude});
  }
  double diffusivity = 0;
  for (const auto& [conductivity, capacity] : materials) {
    diffusivity = std::max(diffusivity, std::min(2 * conductivity, largest) / capacity);
  }
  return diffusivity;
}

}  // namespace goban::heat
