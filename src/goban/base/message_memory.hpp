#pragma once
// Memory of messages.

#include <cstddef>
#include <functional>
#include <memory>
#include <new>

#include "goban/base/types.hpp"

namespace goban {

/// Memory of the host or of a device for messages; held by whoever uses it.
using MessageMemory = std::shared_ptr<std::byte>;
using MessageAllocator = std::function<MessageMemory(std::size_t bytes)>;

/// Whole pages of the host, so that devices can register them.
inline MessageMemory allocate_message(std::size_t bytes) {
  constexpr std::align_val_t alignment{4096};
  const Index pages = round_up(static_cast<Index>(bytes == 0 ? 1 : bytes), Index(alignment));
  return MessageMemory(
      static_cast<std::byte*>(::operator new(static_cast<std::size_t>(pages), alignment)),
      [](std::byte* memory) { ::operator delete(memory, alignment); });
}

/// Messages between two ranks that are under way at once.
inline constexpr std::size_t message_slots = 2;

}  // namespace goban
