#pragma once
// The memory that a walk through rows needs besides the fields.

#include <vector>

#include "goban/backend/cpu/row_walk.hpp"

namespace goban::cpu {

inline unsigned char* bytes_at(std::byte* at) { return reinterpret_cast<unsigned char*>(at); }
inline const unsigned char* bytes_at(const std::byte* at) {
  return reinterpret_cast<const unsigned char*>(at);
}

struct RowWalk::Memory {
  struct Field {
    const std::byte* read = nullptr;  ///< address of component 0 of local cell (0, 0, 0)
    std::byte* write = nullptr;
    Index middle = 0, slow = 0;  ///< bytes between rows, and between planes
    Index element = 0;
    IndexMap map;
    std::vector<device::Index> to;  ///< per component: elements from component 0
    /// Per component: where the ends of the present row are kept.
    std::vector<unsigned char*> kept;
    const RowEndsBinding* ends = nullptr;
    bool is_field = false, is_scratch = false;
    bool is_on_other_grid = false;  ///< its rows lie where `map` says
  };
  std::vector<Field> fields;
  std::vector<device::RowField> rows;
  std::vector<Result> results;
  std::vector<RowsAhead> ahead;
  std::vector<std::byte> buffers;
  /// Per argument: the offsets of components in buffers.
  std::vector<std::vector<device::Index>> offsets;

  /// Returns a buffer of `bytes` bytes that begins on a line of memory.
  std::byte* buffer(Index bytes) {
    constexpr Index line = 64;
    const auto size = static_cast<std::size_t>(bytes + line);
    if (buffers.size() < size) buffers.resize(size);
    const auto at = reinterpret_cast<std::uintptr_t>(buffers.data());
    return buffers.data() + (line - at % line) % line;
  }
};

}  // namespace goban::cpu
