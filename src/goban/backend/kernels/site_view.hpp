#pragma once
// Where and when a sweep takes place, as kernels are told.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

/// See SiteInfo; along x, y, z.
struct SiteView {
  Index index[3];    ///< global, of local cell (0, 0, 0)
  Index extents[3];  ///< cells of the whole grid
  double origin[3], spacing[3], offset[3];
  Index step;
  double time;
  const double* now;  ///< step and time, in memory; null: those above
  uint64 seed;
  int periodic[3];
  int padding;
};

}  // namespace goban::device
