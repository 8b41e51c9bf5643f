#pragma once
// Surfaces of triangles from STL files.

#include <array>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Corners in the unit of the file, single precision as binary STL stores them.
using Corner = std::array<float, 3>;
using Triangle = std::array<Corner, 3>;

struct TriangleMesh {
  std::vector<Triangle> triangles;
};

/// Reads binary or ASCII STL; a file is binary if its size is the one that the count in a binary
/// header asks for, whatever its first bytes say. Several solids become one mesh; normals are not
/// used. Error(files) if it is neither, cut short, empty, or has a coordinate that is not finite.
TriangleMesh read_stl(const std::filesystem::path& path);

/// Edges that an odd number of triangles share: none in a closed surface. Corners are one where
/// their coordinates are equal.
struct EdgeCount {
  std::size_t edges = 0;
  std::size_t open = 0;
};
EdgeCount count_edges(const TriangleMesh& mesh);

}  // namespace goban
