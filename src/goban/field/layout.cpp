#include "goban/field/layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Rows start on multiples of so many bytes. On GPUs, whose lines are long, long rows take pairs of
/// lines: 7 points at 1024^3 gain 3 % on an H200 for 3 % more memory, and shorter rows nothing.
Index row_step(Index row_bytes, Index line) {
  constexpr Index long_line = 128, long_row = 4096;
  return line >= long_line && row_bytes >= long_row ? 2 * line : line;
}

/// Bytes are counted in 63 bits, of all fields together.
void require_countable(const FieldRecord& field, Index row, Index rows, Index planes, Index line) {
  constexpr double most = 5e16;
  const double row_bytes =
      static_cast<double>(row) * static_cast<double>(field.element_size()) + 2.0 * line;
  if (row_bytes * static_cast<double>(rows) * static_cast<double>(planes) * field.components < most)
    return;
  throw Error(ExitCode::resources, "field '" + field.name + "' does not fit into memory",
              "no machine has more than 50 PB for it", "take fewer cells");
}

constexpr Index cache_page = 4096, cache_line = 64;

/// Bytes between two places of a page, which follow each other in a circle.
Index distance_in_page(Index a, Index b) {
  const Index d = (std::abs(a - b)) % cache_page;
  return std::min(d, cache_page - d);
}

}  // namespace

FieldLayout make_layout(const FieldRecord& field, Index3 owned, const Extents& halo, Index line,
                        Index page) {
  const Index slack = 2 * line;  // bytes
  FieldLayout layout;
  layout.type = field.type;
  layout.components = field.components;
  layout.order = field.order;
  layout.owned = owned;
  layout.halo = halo;
  const auto element = static_cast<Index>(field.element_size());
  const auto [fast, middle, slow] = field.order;
  // One more value on every axis: the last wall face of face fields. Not along axes that a field
  // has one cell along and no neighbours: planes and lists of cells would take twice the memory.
  const auto all_along = [&](int axis) {
    const Index cells = halo.low[axis] + owned[axis] + halo.high[axis];
    const bool is_flat = cells == 1 && field.location == Location::cell && !field.in_place;
    return is_flat ? cells : cells + 1;
  };
  const Index row = all_along(fast), rows = all_along(middle), planes = all_along(slow);
  require_countable(field, row, rows, planes, line);
  const Index step = row_step(row * element, line);
  const Index pitch = round_up(row * element, step) / element;
  layout.stride[fast] = 1;
  layout.stride[middle] = pitch;
  layout.stride[slow] = pitch * rows;
  // Components must not start at the same place of a page: their lines would share cache sets.
  const Index component = round_up(pitch * rows * planes * element, cache_page) + 17 * line;
  layout.component_stride = component / element;
  const Index left = round_up(round_up(halo.low[fast] * element, line) + slack, step);
  layout.origin = left / element + halo.low[middle] * pitch + halo.low[slow] * layout.stride[slow];
  layout.bytes = static_cast<std::size_t>(component * layout.components + left + slack);
  if (field.in_place) {
    const Index ring = round_up(pitch * rows * planes * element + left + slack, page);
    layout.component_stride = 0;
    layout.ring = ring / element;
    layout.bytes = static_cast<std::size_t>(ring * layout.components);
  }
  return layout;
}

Index page_step(const FieldLayout& layout) {
  const auto element = static_cast<Index>(size_of(layout.type));
  const Index row = layout.stride[static_cast<std::size_t>(layout.order[1])] * element;
  const Index plane = layout.stride[static_cast<std::size_t>(layout.order[2])] * element;
  const auto nearest = [&](Index place) {
    Index least = cache_page;
    for (Index planes = -2; planes <= 2; ++planes) {
      for (Index rows = -1; rows <= 1; ++rows) {
        if (rows != 0 && std::abs(planes) == 2) continue;
        least = std::min(least, distance_in_page(place, rows * row + planes * plane));
      }
    }
    return least;
  };
  Index best = 0, farthest = -1;
  for (Index step = cache_line; step < cache_page; step += cache_line) {
    const Index least = std::min({nearest(step), 2 * nearest(2 * step), 3 * nearest(3 * step)});
    if (least > farthest) {
      farthest = least;
      best = step;
    }
  }
  return best;
}

}  // namespace goban
