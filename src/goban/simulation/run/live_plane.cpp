#include "goban/simulation/run/live_plane.hpp"

#include <limits>
#include <string>

#include "goban/grid/each_cell.hpp"
#include "goban/io/picture/value_range.hpp"
#include "goban/simulation/output/levels.hpp"

namespace goban {
namespace {

Box plane_of_wish(const AnyField& field, const SliceWish& wish) {
  const auto axis = static_cast<std::size_t>(wish.axis);
  Box plane = field.cells();
  plane.lower[axis] = wish.layer;
  plane.upper[axis] = wish.layer + 1;
  return plane;
}

Array without_inactive(const Array& values, const AnyField& field, const Box& cells) {
  Array active(ElementType::uint8, cells.extents(), 1);
  auto* at = active.bytes.data();
  each_cell(cells, [&](Index3 cell) {
    *at++ = static_cast<std::byte>(field.grid().active->find(cell) >= 0);
  });
  return masked(values.view(), active.view(), 0.0);
}

}  // namespace

PageField page_field(const AnyField& field) {
  const GridState& grid = field.grid();
  return {.name = field.name(),
          .components = field.record()->components,
          .unit = field.unit(),
          .cells = grid.box_cells(),
          .origin = grid.origin,
          .spacing = grid.spacing};
}

Array read_plane(const AnyField& field, const SliceWish& wish, bool is_first) {
  if (!is_first) {
    help_with_values_of(field);
    return {};
  }
  const Box cells = plane_of_wish(field, wish);
  Array values = values_of(field, cells);
  if (wish.component < 0) values = magnitude_of(values);
  if (values.components > 1) values = copy_of(component_of(values.view(), wish.component));
  if (field.grid().active) values = without_inactive(values, field, cells);
  const Axis axis = static_cast<Axis>(wish.axis);
  if (!follows_ground(field, axis)) return values;
  return by_height(field, values.view(), axis, wish.layer,
                   std::numeric_limits<double>::quiet_NaN());
}

}  // namespace goban
