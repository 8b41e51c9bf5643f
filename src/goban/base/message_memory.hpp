#pragma once
// Memory of messages.

#include <cstddef>
#include <memory>
#include <new>

#include "goban/base/types.hpp"

namespace goban {

struct MessageMemoryDelete {
  static constexpr std::align_val_t alignment{4096};
  void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
};
/// Whole pages, so that devices can register them.
using MessageMemory = std::unique_ptr<std::byte, MessageMemoryDelete>;

inline MessageMemory allocate_message(std::size_t bytes) {
  constexpr auto alignment = MessageMemoryDelete::alignment;
  const Index pages = round_up(static_cast<Index>(bytes == 0 ? 1 : bytes), Index(alignment));
  return MessageMemory(
      static_cast<std::byte*>(::operator new(static_cast<std::size_t>(pages), alignment)));
}

/// Messages between two ranks that are under way at once.
inline constexpr std::size_t message_slots = 2;

}  // namespace goban
