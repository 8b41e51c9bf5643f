#include "goban/program/updated_boxes.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Owned cells of the outputs; of the first field where values are reduced.
Box owned_box(const Instance& it, int first, const Slots& slots, const PatchGeometry& patch) {
  if (it.stage->kind == Stage::Kind::reduce) {
    return patch.owned_local(first < 0 ? Location::cell : slots.field(first).location);
  }
  Box box;
  for (std::size_t a = 0; a < it.slot.size(); ++a) {
    if (it.writes[a] >= 0) box = hull(box, patch.owned_local(slots.field(it.slot[a]).location));
  }
  return box;
}

}  // namespace

std::vector<Box> updated_boxes(const Instance& it, const Slots& slots, const PatchGeometry& patch) {
  const auto some = std::find_if(it.slot.begin(), it.slot.end(), [](int s) { return s >= 0; });
  const int first = some == it.slot.end() ? -1 : *some;
  const Box box = extended(owned_box(it, first, slots, patch), patch.interior(it.extent));
  if (!it.stage->region) return {box};
  const auto of_stage = grid_of(*it.stage);
  const GridState& grid = *of_stage;
  const Box region = intersection(*it.stage->region, grid.domain(Location::node));
  const Box local = shifted(region, Index3{} - patch.owned.lower);
  Index3 images{};
  for (int a = 0; a < 3; ++a) images[a] = grid.is_periodic(a) ? 1 : 0;
  std::vector<Box> pieces;
  for (Index z = -images[2]; z <= images[2]; ++z) {
    for (Index y = -images[1]; y <= images[1]; ++y) {
      for (Index x = -images[0]; x <= images[0]; ++x) {
        const Index3 by{x * grid.cells[0], y * grid.cells[1], z * grid.cells[2]};
        const Box piece = intersection(box, shifted(local, by));
        if (!piece.empty()) pieces.push_back(piece);
      }
    }
  }
  return pieces;
}

}  // namespace goban
