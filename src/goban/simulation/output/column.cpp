#include "goban/simulation/output/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/simulation/output/interpolation.hpp"
#include "goban/simulation/output/levels.hpp"

namespace goban {
namespace {

std::string label(const AnyField& field, int component) {
  return field.record()->components == 1 ? field.name()
                                         : fmt::format("{}[{}]", field.name(), component);
}

Column column(const std::string& heading, const AnyField& field, int component,
              std::function<double()> value) {
  require(component >= 0 && component < field.record()->components,
          fmt::format("field '{}' has no component {}", field.name(), component),
          fmt::format("it has {}", field.record()->components), "count from 0");
  Column result(heading + label(field, component), field.unit(), std::move(value));
  result.fields = {field};
  result.reads_anything = false;
  return result;
}

std::string place_text(Position position) {
  return fmt::format(" at ({:.6g}, {:.6g}, {:.6g})", position.x, position.y, position.z);
}

/// The index of the value nearest to a position; the upper edge of the grid belongs to the last
/// cell.
Index3 index_at(const AnyField& field, Position position) {
  const GridState& grid = field.grid();
  const Box all = grid.box(field.record()->location);
  check_inside(field, position);
  const auto middle = [&](int a, double place) {  // of the column of cells
    const double cells = std::floor((place - grid.origin[a]) / grid.spacing[a]);
    return grid.origin[a] + (std::min(cells, grid.box_cells()[a] - 1.0) + 0.5) * grid.spacing[a];
  };
  const double level = on_grid(field, {middle(0, position.x), middle(1, position.y), position.z}).z;
  const Real3 at = {position.x, position.y, level};
  Index3 index{};
  for (int a = 0; a < 3; ++a) {
    const double cells = (at[a] - grid.origin[a]) / grid.spacing[a];
    const bool staggered = is_staggered(field.record()->location, a);
    index[a] = static_cast<Index>(staggered ? std::round(cells) : std::floor(cells));
    if (staggered && grid.is_box_periodic(a)) index[a] %= grid.box_cells()[a];
    index[a] = std::min(index[a], all.upper[a] - 1);
  }
  return index;
}

}  // namespace

Column sum_of(const AnyField& field, int component) {
  return column("sum of ", field, component,
                [=] { return field.store().sum(*field.record(), component); });
}

Column mean_of(const AnyField& field, int component) {
  return column("mean of ", field, component, [=] {
    const Box all = field.grid().domain(field.record()->location);
    return field.store().sum(*field.record(), component) / static_cast<double>(all.volume());
  });
}

Column minimum_of(const AnyField& field, int component) {
  return column("minimum of ", field, component,
                [=] { return field.store().minimum(*field.record(), component); });
}

Column maximum_of(const AnyField& field, int component) {
  return column("maximum of ", field, component,
                [=] { return field.store().maximum(*field.record(), component); });
}

Column value_at(const AnyField& field, Position position, int component) {
  const Index3 index = index_at(field, position);
  Column result = column("", field, component, [=] {
    const FieldRecord& record = *field.record();
    std::vector<std::byte> cell(static_cast<std::size_t>(record.components) *
                                record.element_size());
    copy_out(field.grid(), record, {index, index + Index3{1, 1, 1}}, cell.data());
    return visit_element(record.type, [&]<class T>(T) {
      const T value = reinterpret_cast<const T*>(cell.data())[component];
      return static_cast<double>(static_cast<ArithmeticOf<T>>(value));
    });
  });
  result.name += place_text(position);
  return result;
}

Column interpolated_at(const AnyField& field, Position position, int component) {
  check_inside(field, position);
  Column result = column("", field, component, [=] {
    return interpolated(field, {&position, 1})[static_cast<std::size_t>(component)];
  });
  result.name += place_text(position);
  return result;
}

}  // namespace goban
