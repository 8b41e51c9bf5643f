#pragma once

#include <string>

#include "goban/field/record.hpp"

namespace goban {

/// Returns the name, with a number behind it if a field of the family has it.
std::string unused_name(const GridState& grid, const std::string& name);

}  // namespace goban
