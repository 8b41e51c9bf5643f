#pragma once
// What makes parts of graphs.

#include <cstdint>

namespace goban {

enum class Partitioner : std::uint8_t {
  flooding,        ///< flood(), or cut_curve() where that cuts less
  scotch,          ///< SCOTCH alone
  scotch_smoothed  ///< SCOTCH, then smoothed()
};

}  // namespace goban
