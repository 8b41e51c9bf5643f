#pragma once
// How one patch of one field lies in memory.

#include "goban/field/record.hpp"

namespace goban {

/// Padded 3-D array per component, components one after the other. Rows start on a line of memory
/// at owned cell 0; the right ghosts of a row and the left ghosts of the next share the pad between
/// them, because every byte of padding costs bandwidth. Any pack that touches an allocated cell,
/// and the packs beside it, stay inside the allocation.
///
/// Stored in place every component has a ring of its own, memory that repeats after `ring`
/// elements, with cell (0, 0, 0) anywhere from `origin` to `origin + ring`. Cells, ghosts and the
/// one value more on every axis have elements of their own there, so that the ghosts of the next
/// step, a cell further, are in nobody's way.
struct FieldLayout {
  ElementType type = ElementType::float32;
  int components = 1;
  std::array<int, 3> order{0, 1, 2};  ///< memory order of the axes, fastest first
  Index3 owned{0, 0, 0};              ///< local owned extents, cells
  Extents halo;                       ///< layers of ghost cells around the owned box
  std::array<Index, 3> stride{};      ///< elements, per grid axis
  Index component_stride = 0;         ///< elements
  Index origin = 0;                   ///< elements from the allocation's start to cell (0, 0, 0)
  Index ring = 0;                     ///< elements of a component stored in place
  std::size_t bytes = 0;              ///< bytes of the allocation, which starts on 64 bytes

  /// Element offset of a local cell from cell (0, 0, 0).
  Index offset(Index3 cell) const {
    return cell[0] * stride[0] + cell[1] * stride[1] + cell[2] * stride[2];
  }
  Box allocated() const { return extended(Box{{0, 0, 0}, owned}, halo); }
};

/// Layout of a patch with `owned` cells (face fields get room for the last wall face).
/// Rows start on multiples of `line` bytes; rings have multiples of `page` bytes.
FieldLayout make_layout(const FieldRecord& field, Index3 owned, const Extents& halo,
                        Index line = 64, Index page = 4096);

/// Bytes of a page by which memory of the next field of this layout is to start later, a multiple
/// of the line. A load that follows a store to the same place of another page waits for it: values
/// of one field and neighbours of the same cells in another, along rows of all three axes, are to
/// be far from each other, and also in the field after the next and the one after that.
Index page_step(const FieldLayout& layout);

}  // namespace goban
