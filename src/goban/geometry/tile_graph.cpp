#include "goban/geometry/tile_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "goban/base/error.hpp"
#include "goban/base/morton.hpp"

namespace goban {
namespace {

Index3 shifted(Index3 cell, int bits) {
  return {cell[0] >> bits, cell[1] >> bits, cell[2] >> bits};
}

int cost_of(const RimCell& rim, const CellCosts& costs) {
  if (rim.opening >= 0) return costs.opening;
  const bool lies_half_way = std::all_of(rim.parts.begin(), rim.parts.end(),
                                         [](float part) { return part == 0 || part == 0.5f; });
  return lies_half_way ? costs.wall : costs.interpolated_wall;
}

}  // namespace

TileGraph tile_graph(const Vessel& vessel, Index edge, const CellCosts& costs) {
  require(edge >= 1 && std::has_single_bit(static_cast<std::uint64_t>(edge)),
          "tiles of " + std::to_string(edge) + " cells are refused",
          "their edge is a power of two");
  const int bits = std::countr_zero(static_cast<std::uint64_t>(edge));
  TileGraph tiles;
  std::vector<std::uint64_t> keys;
  vessel.fluid.each([&](Index3 cell, Index) {
    const std::uint64_t key = morton_key(shifted(cell, bits));
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::unordered_map<std::uint64_t, std::int32_t> numbers;
  for (std::size_t n = 0; n < keys.size(); ++n)
    numbers.emplace(keys[n], static_cast<std::int32_t>(n));
  const auto number_of = [&](Index3 cell) { return numbers.at(morton_key(shifted(cell, bits))); };

  tiles.origins.resize(keys.size());
  WeightedGraph& graph = tiles.graph;
  graph.weights.assign(keys.size(), 0);
  std::vector<std::array<std::int32_t, 27>> links(keys.size());
  vessel.fluid.each([&](Index3 cell, Index) {
    const Index3 tile = shifted(cell, bits);
    const auto n = static_cast<std::size_t>(number_of(cell));
    tiles.origins[n] = {tile[0] << bits, tile[1] << bits, tile[2] << bits};
    graph.weights[n] += costs.bulk;
    for (const Index3& link : face_and_edge_links) {
      const Index3 next = cell + link, other = shifted(next, bits);
      if (other == tile || !vessel.fluid.contains(next)) continue;
      const Index3 side = other - tile;
      ++links[n][static_cast<std::size_t>(side[0] + 1 + 3 * (side[1] + 1 + 3 * (side[2] + 1)))];
    }
  });
  for (const RimCell& rim : vessel.rim) {
    graph.weights[static_cast<std::size_t>(number_of(rim.cell))] +=
        cost_of(rim, costs) - costs.bulk;
  }
  for (std::size_t n = 0; n < keys.size(); ++n) {
    for (Index side = 0; side < 27; ++side) {
      const std::int32_t weight = links[n][static_cast<std::size_t>(side)];
      if (weight == 0) continue;
      const Index3 offset = {side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1};
      const Index3 other =
          tiles.origins[n] + Index3{offset[0] * edge, offset[1] * edge, offset[2] * edge};
      graph.neighbors.push_back(number_of(other));
      graph.edge_weights.push_back(weight);
    }
    graph.begins.push_back(static_cast<std::int64_t>(graph.neighbors.size()));
  }
  return tiles;
}

}  // namespace goban
