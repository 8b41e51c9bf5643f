#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "goban/base/types.hpp"

namespace goban {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte, FreeMemory>;

/// Memory of the host, not cleared, whose address and size are multiples of `alignment`, a power of
/// two. Error (std::bad_alloc): the machine has no more.
inline AlignedMemory aligned_memory(std::size_t bytes, std::size_t alignment) {
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  auto* const memory =
      static_cast<std::byte*>(std::aligned_alloc(alignment, size == 0 ? alignment : size));
  if (memory == nullptr) throw std::bad_alloc();
  return AlignedMemory(memory);
}

}  // namespace goban
