#pragma once
// A field of any type, as outputs take them.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "goban/field/field.hpp"

namespace goban {

/// What z is where it is not simply the height in a grid of boxes; for outputs.
struct Vertical {
  bool points_down = false;  ///< z is a depth: pictures have it grow downwards
  /// Levels follow the ground: the height of the lower face of a cell, of the lid for the index
  /// beyond the highest. Places of probes, lines and pictures are by height then, from that of the
  /// grid's origin.
  std::function<double(Index3)> face = {};
};

/// Refers to a field; `output({u, {v, "m/s"}}, ...)` makes them in passing.
class AnyField {
 public:
  template <class T, int Components, class Layout>
  AnyField(const Field<T, Components, Layout>& field, std::string unit = {})  // NOLINT: implicit
      : AnyField(field.grid(), field.record(), std::move(unit)) {}
  AnyField(std::shared_ptr<GridState> grid, std::shared_ptr<FieldRecord> record,
           std::string unit = {})
      : grid_(std::move(grid)), record_(std::move(record)), unit_(std::move(unit)) {}

  const std::string& name() const { return record_->name; }
  const std::string& unit() const { return unit_; }  ///< empty: a pure number
  const std::shared_ptr<FieldRecord>& record() const { return record_; }
  GridState& grid() const { return *grid_; }
  /// Where layers lie; null: z is the height in the grid.
  const std::shared_ptr<const Vertical>& vertical() const { return vertical_; }
  void set_vertical(std::shared_ptr<const Vertical> vertical) { vertical_ = std::move(vertical); }
  FieldStore& store() const { return grid_->storage(); }

  /// The values that belong to cells: in a face field that of the lower face of every cell.
  Box cells() const { return {{0, 0, 0}, grid_->box_cells()}; }

 private:
  std::shared_ptr<GridState> grid_;
  std::shared_ptr<FieldRecord> record_;
  std::string unit_;
  std::shared_ptr<const Vertical> vertical_;
};

inline std::vector<std::string> names_of(const std::vector<AnyField>& fields) {
  std::vector<std::string> names;
  for (const AnyField& field : fields) names.push_back(field.name());
  return names;
}

}  // namespace goban
