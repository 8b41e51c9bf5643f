#pragma once
// The cells inside a closed surface, as an image.

#include "goban/io/image/image_source.hpp"
#include "goban/io/image/stl.hpp"

namespace goban {

/// uint8, 1 where the centre of a cell, origin + (i + 1/2) spacing, is inside of `mesh`, else 0:
/// where the surface winds around it, once or more. So parts that overlap, lie in each other or are
/// stored twice are one body, and a part that is turned inside out is a cavity of those it lies in.
/// A centre on the surface counts as if it lay a little further along x, y and z. Parts of the mesh
/// outside of the box of cells are allowed. Error(usage) if the surface cannot be closed, see
/// closed(), or a spacing is not positive.
///
/// Sum of the signed crossings of a ray along x. Each triangle is cut by the planes z = const into
/// segments, each segment by the lines y = const, both half open; the end of a segment is computed
/// from the edge alone, in one order of its corners, so that neighbours agree to the last bit and
/// no ray slips through an edge or counts it twice.
std::shared_ptr<ImageSource> voxelize(TriangleMesh mesh, const Real3& origin, const Real3& spacing,
                                      Index3 extents);

}  // namespace goban
