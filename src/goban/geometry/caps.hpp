#pragma once

#include <span>

#include "goban/geometry/opening.hpp"
#include "goban/io/image/stl.hpp"

namespace goban {

/// The surface with lids on those of its holes that lie within one and a half radii of an opening's
/// center: triangles from their edges to the middle of the hole. Other holes stay.
TriangleMesh with_caps(TriangleMesh surface, std::span<const Opening> openings);

}  // namespace goban
