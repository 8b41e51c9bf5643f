#include "goban/grid/list_parts.hpp"

#include <algorithm>
#include <bit>

#include "goban/base/error.hpp"

namespace goban {
namespace {

using Tile = ActiveCells::Tile;

Index3 beside(const Tile& tile, Index x, Index y, Index z) {
  return {tile.at[0] + x, tile.at[1] + y, tile.at[2] + z};
}

/// Cells of a tile that have a neighbour in the next one along an axis.
int links_between(const Tile& tile, const Tile& next, int axis) {
  constexpr std::uint64_t first_column = 0x0101010101010101, first_row = 0xff;
  if (axis == 2) return std::popcount(tile.planes[7] & next.planes[0]);
  int links = 0;
  for (std::size_t z = 0; z < tile.planes.size(); ++z) {
    const std::uint64_t ends =
        axis == 0 ? tile.planes[z] >> 7 & first_column : tile.planes[z] >> 56 & first_row;
    links += std::popcount(ends & next.planes[z]);
  }
  return links;
}

}  // namespace

WeightedGraph graph_of(const ActiveCells& cells) {
  const auto& tiles = cells.tiles();
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> links(tiles.size());
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    for (int axis = 0; axis < 3; ++axis) {
      const Tile* const next = cells.tile_at(beside(tiles[n], axis == 0, axis == 1, axis == 2));
      const int weight = next ? links_between(tiles[n], *next, axis) : 0;
      if (weight == 0) continue;
      const auto other = static_cast<std::size_t>(next - tiles.data());
      links[n].emplace_back(static_cast<std::int32_t>(other), weight);
      links[other].emplace_back(static_cast<std::int32_t>(n), weight);
    }
  }
  WeightedGraph graph;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    graph.weights.push_back(tiles[n].count());
    for (const auto& [other, weight] : links[n]) {
      graph.neighbors.push_back(other);
      graph.edge_weights.push_back(weight);
    }
    graph.begins.push_back(std::ssize(graph.neighbors));
  }
  return graph;
}

Partition parts_of(const ActiveCells& cells, int parts, Partitioner partitioner) {
  const auto tiles = cells.tiles().size();
  require(parts <= static_cast<Index>(tiles),
          "run.parts = " + std::to_string(parts) + " is refused",
          "the active cells lie in " + std::to_string(tiles) + " tiles of 8^3", "take fewer parts");
  return make_parts(graph_of(cells), parts, partitioner);
}

std::shared_ptr<const ActiveCells> in_parts(const ActiveCells& cells,
                                            const std::vector<std::int32_t>& parts) {
  const auto& tiles = cells.tiles();
  const auto part_of = [&](const Tile& tile) {
    return parts[static_cast<std::size_t>(&tile - tiles.data())];
  };
  const auto is_at_others = [&](const Tile& tile) {
    for (Index z = -1; z <= 1; ++z) {
      for (Index y = -1; y <= 1; ++y) {
        for (Index x = -1; x <= 1; ++x) {
          const Tile* const other = cells.tile_at(beside(tile, x, y, z));
          if (other && part_of(*other) != part_of(tile)) return true;
        }
      }
    }
    return false;
  };
  const auto count = static_cast<std::size_t>(*std::max_element(parts.begin(), parts.end())) + 1;
  std::vector<std::vector<Tile>> inner(count), outer(count);
  for (const Tile& tile : tiles) {
    (is_at_others(tile) ? outer : inner)[static_cast<std::size_t>(part_of(tile))].push_back(tile);
  }
  for (std::size_t p = 0; p < inner.size(); ++p) {
    inner[p].insert(inner[p].end(), outer[p].begin(), outer[p].end());
  }
  return std::make_shared<const ActiveCells>(cells.box(), inner);
}

}  // namespace goban
