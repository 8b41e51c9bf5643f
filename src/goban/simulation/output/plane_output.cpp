#include "goban/simulation/output/outputs.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/names.hpp"
#include "goban/simulation/output/interpolation.hpp"
#include "goban/simulation/output/snapshot_output.hpp"

namespace goban {
namespace {

/// Where values lie that were interpolated along `normal` and stand as they did on other axes.
Location within_plane(Location location, int normal) {
  for (const Location other : {Location::cell, Location::face_x, Location::face_y, Location::face_z,
                               Location::edge_x, Location::edge_y, Location::edge_z}) {
    bool is_same = true;
    for (int a = 0; a < 3; ++a) {
      is_same &= is_staggered(other, a) == (a != normal && is_staggered(location, a));
    }
    if (is_same) return other;
  }
  return location;
}

/// The plane lies where it is asked for: values are interpolated between the layers beside it.
class PlaneOutput : public SeriesOfSnapshots {
 public:
  /// Errors (usage): no fields, fields of several grids, a plane outside of the grid.
  PlaneOutput(const std::string& name, std::vector<AnyField> fields, const PlaneOptions& options,
              When when, std::string length_unit)
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
    const double length = static_cast<double>(grid.box_cells()[a]) * grid.spacing[a];
    position_ = options.position.value_or(grid.origin[a] + length / 2);
    require(position_ >= grid.origin[a] && position_ <= grid.origin[a] + length,
            "plane '" + name + "' is refused",
            fmt::format("along {} the grid covers {} to {}", "xyz"[a], grid.origin[a],
                        grid.origin[a] + length));
  }

  std::vector<AnyField> fields() const override { return fields_; }
  double bytes_per_write() const override {
    double bytes = 0;
    for (const AnyField& field : fields_) {
      Index3 cells = field.grid().cells;
      cells[index_of(axis_)] = 1;
      const FieldRecord& record = *field.record();
      bytes += static_cast<double>(byte_count(stored_type(record.type), cells, record.components));
    }
    return bytes;
  }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    open_series(place, names_of(fields_), keep_until);
  }
  void write(const Moment& moment) override {
    const int a = index_of(axis_);
    Snapshot snapshot = empty_snapshot(fields_.front().grid(), place_, moment.clock);
    snapshot.extents[a] = 1;
    snapshot.origin[a] = position_ - snapshot.spacing[a] / 2;
    for (const AnyField& field : fields_) {
      const FieldRecord& record = *field.record();
      snapshot.fields.emplace_back(record.name, field.unit(), record.type, record.components,
                                   values_of_plane(field));
      snapshot.fields.back().location = within_plane(record.location, a);
    }
    add(snapshot);
  }
  std::string describe() const override {
    return fmt::format("{} at {} = {} as {}", joined(names_of(fields_)), "xyz"[index_of(axis_)],
                       quantity_text(position_, length_unit_), snapshot_format());
  }

 private:
  /// Every rank asks for both layers, or for none of either.
  BoxSource values_of_plane(const AnyField& field) const {
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
        copy_out(field.grid(), record, here, out);
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

  std::vector<AnyField> fields_;
  Axis axis_;
  double position_ = 0;
  std::string length_unit_;
};

}  // namespace

std::unique_ptr<SimulationOutput> plane_output(const std::string& name,
                                               std::vector<AnyField> fields,
                                               const PlaneOptions& options, When when,
                                               std::string length_unit) {
  return std::make_unique<PlaneOutput>(name, std::move(fields), options, std::move(when),
                                       std::move(length_unit));
}

}  // namespace goban
