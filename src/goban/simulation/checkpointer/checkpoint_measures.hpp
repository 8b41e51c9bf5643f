#pragma once
// What saving has cost, for reports.

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// The names of levels, in the order of LevelsDue.
inline constexpr std::array<const char*, 4> checkpoint_levels = {"local", "copies", "parity",
                                                                 "shared"};

/// What checkpoints have cost this rank.
struct CheckpointMeasures {
  std::array<Index, 4> saved{};       ///< per level
  double held = 0, longest_held = 0;  ///< seconds for which saving held the run up
  double last_held = 0;               ///< by the last one, when memory of copies has been touched
  double background = 0;              ///< seconds of work beside the run
  Index values = 0, stored = 0;       ///< bytes before and after compression
  double compressing = 0;             ///< seconds
  double mtbf = 0;                    ///< seconds between failures that intervals follow from
  const char* mtbf_source = "";
  std::array<double, 4> intervals{};  ///< seconds, of levels that find out their own; else 0
  double waste = 0;                   ///< share of the time that they are expected to cost
};

/// Lines of the report at the end; none where nothing was saved. `wall`: seconds of the run.
std::vector<std::string> checkpoint_lines(const CheckpointMeasures& measures, double wall);
/// What the summary has of checkpoints.
nlohmann::ordered_json json_of(const CheckpointMeasures& measures, double wall);

}  // namespace goban
