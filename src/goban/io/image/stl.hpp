#pragma once
// Surfaces of triangles from STL files.

#include <array>
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

/// Reads binary or ASCII STL; a file is binary if it is large enough for the count in a binary
/// header, whatever its first bytes say and whatever follows its last triangle. Several solids
/// become one mesh; normals are not used. Error(files) if it is neither, cut short, empty, or has a
/// coordinate that is not finite.
TriangleMesh read_stl(const std::filesystem::path& path);

}  // namespace goban
