#include "goban/program/sides.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Inner and outer cuts along the unit-stride axis fall on whole memory sectors.
constexpr Index sector = 64;  // cells; covers a full pack of any element type

}  // namespace

Sides sides_of_others(const PatchGeometry& patch) {
  Sides sides{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      const int neighbor = patch.neighbor[a][side];
      sides[a][side] = neighbor >= 0 && neighbor != patch.patch;
    }
  }
  return sides;
}

Sides sides_that_are_read(const PatchGeometry& patch, const std::array<bool, 3>& is_constant) {
  Sides sides{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      sides[a][side] = patch.neighbor[a][side] >= 0 || !is_constant[a];
    }
  }
  return sides;
}

Extents reach_of(const Instance& instance, const std::vector<int>& versions) {
  Extents reach;
  for (const Read& r : instance.stage->footprint.reads) {
    const int v = instance.reads[static_cast<std::size_t>(r.parameter)];
    if (std::find(versions.begin(), versions.end(), v) == versions.end()) continue;
    for (int a = 0; a < 3; ++a) {
      const int o = r.offset[static_cast<std::size_t>(a)];
      reach.low[a] = std::max<Index>(reach.low[a], -o);
      reach.high[a] = std::max<Index>(reach.high[a], o);
    }
  }
  return reach;
}

std::array<bool, 3> is_constant_beyond(const Cycle& cycle, const Slots& slots, int instance,
                                       const std::vector<int>& versions) {
  const auto field_of = [&](int v) -> const FieldRecord& {
    return slots.field(cycle.versions[static_cast<std::size_t>(v)].slot);
  };
  const auto& writes = cycle.instances[static_cast<std::size_t>(instance)].writes;
  std::array<bool, 3> is_constant{};
  for (int axis = 0; axis < 3; ++axis) {
    const bool writes_faces = std::any_of(writes.begin(), writes.end(), [&](int v) {
      return v >= 0 && is_staggered(field_of(v).location, axis);
    });
    is_constant[static_cast<std::size_t>(axis)] =
        !writes_faces && std::all_of(versions.begin(), versions.end(),
                                     [&](int v) { return field_of(v).is_constant_beyond(axis); });
  }
  return is_constant;
}

Extents layers_sent(const Cycle& cycle, const std::vector<int>& versions) {
  Extents all;
  for (int v : versions) all = hull(all, cycle.versions[static_cast<std::size_t>(v)].widest());
  // What is sent towards low comes from our low side and fills the neighbour's high halo.
  for (int a = 0; a < 3; ++a) all.low[a] = all.high[a] = std::max(all.low[a], all.high[a]) + 1;
  return all;
}

Box away_from(const Sides& sides, const Extents& by, Box box, const PatchGeometry& patch,
              const std::array<int, 3>& order, bool keeps_rows) {
  const int fast = order[0];
  for (int a = 0; a < 3; ++a) {
    const auto& [at_low, at_high] = sides[static_cast<std::size_t>(a)];
    Index low = by.low[a], high = patch.owned.extent(a) - by.high[a];
    if (a == fast && by.low[a] > 0) low = round_up(low, sector);
    if (a == fast && by.high[a] > 0) high = round_down(high, sector);
    const Index whole = box.extent(a);
    if (at_low) box.lower[a] = std::max(box.lower[a], low);
    if (at_high) box.upper[a] = std::min(box.upper[a], high);
    if (keeps_rows && a == fast && box.extent(a) < whole) return {};
    if (box.upper[a] <= box.lower[a]) return {};
  }
  return box;
}

}  // namespace goban
