#pragma once
// The cells inside a closed surface, as an image.

#include "goban/io/image/image_source.hpp"
#include "goban/io/image/stl.hpp"

namespace goban {

/// uint8, 1 where the centre of a cell, origin + (i + 1/2) spacing, is inside of `mesh`, else 0.
/// A centre on the surface counts as if it lay a little further along x, y and z. Parts of the mesh
/// outside of the box of cells are allowed; where closed parts overlap, an even number of them
/// counts as outside. Error(usage) if the surface is not closed or a spacing is not positive.
///
/// Parity of the crossings of a ray along x. Each triangle is cut by the planes z = const into
/// segments, each segment by the lines y = const, both half open; the end of a segment is computed
/// from the edge alone, in one order of its corners, so that neighbours agree to the last bit and
/// no ray slips through an edge or counts it twice.
std::shared_ptr<ImageSource> voxelize(TriangleMesh mesh, const Real3& origin, const Real3& spacing,
                                      Index3 extents);

}  // namespace goban
