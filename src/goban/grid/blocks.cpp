#include "goban/grid/blocks.hpp"

#include <cstring>

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

void copy_common(const Box& from_box, const void* from, const Box& to_box, void* to, int components,
                 std::size_t element_size) {
  const Box common = intersection(from_box, to_box);
  if (common.empty()) return;
  const auto size = static_cast<Index>(element_size);
  const auto at = [size](const Box& box, int component, Index3 cell) {
    const Index3 i = cell - box.lower;
    return (((component * box.extent(2) + i[2]) * box.extent(1) + i[1]) * box.extent(0) + i[0]) *
           size;
  };
  const auto row_bytes = static_cast<std::size_t>(common.extent(0) * size);
  for (int c = 0; c < components; ++c) {
    Index3 cell = common.lower;
    for (cell[2] = common.lower[2]; cell[2] < common.upper[2]; ++cell[2]) {
      for (cell[1] = common.lower[1]; cell[1] < common.upper[1]; ++cell[1]) {
        std::memcpy(static_cast<std::byte*>(to) + at(to_box, c, cell),
                    static_cast<const std::byte*>(from) + at(from_box, c, cell), row_bytes);
      }
    }
  }
}

}  // namespace goban
