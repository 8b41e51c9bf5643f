#pragma once
// Memory of the user in which the values of a field lie.

#include <array>
#include <cstddef>
#include <string>

#include "goban/field/layout.hpp"

namespace goban {

/// Memory of the user, as an array with strides.
struct GivenMemory {
  std::byte* cells = nullptr;     ///< address of component 0 of the value at index (0, 0, 0)
  std::array<Index, 3> stride{};  ///< elements between neighbours, per grid axis
  Index component_stride = 0;     ///< elements between components
  std::byte *begin = nullptr, *end = nullptr;  ///< the memory that the field may use
  int gpu = MemoryView::host;
};

/// Returns the layout of a field in that memory, with the widest halo that fits; its origin,
/// `cells`, has offset 0. Throws an Error (ExitCode::usage) if kernels cannot work there: rows must
/// start on multiples of `line` bytes, and packs at their ends must stay within the memory.
FieldLayout layout_in(const GivenMemory& memory, const FieldRecord& field, Index3 owned,
                      Index line);

}  // namespace goban
