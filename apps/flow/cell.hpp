#pragma once
// What a cell is, where cells are not all alike.

#include <cstdint>

namespace goban::flow::cell {

inline constexpr std::uint8_t solid = 0;  ///< at rest
inline constexpr std::uint8_t fluid = 1;
inline constexpr std::uint8_t beyond = 2;  ///< ghosts behind the sides of the grid

}  // namespace goban::flow::cell
