// What a step is predicted to take, as the engine runs it.

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/performance/model/step_prediction.hpp"

namespace goban {

PaperRank rank_of(Domain& domain) {
  const Bindings bindings = domain.bindings();
  const Communicator& ranks = domain.communicator();
  return {domain.patches(),
          bindings.computers,
          bindings.is_asynchronous,
          bindings.channels,
          ranks.nodes(),
          ranks.rank(),
          domain.is_mixed(),
          domain.channels().are_peers(),
          bindings.patches_with_peers};
}

StepPrediction Engine::predicted_step(const MachineRates& machine) {
  StepPrediction all;
  if (reference_) return all;
  std::vector<StraightRun> runs = straight_runs();
  std::size_t next = 0;
  visit_segments(*block_, [&](Segment& segment) {
    const StraightRun& run = runs[next++];
    Domain& domain = domain_of(*segment.grid);
    const StepPlan plan{segment.way.steps_per_cycle, segment.way.steps_per_pass,
                        segment.way.overlap, segment.grid->context->settings().recompute};
    const StepPrediction one = predict_step(run, plan, rank_of(domain), machine);
    all.seconds += run.times * one.seconds;
    all.busy += one.busy * run.times;
  });
  return all;
}

}  // namespace goban
