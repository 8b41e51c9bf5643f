#pragma once
// The door to snapshot files: VTKHDF where HDF5 is built in, NumPy files where it is not. Both come
// with an XDMF index that ParaView opens.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/io/file/file_ranks.hpp"
#include "goban/io/snapshot/snapshot.hpp"
#include "goban/io/snapshot/xdmf.hpp"

namespace goban {

/// Whether this build reads and writes VTKHDF.
bool have_hdf5();

/// What write() makes in this build: "VTKHDF (HDF5 1.10.8)" or
/// "NumPy binary (built without HDF5)".
std::string snapshot_format();

/// What one write() left behind.
struct WrittenSnapshot {
  std::vector<std::filesystem::path> files;  ///< files, without the index
  Index bytes = 0;                           ///< bytes of those files
  std::string description;                   ///< snapshot_format()
};

/// Snapshots of one group of fields over time: <directory>/<stem>.0000100.vtkhdf, one file per
/// step (without HDF5 one <stem>.0000100.<field>.npy per field), the index <stem>.xdmf and, beside
/// VTKHDF files, <stem>.vtkhdf.series; of active cells, whose mesh is <stem>.cells.vtkhdf, with
/// HDF5 alone. Nodes that stand elsewhere than in a regular grid are in <stem>.nodes.npy, written
/// once, shape (z, y, x, 3), which the index names: what opens it shows the ground. Files appear
/// whole or not at all, the index last.
class SnapshotSeries {
 public:
  /// A new series; or, with `keep_until`, the steps <= keep_until of the one already there.
  SnapshotSeries(std::filesystem::path directory, std::string stem,
                 std::optional<Index> keep_until = {}, FileRanks ranks = {});

  /// Collective, as the values of the fields then are. Error(files) on all ranks.
  WrittenSnapshot write(const Snapshot& snapshot);
  /// The index file; on the first rank alone.
  const std::filesystem::path& index() const { return index_->path(); }
  /// Step and time of what the index names; nothing on other ranks than the first.
  std::vector<std::pair<Index, double>> steps() const;
  /// Steps of `written`, steps() of an earlier run, go back into the index that it lacks although
  /// their files are there. `outline` says what was written of them, without values.
  void recall(const std::vector<std::pair<Index, double>>& written,
              const std::function<Snapshot(Index step, double time)>& outline);

 private:
  std::string file_name(const Snapshot& snapshot, const SnapshotField& field) const;
  XdmfStep index_entry(const Snapshot& snapshot) const;
  void make_mesh(const Snapshot& snapshot);
  void make_nodes(const Snapshot& snapshot);
  void add_to_index(const XdmfStep& entry);

  std::filesystem::path directory_;
  std::string stem_;
  FileRanks ranks_;
  /// The mesh of active cells, on the first rank: once it is written.
  XdmfMesh mesh_;
  XdmfNodes nodes_;
  std::optional<XdmfSeries> index_;  ///< the index, on the first rank
};

/// Reads a .vtkhdf file, or a .npy file as a snapshot of one field (no geometry, no time).
/// Error(files), also for .vtkhdf in a build without HDF5.
StoredSnapshot read_snapshot(const std::filesystem::path& path,
                             const SnapshotSelection& selection = {});

}  // namespace goban
