#pragma once
// What a checkpoint holds, whatever stores it.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "goban/checkpoint/array.hpp"

namespace goban {

/// Everything that is not an array.
struct CheckpointState {
  Index step = 0;
  double time = 0;
  nlohmann::ordered_json details;  ///< of the simulation: parameters, schedules, outputs
};

/// What must agree between a checkpoint and the run that continues it, and where its values live.
struct CheckpointSubject {
  std::string program;
  Index3 cells{0, 0, 0};
  Real3 spacing{1, 1, 1};
  Real3 origin{0, 0, 0};
  std::uint64_t seed = 0;
  std::vector<CheckpointArray> arrays;
  /// Called before values are read; empty: all are wanted. Returns whether constant arrays are to
  /// be those of the checkpoint, too. Error (usage): the run must not go on from there.
  std::function<bool(const CheckpointState&)> accept = {};
};

}  // namespace goban
