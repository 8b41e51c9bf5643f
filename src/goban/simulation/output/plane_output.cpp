#include "goban/simulation/output/plane_output.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/names.hpp"
#include "goban/simulation/output/interpolation.hpp"

namespace goban {

PlaneOutput::PlaneOutput(const std::string& name, std::vector<AnyField> fields,
                         const PlaneOptions& options, When when, std::string length_unit)
    : SeriesOfSnapshots(name, std::move(when)),
      fields_(std::move(fields)),
      axis_(options.axis),
      length_unit_(std::move(length_unit)) {
  require(!fields_.empty(), "plane '" + name + "' has no fields");
  const GridState& grid = fields_.front().grid();
  for (const AnyField& field : fields_) {
    require(&field.grid() == &grid, "plane '" + name + "' is refused",
            "its fields are of two grids", "make one for each grid");
  }
  const int a = index_of(axis_);
  const double length = static_cast<double>(grid.cells[a]) * grid.spacing[a];
  position_ = options.position.value_or(grid.origin[a] + length / 2);
  require(position_ >= grid.origin[a] && position_ <= grid.origin[a] + length,
          "plane '" + name + "' is refused",
          fmt::format("along {} the grid covers {} to {}", "xyz"[a], grid.origin[a],
                      grid.origin[a] + length));
}

double PlaneOutput::bytes_per_write() const {
  double bytes = 0;
  for (const AnyField& field : fields_) {
    Index3 cells = field.grid().cells;
    cells[index_of(axis_)] = 1;
    const FieldRecord& record = *field.record();
    bytes += static_cast<double>(byte_count(stored_type(record.type), cells, record.components));
  }
  return bytes;
}

void PlaneOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  open_series(place, names_of(fields_), keep_until);
}

/// Every rank asks for both layers, or for none of either.
BoxSource PlaneOutput::values_of_plane(const AnyField& field) const {
  const int a = index_of(axis_);
  const Between layers = between(field, a, position_);
  return [&field, a, layers](const Box& box, void* elements) {
    const FieldRecord& record = *field.record();
    const auto read = [&](Index layer, void* out) {
      Box here = box;
      if (!box.empty()) {
        here.lower[a] = layer;
        here.upper[a] = layer + 1;
      }
      field.store().copy_out(record, here, out);
    };
    read(layers.low, elements);
    if (layers.share == 0) return;
    visit_element(record.type, [&]<class T>(T) {
      std::vector<T> above(static_cast<std::size_t>(box.volume() * record.components));
      read(layers.high, above.data());
      T* const below = static_cast<T*>(elements);
      for (std::size_t i = 0; i < above.size(); ++i) {
        const auto low = static_cast<double>(static_cast<ArithmeticOf<T>>(below[i]));
        const auto high = static_cast<double>(static_cast<ArithmeticOf<T>>(above[i]));
        const double value = (1 - layers.share) * low + layers.share * high;
        below[i] = static_cast<T>(static_cast<ArithmeticOf<T>>(value));
      }
    });
  };
}

void PlaneOutput::write(const Moment& moment) {
  const int a = index_of(axis_);
  Snapshot snapshot = empty_snapshot(fields_.front().grid(), place_, moment.clock);
  snapshot.extents[a] = 1;
  snapshot.origin[a] = position_ - snapshot.spacing[a] / 2;
  for (const AnyField& field : fields_) {
    const FieldRecord& record = *field.record();
    snapshot.fields.emplace_back(record.name, field.unit(), record.type, record.components,
                                 values_of_plane(field));
  }
  add(snapshot);
}

std::string PlaneOutput::describe() const {
  return fmt::format("{} at {} = {} as {}", joined(names_of(fields_)), "xyz"[index_of(axis_)],
                     quantity_text(position_, length_unit_), snapshot_format());
}

}  // namespace goban
