#pragma once
// What the speed of a program depends on, as one number.

#include <cstdint>

#include "goban/program/program.hpp"

namespace goban {

/// A number that tells programs apart by their stages, what these read and write how far away,
/// grids and loops, but not by constants: programs that differ in constants alone have the same
/// one.
std::uint64_t structure_of(const Program& program);

}  // namespace goban
