#pragma once
// What one command of a list costs, from its boxes and the rates of a machine.

#include <functional>

#include "goban/lowering/command.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// Seconds of a command: of the queue it is in, by what they go to, and of messages that are under
/// way beside it.
struct CommandCost {
  double operations = 0;  ///< F / F_peak
  double bytes = 0;       ///< B / B_peak
  double launch = 0;      ///< alpha: what a sweep takes however small it is
  double halo = 0;        ///< ghosts, copies, packing, stores into other halos, waits for devices
  double reduction = 0;   ///< until the host has partial results of all ranks
  double copy = 0;        ///< messages between a device and its host, beside all queues
  double message = 0;     ///< messages between devices or hosts, beside all queues

  /// The share of operations in what instructions and bytes take.
  double share_of_operations() const {
    return operations > 0 ? operations / (operations + bytes) : 0;
  }
  double under_way() const { return copy + message; }
  double of_queue() const { return operations + bytes + launch + halo + reduction; }
  CommandCost& operator+=(const CommandCost& other);
  CommandCost operator*(double factor) const;
};

/// What the cost of a command depends on beside the command itself.
struct CostContext {
  const Schedule& schedule;
  const Slots& slots;
  const MachineRates& machine;
  const std::vector<Extents>& halos;  ///< halos that are read, by slot
  double working_set = 0;  ///< bytes that a device sweeps over: decides on the level of memory
  int ranks = 1;
  double bytes_told = 0;                          ///< see StraightRun
  bool keeps_results = false;                     ///< reductions stay on the device
  std::function<bool(int rank)> is_on_this_node;  ///< whether messages to it stay on the node
  std::function<int(int patch)> executor_of;      ///< negative: of another rank
};

/// Planes that a block of threads goes through in a pass of so many steps over cells of so many
/// bytes (along the fastest, middle and slowest axis) of a GPU, with those that it begins with.
double planes_of_pass(Index3 cells, double bytes, double steps, double multiprocessors);

CommandCost cost(const Command& command, const CostContext& context);
/// Bytes that a sweep moves to and from memory, without what it reads again around its box.
double moved_bytes(const Sweep& sweep, const CostContext& context);
/// Whether a sweep of a bundle may be launched with others of it: on GPUs not where it is large and
/// has shapes to choose from (backend/cuda/launch/bundle_launcher.cpp).
bool joins_launches(const Command& command, const CostContext& context);

}  // namespace goban
