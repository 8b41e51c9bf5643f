#include "goban/simulation/run/output_writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "goban/backend/timeline.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {

void OutputWriters::open(const RunPlace& place, const Clock& now, bool restarted,
                         const std::vector<std::string>& unknown) {
  for (const auto& output : plan_.outputs) {
    const bool is_new = std::find(unknown.begin(), unknown.end(), output->name()) != unknown.end();
    if (is_new) output->when().skip(now);
    std::optional<Index> keep_until;
    if (restarted && !is_new) keep_until = output->last();
    agree(*plan_.communicator(), [&] { output->open(place, keep_until); });
  }
}

void OutputWriters::write_samples(double wall) {
  Sampling& sampling = engines_.sampling();
  for (const Samples::Record& record : sampling.records()) {
    if (record.step >= clock_.step) break;
    Moment moment;
    moment.clock = {record.step, record.time, wall};
    for (const auto& output : plan_.outputs) {
      if (!sampling.is_of(*output)) continue;
      moment.due = output->when().due(moment.clock);
      moment.samples = sampling.values(*output, record);
      write(*output, moment);
    }
  }
}

void OutputWriters::write_due(const Clock& now, bool over) {
  Moment moment;
  moment.clock = now;
  moment.over = over;
  for (const bool last : {false, true}) {
    for (const auto& output : plan_.outputs) {
      if (output->is_last() != last) continue;
      moment.due = !over && output->when().due(moment.clock);
      if (!output->acts_on(moment)) continue;
      if (output->is_snapshot()) {
        watch_for_nan_();
        moment.snapshot = true;
      }
      engines_.derive(*output, clock_);
      Sampling& sampling = engines_.sampling();
      const bool is_sampled = sampling.is_of(*output) && !sampling.records().empty() &&
                              sampling.records().back().step == clock_.step && !is_adjusted();
      moment.samples = {};
      if (moment.due) {
        const Stopwatch watch(seconds_);
        moment.samples = is_sampled ? sampling.values(*output, sampling.records().back())
                                    : sampling.values(*output);
      }
      write(*output, moment);
    }
  }
  engines_.sampling().clear();
}

void OutputWriters::write(SimulationOutput& output, const Moment& moment) {
  files_.attempt(
      [&] {
        const Doing doing(Activity::output);
        const Stopwatch watch(seconds_);
        const HostSpan span(plan_.grid.state()->context->timeline(), Timeline::Kind::output,
                            output.name());
        output.write(moment);
      },
      plan_.options.file_trouble);
  output.set_last(moment.clock.step);
  if (plan_.options.nan_check == 0 || output.lost_value().empty()) return;
  watch_for_nan_();  // says more if it finds something
  throw Error(ExitCode::diverged, output.lost_value() + " has become NaN or infinite",
              fmt::format("step {}", moment.clock.step), plan_.options.advice_on_divergence);
}

/// Whether the state was adjusted since the step was sampled.
bool OutputWriters::is_adjusted() const {
  return std::any_of(
      plan_.adjustments.begin(), plan_.adjustments.end(),
      [&](const Adjustment& adjustment) { return clock_.step % adjustment.every == 0; });
}

void OutputWriters::check_conserved() {
  for (const auto& output : plan_.outputs) {
    if (!output->conserves()) continue;
    engines_.derive(*output, clock_);
    output->check_conserved(clock_.step);
  }
}

void OutputWriters::sync() {
  files_.attempt(
      [&] {
        const Doing doing(Activity::output);
        const Stopwatch watch(seconds_);
        for (const auto& output : plan_.outputs) output->sync();
      },
      plan_.options.file_trouble);
}

}  // namespace goban
