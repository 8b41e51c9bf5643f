#pragma once
// What to say when the fields of a grid do not fit into memory.

#include <string>

#include "goban/base/error.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// Names the largest grid of the same shape that fits; `where` is a device, or empty.
Error memory_refusal(const Index3& cells, Index bytes_needed, Index bytes_available,
                     const std::string& where = {});

}  // namespace goban
