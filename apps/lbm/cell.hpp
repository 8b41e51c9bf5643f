#pragma once
// What a cell is.

#include <cstdint>

namespace goban::lbm::cell {

// In walls of every kind the populations hold what the wall adds to those that bounce, 6 w_q c_q .
// u_wall; in fluid and outflow they are those of fluid.
inline constexpr std::uint8_t fluid = 0;
inline constexpr std::uint8_t wall = 1;      ///< at rest or moving
inline constexpr std::uint8_t obstacle = 2;  ///< a wall at rest whose force is asked for
inline constexpr std::uint8_t inflow = 3;    ///< a wall that gives its velocity
/// Lets fluid out or holds a pressure, see outflow.hpp.
inline constexpr std::uint8_t outflow = 4;
inline constexpr std::uint8_t beyond = 5;  ///< ghosts behind an outflow

}  // namespace goban::lbm::cell
