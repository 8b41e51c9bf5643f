#pragma once
// The state of some fields at one step, as every snapshot file holds it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/array_view.hpp"

namespace goban {

/// The part of a field that starts at cell `low` of the whole grid.
struct Block {
  Index3 low = {0, 0, 0};
  ArrayView values;
};

/// One field as the blocks that cover the grid once; nothing is gathered before it is written.
struct SnapshotField {
  std::string name;
  std::string unit;
  ElementType type = ElementType::float32;
  int components = 1;
  std::vector<Block> blocks;

  SnapshotField() = default;
  /// The whole field in one block; the name is the view's.
  SnapshotField(const ArrayView& values, std::string unit = {});
};

/// Cell data on a regular grid. `origin` is the lower corner of cell (0, 0, 0).
struct Snapshot {
  Index3 extents = {0, 0, 0};
  Real3 origin = {0, 0, 0};
  Real3 spacing = {1, 1, 1};
  double time = 0;
  Index step = 0;
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
  std::vector<Array> fields;
  std::vector<std::string> units;  ///< one per field
  std::string config;
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// Error(usage) unless the field names are usable in all formats (not empty, no '/', '.', '"' or
/// control characters, no name twice) and each field's blocks cover the grid.
void check_snapshot(const Snapshot& snapshot);

/// Error(usage) unless a field of these cells has the plane `index`.
void check_plane(const std::string& name, Index3 extents, Axis normal, Index index);

/// The type in files: half is widened to float32, which every reader knows.
ElementType stored_type(ElementType type);

/// Planes first <= z < first + planes of a field in the order of files: x fastest but for the
/// components, which are innermost. `out` holds stored_type elements.
void gather_planes(const SnapshotField& field, Index3 extents, Index first, Index planes,
                   std::byte* out);

}  // namespace goban
