#pragma once
// VTKHDF: one static ImageData file with cell data per snapshot, as ParaView, VTK and h5py read it.
//
//   /VTKHDF            attributes Version, Type, WholeExtent, Origin, Spacing, Direction
//   /VTKHDF/CellData   datasets (z, y, x) or (z, y, x, component), attributes units, location
//   /goban             attributes time, step; dataset config; group provenance
//
// Beside that the root is a netCDF 4 file, for xarray and its like: the same datasets, their
// coordinates as dimension scales z, y, x (of values on lower faces z_face, ...) and component_3
// (0, 1, 2), and time. A name that a field has gets a '_' behind it.
//
// The version written is 1.0: ImageData has not changed since, and old readers refuse 2.0. Files
// open with HDF5 1.10 (2016) and later.

#include <filesystem>

#include "goban/io/file/file_ranks.hpp"
#include "goban/io/snapshot/snapshot.hpp"

namespace goban::hdf5 {

/// "HDF5 1.10.8".
std::string library_version();

/// Collective, as the values of the fields then are. Writes `snapshot`, or nothing: the file is
/// built beside and renamed, and after any failing call it is given up and removed. Values and
/// metadata carry checksums. Error(files). HDF5 writes all but the values, on the first rank; those
/// the writers put to their places. Takes buffers of about 16 MiB.
void write_vtkhdf(const std::filesystem::path& path, const Snapshot& snapshot,
                  const FileRanks& ranks = {});

/// Reads a file written here, or another static VTKHDF ImageData file (cell data, or else point
/// data as cells around the points). Error(files) if the file is damaged or something else.
StoredSnapshot read_vtkhdf(const std::filesystem::path& path,
                           const SnapshotSelection& selection = {});

}  // namespace goban::hdf5
