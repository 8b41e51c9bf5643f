#pragma once
// What a checkpoint holds, whatever stores it.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "goban/checkpoint/array.hpp"

namespace goban {

/// What must agree between a checkpoint and the run that continues it, and where its values live.
struct CheckpointSubject {
  std::string program;
  Index3 cells{0, 0, 0};
  Real3 spacing{1, 1, 1};
  Real3 origin{0, 0, 0};
  std::uint64_t seed = 0;
  std::vector<CheckpointArray> arrays;
};

/// Everything that is not an array.
struct CheckpointState {
  Index step = 0;
  double time = 0;
  nlohmann::ordered_json details;  ///< of the simulation: parameters, schedules, outputs
};

}  // namespace goban
