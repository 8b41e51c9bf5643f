#pragma once
// What a step costs on a process grid, predicted before anything has run.

#include "goban/base/types.hpp"
#include "goban/grid/grid.hpp"
#include "goban/grid/settings.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// Pieces along each axis, all of them and those of one machine and of one process: boxes that
/// divide each other.
struct ProcessGrid {
  Index3 all{1, 1, 1}, of_machine{1, 1, 1}, of_process{1, 1, 1};
};

/// Seconds.
struct StepCost {
  double sweep = 0, halo = 0;
  double values = 0;  ///< values that are sent

  double total() const { return sweep + halo; }
  double halo_share() const { return halo > 0 ? halo / total() : 0; }
};

/// The links that messages to a neighbour take, by where it is.
struct NeighborLinks {
  LinkModel in_process{}, in_machine{}, between_machines{};
};

/// The links of messages that travel by this transport; automatic: GPUs of a machine are peers.
NeighborLinks links_of(const MachineRates& machine, Transport transport);

/// What is known of a step when a grid is cut. Unless grids say more: one field in single precision
/// that is read one cell far, and its next values.
struct StepModel {
  DeviceRates device;
  NeighborLinks links;
  double bytes_per_cell = 8;  ///< bytes of a cell that sweeps move
  double halo_values = 1;     ///< values that are sent per cell of a face
  double bytes_per_value = 4;
  std::array<bool, 3> is_periodic{};
  Index room = 4;  ///< cells along an axis that is cut, which most halos fit
};

/// The model of a step by boundaries and the fields that the grid has so far.
StepModel step_model_of(const GridState& grid, const MachineRates& machine,
                        Transport transport = Transport::automatic);
/// The same for the machine the program runs on, with the grid's settings.
StepModel step_model_of(const GridState& grid);

/// The cost of a single step, for a piece of so many cells that has a neighbour wherever there can
/// be one.
StepCost step_cost(Index3 cells, const ProcessGrid& pieces, const StepModel& model);

}  // namespace goban
