#pragma once
// The error for fields that do not fit into memory.

#include <string>

#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// Returns "the machine of rank 12"; empty if all ranks are on one machine.
std::string name_of_machine(const Communicator& communicator);

/// Returns an error that names the largest grid of the same shape that fits. `where`: the name of a
/// device or a machine, or empty.
Error memory_refusal(const Index3& cells, Index bytes_needed, Index bytes_available,
                     const std::string& where = {});

}  // namespace goban
