#pragma once
// The door to snapshot files: VTKHDF where HDF5 is built in, NumPy files where it is not. Both come
// with an XDMF index that ParaView opens.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "goban/io/file_ranks.hpp"
#include "goban/io/snapshot.hpp"
#include "goban/io/xdmf.hpp"

namespace goban {

/// Whether this build reads and writes VTKHDF.
bool have_hdf5();

/// What write() makes in this build: "VTKHDF (HDF5 1.10.8)" or
/// "NumPy binary (built without HDF5)".
std::string snapshot_format();

/// What one write() left behind.
struct WrittenSnapshot {
  std::vector<std::filesystem::path> files;  ///< without the index
  Index bytes = 0;                           ///< of those files
  std::string description;                   ///< snapshot_format()
};

/// Snapshots of one group of fields over time: <directory>/<stem>.0000100.vtkhdf, one file per
/// step (without HDF5 one <stem>.0000100.<field>.npy per field), the index <stem>.xdmf and, beside
/// VTKHDF files, <stem>.vtkhdf.series. Files appear whole or not at all, the index last.
class SnapshotSeries {
 public:
  /// A new series; or, with `keep_until`, the steps <= keep_until of the one already there.
  SnapshotSeries(std::filesystem::path directory, std::string stem,
                 std::optional<Index> keep_until = {}, FileRanks ranks = {});

  /// Collective, as the values of the fields then are. Error(files) on all ranks.
  WrittenSnapshot write(const Snapshot& snapshot);
  /// Of the first rank.
  const std::filesystem::path& index() const { return index_->path(); }

 private:
  std::filesystem::path directory_;
  std::string stem_;
  FileRanks ranks_;
  std::optional<XdmfSeries> index_;  ///< of the first rank
};

/// Reads a .vtkhdf file, or a .npy file as a snapshot of one field (no geometry, no time).
/// Error(files), also for .vtkhdf in a build without HDF5.
StoredSnapshot read_snapshot(const std::filesystem::path& path,
                             const SnapshotSelection& selection = {});

}  // namespace goban
