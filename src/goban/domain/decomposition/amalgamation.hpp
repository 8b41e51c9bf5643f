#pragma once
// Whether coarser grids are spread over all devices, or gathered on one.

#include <limits>
#include <vector>

#include "goban/domain/decomposition/grid_cost.hpp"
#include "goban/grid/decomposition.hpp"

namespace goban {

/// Cells of a patch along an axis that has room for halos and can be coarsened once more.
constexpr Index least_cells_of_patch = 4;

/// What was predicted for a chain of grids, each coarsened from the one before; seconds of a visit
/// of all.
struct Amalgamation {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// The first grid of the chain that is gathered on one device, with all below it.
  std::size_t first = none;
  double seconds = 0;   ///< seconds if grids are gathered from `first` on
  double spread = 0;    ///< seconds if all were spread
  double gathered = 0;  ///< seconds if all were gathered

  /// Whether the first grid of the chain is gathered.
  bool is_gathered() const { return first == 0; }
};

/// The least of what the chain may take. Spread, a visit takes for each sweep of each patch that a
/// device has a launch, its bytes and its halos; gathered, a launch and the bytes of all cells, and
/// once the way of the values of the first grid from all pieces to one device and back, a launch
/// each. Grids that are spread are cut into `pieces` as long as patches are not thin, else into
/// fewer, to which values go the same way; `devices` compute them.
Amalgamation amalgamate(const std::vector<GridVisit>& visits, const ProcessGrid& pieces,
                        Index devices, const StepModel& model);

/// Predicts the visits of a grid that is coarsened from one that is cut like this. Nothing is
/// gathered that is on one device already, and nothing where a CPU computes beside other devices.
Amalgamation predicted_amalgamation(const Decomposition& finer, const GridState& grid);

/// The pieces of a grid that is cut like this.
ProcessGrid pieces_of(const Decomposition& decomposition);
/// Seconds until the values of a grid are on one device, and until they are back.
double gathering_seconds(const GridVisit& visit, const ProcessGrid& pieces, const StepModel& model);

}  // namespace goban
