#pragma once
// What to say when the fields of a grid do not fit into memory.

#include <string>

#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// "the machine of rank 12"; empty where there is one machine.
std::string name_of_machine(const Communicator& communicator);

/// Names the largest grid of the same shape that fits; `where` is a device, a machine, or empty.
Error memory_refusal(const Index3& cells, Index bytes_needed, Index bytes_available,
                     const std::string& where = {});

}  // namespace goban
