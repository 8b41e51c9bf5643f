#include "goban/simulation/run/step_trials.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "goban/base/communicator.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Steps together, and what they take on the rank that takes longest.
class TimedSteps {
 public:
  TimedSteps(Simulation& simulation, Engine& step)
      : ranks_(simulation.grid().state()->context->communicator()), step_(step) {
    const SimulationOptions& options = simulation.options();
    if (options.dt_limit) Parameter<double>(*options.dt_limit).set(options.dt.current());
    clock_.dt = options.dt.value;
    clock_.dt_parameter = options.dt.parameter;
  }

  /// Seconds a step.
  double run(Index steps) {
    step_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    step_.run(steps, clock_);
    step_.synchronize();
    return of_longest(start) / static_cast<double>(steps);
  }
  double seconds_so_far() const { return of_longest(start_); }

 private:
  double of_longest(std::chrono::steady_clock::time_point start) const {
    constexpr double nanosecond = 1e-9;
    const std::chrono::nanoseconds mine = std::chrono::steady_clock::now() - start;
    std::array<std::int64_t, 1> longest{mine.count()};
    ranks_->maximum(longest);
    return nanosecond * static_cast<double>(longest[0]);
  }

  std::shared_ptr<Communicator> ranks_;
  Engine& step_;
  StepClock clock_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

StepTrials try_plans(Simulation& simulation, double seconds) {
  constexpr Index most_together = 24;  // whole cycles of all lengths that are tried
  constexpr std::size_t most_samples = 5;
  const SimulationOptions& options = simulation.options();
  Engine step(simulation.program());
  step.try_all_plans();
  step.prepare();
  TimedSteps steps(simulation, step);
  steps.run(1);  // kernels are compiled, memory is touched
  const double first = steps.run(1);
  // Runs whose time step changes take one at a time.
  const bool is_one_by_one =
      options.dt_limit || (options.dt.parameter && std::isfinite(options.end));
  const auto affordable = static_cast<Index>(0.1 * seconds / std::max(first, 1e-9));
  const Index together = is_one_by_one ? 1 : std::clamp<Index>(affordable, 1, most_together);
  const double for_plans = 0.8 * seconds;
  while (!step.is_settled() && steps.seconds_so_far() < for_plans) steps.run(together);
  step.end_trials();
  std::vector<double> samples;
  do {
    samples.push_back(steps.run(together));
  } while (samples.size() < most_samples && steps.seconds_so_far() < seconds);
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());

  StepTrials trials;
  trials.patches = decomposition_of(*simulation.grid().state()).process_grid();
  trials.plan = {step.steps_per_exchange(), step.steps_per_pass(), step.overlap()};
  trials.seconds = *middle;
  trials.plans = step.plans();
  const bool are_measured = !trials.plans.empty() && trials.plans.front().measured > 0;
  trials.seconds_at_first = are_measured ? trials.plans.front().measured : trials.seconds;
  return trials;
}

}  // namespace goban
