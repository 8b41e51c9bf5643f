#include "goban/checkpoint/blocks.hpp"

namespace goban {

std::vector<Box> blocks_of(Index3 extents, Index bytes_per_cell, Index limit) {
  std::vector<Box> boxes;
  const Index cells = std::max<Index>(1, limit / bytes_per_cell);
  const Index along_x = std::min(extents[0], cells);
  const Index along_y = std::clamp<Index>(cells / extents[0], 1, extents[1]);
  const Index along_z = std::clamp<Index>(cells / (extents[0] * extents[1]), 1, extents[2]);
  for (Index z = 0; z < extents[2]; z += along_z) {
    for (Index y = 0; y < extents[1]; y += along_y) {
      for (Index x = 0; x < extents[0]; x += along_x) {
        boxes.push_back({{x, y, z},
                         {std::min(x + along_x, extents[0]), std::min(y + along_y, extents[1]),
                          std::min(z + along_z, extents[2])}});
      }
    }
  }
  return boxes;
}

}  // namespace goban
