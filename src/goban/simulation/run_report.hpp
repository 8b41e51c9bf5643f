#pragma once
// What a run did.

#include <string>

#include "goban/base/types.hpp"

namespace goban {

/// What a run did, for those who ask afterwards.
struct RunReport {
  Index first_step = 0, last_step = 0;
  double time = 0;  ///< simulated
  double wall_seconds = 0, loop_seconds = 0;
  std::string ended_by;  ///< "steps", "end", "residual < 1e-06", "SIGTERM", "max time", "STOP",
                         ///< "live page"
  bool restarted = false;
  Index unwritten = 0;  ///< outputs and checkpoints that failed and were gone without
};

}  // namespace goban
