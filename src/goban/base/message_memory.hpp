#pragma once
// Memory of messages.

#include <cstddef>
#include <functional>
#include <memory>

#include "goban/base/aligned_memory.hpp"

namespace goban {

/// Memory of the host or of a device for messages; held by whoever uses it.
using MessageMemory = std::shared_ptr<std::byte>;
using MessageAllocator = std::function<MessageMemory(std::size_t bytes)>;

/// Whole pages of the host, so that devices can register them.
inline MessageMemory allocate_message(std::size_t bytes) { return aligned_memory(bytes, 4096); }

/// Messages between two ranks that are under way at once.
inline constexpr std::size_t message_slots = 2;

}  // namespace goban
