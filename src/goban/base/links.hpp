#pragma once

#include "goban/base/types.hpp"

namespace goban {

/// Offsets from a cell to its neighbours across faces, then edges: pairs of opposite ones. With
/// that to itself before them they are the velocities of D3Q19.
inline constexpr std::array<Index3, 18> face_and_edge_links = {{
    {1, 0, 0},
    {-1, 0, 0},
    {0, 1, 0},
    {0, -1, 0},
    {0, 0, 1},
    {0, 0, -1},
    {1, 1, 0},
    {-1, -1, 0},
    {1, -1, 0},
    {-1, 1, 0},
    {1, 0, 1},
    {-1, 0, -1},
    {1, 0, -1},
    {-1, 0, 1},
    {0, 1, 1},
    {0, -1, -1},
    {0, 1, -1},
    {0, -1, 1},
}};

}  // namespace goban
