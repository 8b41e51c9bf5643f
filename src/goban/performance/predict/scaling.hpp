#pragma once
// How a program is predicted to scale: the best way to run it on so many devices, or all of them.

#include <optional>
#include <string>
#include <vector>

#include "goban/grid/list_halos.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/performance/model/straight_run.hpp"

namespace goban {

struct ScalingQuestion {
  std::vector<StraightRun> runs;  ///< the runs of the program; their grids need no data
  MachineRates machine;
  bool is_cut_freely = false;  ///< cuts and patches of the settings do not count
};

/// What a step of the program takes on so many devices, run in one way.
struct ScalingPoint {
  Index devices = 1;
  Index nodes = 1;
  Index3 cells{};   ///< cells of the finest grid
  Index3 pieces{};  ///< pieces of the decomposition along each axis
  StepPlan plan;    ///< how the runs that repeat are run
  StepPrediction step;
  double bytes_per_device = 0;    ///< bytes of the fields
  std::optional<ListCut> list{};  ///< how a list of active cells would be cut

  double updates_per_second() const { return static_cast<double>(product(cells)) / step.seconds; }
  /// What most of a step goes to: "memory", "arithmetic", "launches", "halos", "reductions".
  std::string limit() const;
};

/// Against one device: the rate that is left of so many times its own.
double efficiency(const ScalingPoint& point, const ScalingPoint& of_one);

/// All ways that there are and that the settings of the case allow, the fastest first, with R up to
/// 64 as long as more steps an exchange are faster than fewer. Errors (ExitCode::usage): there are
/// more devices than the grid has pieces for, or other than the settings cut it into.
std::vector<ScalingPoint> predict_strategies(const ScalingQuestion& question, Index devices);

/// The stages of the program in single steps of one device.
std::vector<KernelWork> kernels_of_one(const ScalingQuestion& question);

/// What a CPU beside the GPUs of a node takes over, as eq. 8 of Liu and Perumalla has it: both are
/// busy for as long.
struct BalancePrediction {
  Index planes = 0;          ///< the CPU takes; 0: it does not pay
  Index planes_of_node = 0;  ///< planes of the node, across the slowest axis
  double seconds = 0;        ///< a step
  double faster(double alone) const { return alone / seconds - 1; }
};

/// T_C x_C / N = T_G x_G / N with x_C + x_G = N planes of the GPUs of one node, while one plane of
/// all fields goes to the host and back. `cpu` has the rates of all threads of a node.
BalancePrediction predict_balance(const ScalingQuestion& question, const ScalingPoint& point,
                                  const DeviceRates& cpu);

}  // namespace goban
