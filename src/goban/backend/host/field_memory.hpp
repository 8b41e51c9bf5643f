#pragma once

#include "goban/base/aligned_memory.hpp"

namespace goban::host {

/// Memory for the values of a field, not cleared. Error (ExitCode::resources): the machine has no
/// more.
AlignedMemory field_memory(std::size_t bytes, std::size_t alignment);

}  // namespace goban::host
