#pragma once
// XDMF version 2: the index that opens a series of snapshots in ParaView, old and new.
//
// Each step is a 3DCoRectMesh, or a 3DSMesh of nodes in a file of their own, with cell data whose
// values stay in the snapshot files, HDF5 or plain
// binary; the index holds their names relative to itself.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Where the values of one field of one step lie, in the order (z, y, x[, component]).
struct XdmfField {
  std::string name;
  ElementType type = ElementType::float32;
  int components = 1;
  std::string file;          ///< relative to the index
  std::string hdf5_dataset;  ///< "/VTKHDF/CellData/u"; empty: `file` is plain little-endian binary
  Index offset = 0;          ///< bytes before the first value in a plain binary file
};

/// Where the mesh of a step lies that is not one of a regular grid.
struct XdmfMesh {
  Index points = 0;  ///< 0: the grid is regular
  std::string file;  ///< HDF5, relative to the index
};

/// Where the nodes of a regular grid lie that stand elsewhere than spacing and origin say: points
/// of three float32 in plain little-endian binary, in the order (z, y, x).
struct XdmfNodes {
  std::string file;  ///< relative to the index; empty: there are none
  Index offset = 0;  ///< bytes before the first
};

struct XdmfStep {
  Index step = 0;
  double time = 0;
  Index3 extents = {0, 0, 0};  ///< for a mesh: its cells, 1, 1
  XdmfMesh mesh = {};
  XdmfNodes nodes = {};
  Real3 origin = {0, 0, 0};
  Real3 spacing = {1, 1, 1};
  std::vector<XdmfField> fields;
};

/// The index file of one series. It is replaced as a whole with every step added, so it is valid
/// at any moment.
class XdmfSeries {
 public:
  /// A new series; or, with `keep_until`, the steps <= keep_until of the index already there.
  /// Error(files) if that was not written by this class.
  explicit XdmfSeries(std::filesystem::path path, std::optional<Index> keep_until = {});

  /// Adds a step, or replaces the one of that number, and writes the index.
  void add(const XdmfStep& step);

  struct Entry {
    Index step;
    double time;
    std::string file;  ///< the file of the first field
    std::string text;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<Entry> entries_;
};

}  // namespace goban
