#pragma once
// What a walk through rows remembers.

#include <vector>

#include "goban/backend/cpu/row_walk.hpp"

namespace goban::cpu {

inline unsigned char* bytes_at(std::byte* at) { return reinterpret_cast<unsigned char*>(at); }
inline const unsigned char* bytes_at(const std::byte* at) {
  return reinterpret_cast<const unsigned char*>(at);
}

struct RowWalk::Memory {
  struct Field {
    const std::byte* read = nullptr;  ///< component 0 of local cell (0, 0, 0)
    std::byte* write = nullptr;
    Index middle = 0, slow = 0;  ///< bytes
    Index element = 0;
    IndexMap map;
    std::vector<device::Index> to;     ///< per component, elements
    std::vector<unsigned char*> kept;  ///< per component, of the row at hand
    const RowEndsBinding* ends = nullptr;
    bool is_field = false, is_scratch = false;
    bool is_on_other_grid = false;  ///< the map says where its rows lie
  };
  std::vector<Field> fields;
  std::vector<device::RowField> rows;
  std::vector<Result> results;
  std::vector<RowsAhead> ahead;
  std::vector<std::byte> buffers;
  std::vector<std::vector<device::Index>> offsets;  ///< per argument: of components in buffers

  /// A buffer of so many bytes that begins on a line of memory.
  std::byte* buffer(Index bytes) {
    constexpr Index line = 64;
    const auto size = static_cast<std::size_t>(bytes + line);
    if (buffers.size() < size) buffers.resize(size);
    const auto at = reinterpret_cast<std::uintptr_t>(buffers.data());
    return buffers.data() + (line - at % line) % line;
  }
};

}  // namespace goban::cpu
