#pragma once
// Who computes what, on devices that are not there.

#include <string>
#include <vector>

#include "goban/performance/model/step_prediction.hpp"

namespace goban {

/// Ranks of so many devices, and the node of each: GPUs of one node belong to one process;
/// otherwise every device has a process of its own.
struct PaperRanks {
  std::vector<int> nodes;
  Index devices_each = 1;

  PaperRanks(Index devices, const MachineRates& machine);
};

/// How a family of grids is cut for ranks on paper. Coarser grids are cut as the finer ones; those
/// that are gathered where a run would gather them, with all below them, and those whose patches
/// would be thin, are on one device.
class Placing {
 public:
  /// `root` must outlive it.
  Placing(const GridState& root, const Decomposition& finest, const PaperRanks& ranks,
          const MachineRates& machine);

  const Decomposition& finest() const { return finest_; }
  /// The rank that has most to do with a run: the one in the middle, or the one that has the grid.
  PaperRank rank_for(const StraightRun& run) const;
  /// Seconds that the values of the run's grid take to the one device that has it and back; 0: it
  /// is spread, or the finer grid is there already.
  double gathering(const StraightRun& run) const;

 private:
  bool is_gathered(int grid) const {
    return grid > 0 && static_cast<std::size_t>(grid) > spread_.size();
  }

  const GridState& root_;
  Decomposition finest_;
  std::vector<Decomposition> spread_;  ///< cuts of coarser grids, up to the last that is spread
  std::vector<int> nodes_;
  const MachineRates& machine_;
};

}  // namespace goban
