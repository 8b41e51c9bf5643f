#pragma once
// Which decomposition a grid starts with.

#include <optional>
#include <vector>

#include "goban/domain/decomposition/grid_cost.hpp"
#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// The settings' cuts or process grid; where they leave it open, a patch for every device of every
/// rank, cut so that the predicted time of a step is least. Devices of different speed share one
/// axis. Collective. Ranks have blocks of patches; none have those that are left over where the
/// grid or the settings have fewer pieces, or a number that fits no more ranks. `machines`: of
/// every rank. Errors (ExitCode::usage): more patches than cells along an axis, cuts that do not
/// add up.
Decomposition choose_decomposition(const GridState& grid, const std::vector<int>& machines);

/// The settings' cuts or process grid, where they name one; ranks have no patches yet. Errors
/// (ExitCode::usage) as above.
std::optional<Decomposition> cut_as_told(const GridState& grid);

/// Where CPUs compute beside other devices: with these devices alone.
Decomposition decomposition_without_cpu(const GridState& grid, const std::vector<int>& machines);

/// Who has which patches: blocks whose step is predicted to be shortest, as many as ranks can have
/// one. Where all machines have as many ranks, those of each form a block, else they follow each
/// other.
void place_ranks(Decomposition& decomposition, const std::vector<int>& machines,
                 const StepModel& model);

/// What is chosen on paper where nothing is told: for devices, so many a rank, that are not there.
/// `nodes`: the node of every rank.
Decomposition decomposition_on_paper(const GridState& grid, const std::vector<int>& nodes,
                                     Index devices_per_rank, const StepModel& model);

/// Ways to cut a grid into so many pieces whose step is predicted to cost at most 1 + `margin`
/// times as much as the cheapest, that first. Where ranks do not have `pieces` evenly they come as
/// they are.
std::vector<Index3> process_grids_near(const GridState& grid, Index pieces,
                                       const std::vector<int>& nodes, Index devices_per_rank,
                                       double margin);

/// The cost of a single step of the largest patch.
StepCost predicted_step(const GridState& grid, const Decomposition& decomposition);

}  // namespace goban
