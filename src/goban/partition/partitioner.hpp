#pragma once
// What makes parts of graphs.

#include <cstdint>

namespace goban {

enum class Partitioner : std::uint8_t {
  flooding,       ///< flood(), or cut_curve() where that cuts less
  scotch,         ///< SCOTCH alone
  scotch_flooded  ///< SCOTCH makes a few parts, each is flooded into some (MUPHY)
};

}  // namespace goban
