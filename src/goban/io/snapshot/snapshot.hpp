#pragma once
// The state of some fields at one step, as every snapshot file holds it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/grid/active_cells.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/location.hpp"
#include "goban/io/file/array_view.hpp"

namespace goban {

/// One field; its values are made when they are written, some of them at a time.
struct SnapshotField {
  std::string name;
  std::string unit;
  ElementType type = ElementType::float32;
  int components = 1;
  BoxSource values;
  Location location = Location::cell;  ///< where its values lie, as files say

  SnapshotField() = default;
  SnapshotField(std::string name, std::string unit, ElementType type, int components,
                BoxSource values);
  /// Values in memory; the name is the view's.
  SnapshotField(const ArrayView& values, std::string unit = {});

  /// Makes the values of a box as files hold them: of stored_type, x fastest but for the
  /// components, which are innermost.
  void make_stored(const Box& box, void* out) const;
};

/// Cell data on a regular grid. `origin` is the lower corner of cell (0, 0, 0). Where levels follow
/// the ground, `node` says where the lower corner of a cell stands.
struct Snapshot {
  Index3 extents = {0, 0, 0};
  std::shared_ptr<const ActiveCells> active = {};  ///< the cells, if they are a list: of `extents`
  Real3 origin = {0, 0, 0};
  Real3 spacing = {1, 1, 1};
  std::function<Real3(Index3)> node = {};
  double time = 0;
  Index step = 0;
  std::string length_unit = {}, time_unit = {};
  std::vector<SnapshotField> fields;
  /// The resolved case, as text.
  std::string config;
  /// Version, machine, seed, ...: name and value.
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// What to read of a snapshot file.
struct SnapshotSelection {
  std::vector<std::string> fields;              ///< empty: all
  std::optional<std::pair<Axis, Index>> plane;  ///< one plane of cells, else everything
};

/// A snapshot read back.
struct StoredSnapshot {
  Real3 origin = {0, 0, 0};
  Real3 spacing = {1, 1, 1};
  double time = 0;
  Index step = 0;
  std::string length_unit = {}, time_unit = {};  ///< empty: not known, or pure numbers
  std::vector<Array> fields;
  std::vector<std::string> units;   ///< one per field
  std::vector<Location> locations;  ///< one per field; cells where files do not say
  std::string config;
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// "cell", "face_x", ..., "node".
const char* name_of(Location location);
/// The location of that name; of another, cells.
Location location_named(const std::string& name);

/// Error(usage) unless the field names are usable in all formats (not empty, no '/', '.', '"' or
/// control characters, no name twice, none that files have for other things).
void check_snapshot(const Snapshot& snapshot);

/// Error(usage) unless a field of these cells has the plane `index`.
void check_plane(const std::string& name, Index3 extents, Axis normal, Index index);

/// The type in files: half is widened to float32, which every reader knows.
ElementType stored_type(ElementType type);

}  // namespace goban
