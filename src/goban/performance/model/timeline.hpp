#pragma once
// When the commands of lists are done: queues in order, waits as the lists say.

#include <map>
#include <vector>

#include "goban/performance/model/command_cost.hpp"

namespace goban {

/// Follows the clock of one rank from list to list. Other ranks do the same at the same time: what
/// arrives was posted there when this rank posted its own.
class PredictedTimeline {
 public:
  /// `has_queues`: executors work beside the host and each other; otherwise all is done in turn.
  explicit PredictedTimeline(bool has_queues) : has_queues_(has_queues) {}

  void add(const CommandList& list, const CostContext& context);
  /// Seconds from the first command until everything so far is done.
  double now() const;
  /// The costs of all commands so far, of the executor that was busy longest.
  CommandCost busiest() const;

 private:
  void run(const Command& command, const CommandCost& cost, const CostContext& context);
  void run_barrier(const Command& command, const CommandCost& cost, const CostContext& context);
  Queue queue_of(int patch, Stream stream, const CostContext& context) const;
  double ready(const std::vector<Wait>& waits) const;

  /// What an executor does between sweeps, which the next one may find not to be done.
  struct Beside {
    double end = 0, seconds = 0;
  };

  bool has_queues_;
  double host_ = 0;                      ///< when the host goes on to the next command
  std::map<Queue, double> free_;         ///< when a queue has nothing more to do
  std::map<int, double> computing_;      ///< when an executor's latest sweep is done
  std::map<int, Beside> beside_;         ///< per executor, since its latest sweep
  std::map<int, CommandCost> busy_;      ///< per executor
  std::map<Transport, double> arrival_;  ///< when all that was posted is there
  std::vector<double> done_;             ///< when each command of the list is done
  std::vector<double> left_;             ///< when what the list before has left is done
};

}  // namespace goban
