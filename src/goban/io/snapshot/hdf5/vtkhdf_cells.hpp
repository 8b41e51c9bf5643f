#pragma once
// VTKHDF of active cells: static UnstructuredGrid files of hexahedra.
//
//   /VTKHDF            attributes Version, Type; datasets NumberOfCells, NumberOfPoints,
//                      NumberOfConnectivityIds, Points, Connectivity, Offsets, Types
//   /VTKHDF/CellData   datasets (cell) or (cell, component), attribute units
//   /goban             attributes time, step; dataset config; group provenance
//
// The mesh lies in a file of its own, once a series; those of snapshots have external links to it.

#include <filesystem>

#include "goban/grid/active_cells.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/io/snapshot/snapshot.hpp"

namespace goban::hdf5 {

/// Cells and points of a mesh.
struct MeshSize {
  Index cells = 0, points = 0;
};

/// Writes the mesh, on one rank. Error(files).
MeshSize write_mesh(const std::filesystem::path& path, const ActiveCells& cells,
                    const Real3& origin, const Real3& spacing);
/// Collective, as the values of the fields then are; rank 0 writes. Extents of the snapshot are
/// those of the list; `mesh` is the name of a file beside `path`. Error(files).
void write_cells(const std::filesystem::path& path, const Snapshot& snapshot,
                 const std::string& mesh, const FileRanks& ranks);

}  // namespace goban::hdf5
