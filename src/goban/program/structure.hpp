#pragma once
// What the speed of a program depends on, as one number.

#include <cstdint>

#include "goban/program/program.hpp"

namespace goban {

/// Of stages, what they read and write how far away, grids and loops, not of constants, so that
/// programs that differ in these alone have the same one.
std::uint64_t structure_of(const Program& program);

}  // namespace goban
