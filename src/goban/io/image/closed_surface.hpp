#pragma once
// Triangles as a surface that has an inside.

#include <cstddef>

#include "goban/io/image/stl.hpp"

namespace goban {

/// Edges of a mesh. Corners are one where their coordinates are equal.
struct EdgeCount {
  std::size_t edges = 0;
  std::size_t open = 0;    ///< an odd number of triangles share them: none in a closed surface
  std::size_t turned = 0;  ///< as many triangles run along them as against: else they are turned
};
EdgeCount count_edges(const TriangleMesh& mesh);

/// An edge that an odd number of triangles share, from its lower corner, and the first of them.
struct OpenEdge {
  Corner low, high;
  std::size_t triangle = 0;
  bool is_forward = false;  ///< the triangle runs along it from `low`
};
std::vector<OpenEdge> open_edges(const TriangleMesh& mesh);

/// The same surface, so that as many triangles run along each edge as against it: corners that lie
/// within a millionth of the size of an open surface become one, and triangles that are turned
/// against their neighbours are turned to the side of most of those they hang together with.
/// Error(usage) where it stays open, naming an edge that is, or turned.
TriangleMesh closed(TriangleMesh mesh);

}  // namespace goban
