#pragma once
// What a step costs on a process grid, predicted before anything has run.

#include "goban/base/link_model.hpp"
#include "goban/base/types.hpp"
#include "goban/grid/grid.hpp"
#include "goban/grid/settings.hpp"

namespace goban {

/// Pieces along each axis, all of them and those of one machine and of one process: boxes that
/// divide each other.
struct ProcessGrid {
  Index3 all{1, 1, 1}, of_machine{1, 1, 1}, of_process{1, 1, 1};
};

/// Seconds.
struct StepCost {
  double sweep = 0, halo = 0;

  double total() const { return sweep + halo; }
  double halo_share() const { return halo > 0 ? halo / total() : 0; }
};

/// What computes a piece, and the ways to its neighbours.
struct PieceRates {
  double sweep = 0;     ///< bytes per second that a sweep reads and writes
  double row_loss = 0;  ///< cells that could be updated while a row begins and ends
  Real3 gather{};       ///< seconds a value of a halo takes beside its message, by axis
  LinkModel in_process{}, in_machine{}, between_machines{};  ///< of a message to one neighbour
};

PieceRates cpu_rates(int threads);
/// Of GPUs whose messages take that way; automatic: peers in a machine, NCCL between machines.
PieceRates gpu_rates(Transport transport);

/// What is known of a step when a grid is cut. Unless grids say more: one field in single precision
/// that is read one cell far, and its next values.
struct StepModel {
  PieceRates rates = cpu_rates(1);
  double bytes_per_cell = 8;  ///< swept
  double halo_values = 1;     ///< a cell of a face
  double bytes_per_value = 4;
  std::array<bool, 3> is_periodic{};
};

/// From settings, boundaries and the fields that the grid has so far. Collective.
StepModel step_model_of(const GridState& grid);

/// Of a single step, for a piece of so many cells that has a neighbour wherever there can be one.
StepCost step_cost(Index3 cells, const ProcessGrid& pieces, const StepModel& model);

}  // namespace goban
