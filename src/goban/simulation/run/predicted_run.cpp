#include "goban/simulation/run/predicted_run.hpp"

#include <cmath>

#include "goban/base/error.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban {

PredictedRun predicted_run(const Simulation& simulation, double rounds) {
  const SimulationOptions& options = simulation.options();
  Engine engine(simulation.program());
  StepClock clock;
  clock.dt_parameter = options.dt.parameter;
  engine.prepare_run(clock);
  const std::string& name = simulation.program().name();
  PredictedRun run{
      options.name.empty() ? name : options.name, engine.straight_runs(rounds), options.steps, {}};
  require(!run.runs.empty(), "cannot predict " + run.name, "it has no sweeps over a grid");
  if (run.steps < 0) {
    const bool is_fixed = !options.dt.parameter && !options.dt_limit;
    const double steps = std::ceil(options.end / options.dt.current());
    run.steps = is_fixed && steps < 0x1p62 ? static_cast<Index>(steps) : 0;
  }
  run.files = simulation.files_written(run.steps);
  return run;
}

std::string predicted_as_asked(Simulation& simulation) {
  const auto& context = *simulation.grid().state()->context;
  const std::vector<Index>& devices = context.settings().predict;
  if (devices.empty()) return "";
  return predict(predicted_run(simulation), context.machine(), {.devices = devices}).text;
}

}  // namespace goban
