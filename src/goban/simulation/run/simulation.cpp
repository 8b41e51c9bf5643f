#include "goban/simulation/run/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/place_text.hpp"
#include "goban/simulation/checkpointer/checkpointer.hpp"
#include "goban/simulation/output/averages_output.hpp"
#include "goban/simulation/output/outputs.hpp"
#include "goban/simulation/report/reports.hpp"
#include "goban/simulation/run/divergence.hpp"
#include "goban/simulation/run/driver.hpp"
#include "goban/simulation/run/predicted_run.hpp"

namespace goban {
namespace {

/// A function of the user's, called on a schedule.
class CallbackOutput : public SimulationOutput {
 public:
  CallbackOutput(When when, std::function<void(const Clock&)> function)
      : SimulationOutput("callback", std::move(when)), function_(std::move(function)) {}

  bool reads_anything() const override { return true; }
  bool makes_files() const override { return false; }
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment& moment) override { function_(moment.clock); }
  std::string describe() const override { return "a function"; }

 private:
  std::function<void(const Clock&)> function_;
};

}  // namespace

Simulation::Simulation(Grid& grid, Program step, SimulationOptions options)
    : plan_(new RunPlan{.grid = grid, .program = std::move(step), .options = std::move(options)}) {}

Simulation::~Simulation() = default;

Simulation& Simulation::output(std::vector<AnyField> fields, When when, OutputOptions options) {
  return add(snapshot_output(std::move(fields), std::move(when), options));
}

Simulation& Simulation::picture(AnyField field, PictureOptions options, When when) {
  return add(picture_output(std::move(field), std::move(options), std::move(when),
                            plan_->options.length_unit));
}

Simulation& Simulation::series(const std::string& name, std::vector<Column> columns, When when) {
  return add(series_output(name, std::move(columns), std::move(when)));
}

Simulation& Simulation::probe(const std::vector<AnyField>& fields,
                              const std::vector<Position>& positions, When when) {
  std::vector<Column> columns;
  for (const AnyField& field : fields) {
    for (const Position& position : positions) {
      for (int c = 0; c < field.record()->components; ++c) {
        columns.push_back(interpolated_at(field, position, c));
      }
    }
  }
  return series("probes", std::move(columns), std::move(when));
}

Simulation& Simulation::line(const std::string& name, std::vector<AnyField> fields,
                             const LineOptions& options, When when) {
  return add(
      line_output(name, std::move(fields), options, std::move(when), plan_->options.length_unit));
}

Simulation& Simulation::plane(const std::string& name, std::vector<AnyField> fields,
                              const PlaneOptions& options, When when) {
  return add(
      plane_output(name, std::move(fields), options, std::move(when), plan_->options.length_unit));
}

Simulation& Simulation::statistics(AnyField field, When when, double from) {
  return add(statistics_output(std::move(field), std::move(when), from));
}

Simulation& Simulation::averages(const std::string& name, std::vector<AnyField> fields,
                                 const AverageOptions& options, When when) {
  return add(std::make_unique<AveragesOutput>(name, std::move(fields), options, std::move(when)));
}

Simulation& Simulation::add(std::unique_ptr<SimulationOutput> output) {
  // Names are parts of file names and keys in checkpoints.
  const std::string name = output->name();
  for (int n = 2; std::any_of(plan_->outputs.begin(), plan_->outputs.end(),
                              [&](const auto& other) { return other->name() == output->name(); });
       ++n) {
    output->rename(fmt::format("{}_{}", name, n));
  }
  plan_->outputs.push_back(std::move(output));
  return *this;
}

Simulation& Simulation::checkpoint(When when, CheckpointPolicy policy) {
  plan_->checkpoints = std::move(when);
  plan_->checkpoint_policy = policy;
  return *this;
}

Simulation& Simulation::keep_record(const std::shared_ptr<ParameterRecord>& parameter) {
  plan_->kept.push_back(parameter);
  return *this;
}

Simulation& Simulation::progress() {
  plan_->shows_progress = true;
  return *this;
}

Simulation& Simulation::live(const std::string& at) {
  plan_->options.live = at;
  return *this;
}

Simulation& Simulation::stop_when(Condition condition, Index check_every, Program check) {
  stop_when(std::move(condition), check_every);
  plan_->stops.back().check = std::move(check);
  return *this;
}

Simulation& Simulation::stop_when(Condition condition, Index check_every) {
  require(check_every >= 1, fmt::format("stop_when every {} steps is refused", check_every),
          "there must be steps between looks", "use at least 1");
  plan_->stops.push_back({std::move(condition), check_every, std::nullopt});
  return *this;
}

Simulation& Simulation::adjust(Index every, std::function<void(const Clock&)> change) {
  require(every >= 1, fmt::format("an adjustment every {} steps is refused", every),
          "there must be steps between them", "use at least 1");
  plan_->adjustments.push_back({every, std::move(change)});
  return *this;
}

Simulation& Simulation::on(When when, std::function<void(const Clock&)> callback) {
  return add(std::make_unique<CallbackOutput>(std::move(when), std::move(callback)));
}

Simulation& Simulation::derive(Program program) {
  plan_->derived.push_back(std::move(program));
  return *this;
}

Simulation& Simulation::shows(std::vector<AnyField> fields) {
  plan_->shown = std::move(fields);
  return *this;
}

Simulation& Simulation::results(std::function<void(nlohmann::ordered_json&)> callback,
                                const std::map<std::string, std::string>& units) {
  plan_->result_units.insert(units.begin(), units.end());
  plan_->results.push_back(std::move(callback));
  return *this;
}

Simulation& Simulation::warn(std::function<std::string()> warning) {
  plan_->warnings.push_back(std::move(warning));
  return *this;
}

RunStatus Simulation::run() {
  require(!has_run_, "the simulation has run already", "its files are written", "make another one");
  has_run_ = true;
  plan_->check();
  if (const std::string predicted = predicted_as_asked(*this); !predicted.empty()) {
    if (plan_->communicator()->rank() == 0) std::fputs(predicted.c_str(), stdout);
    std::exit(0);
  }
  Checkpointer::check(*plan_);
  return drive(*plan_, report_);
}

void Simulation::set(const RunRequest& request) {
  SimulationOptions& options = plan_->options;
  options.directory = request.directory;
  options.summary = request.summary;
  options.live = request.live;
  options.restart = request.restart;
  options.allow_changes = request.allow_changes;
  options.max_time = request.max_time;
  options.started = request.started;
}

void Simulation::check() {
  const bool measures = std::exchange(plan_->options.measure_bandwidth, false);
  dry_run();
  plan_->options.measure_bandwidth = measures;
}

std::string Simulation::dry_run() {
  plan_->check();
  Checkpointer::check(*plan_);
  Engines engines(plan_->program, plan_->stops, plan_->derived, plan_->outputs);
  const RunFacts facts = facts_of(*plan_, engines);
  const std::string text = banner(facts);
  check_memory(facts, *plan_->communicator());
  const bool measures = plan_->options.measure_bandwidth && steps_to_take(*plan_) >= 0 &&
                        (facts.bytes_to_measure > 0 || !facts.gpus.empty());
  const double bandwidth = measures ? measured_copy_bandwidth(*plan_->grid.state(), facts) : 0;
  return text + forecast(*plan_, engines, facts, bandwidth);
}

void Simulation::rehearse(Index steps) {
  plan_->check();
  Engines engines(plan_->program, plan_->stops, plan_->derived, plan_->outputs);
  engines.prepare();
  const SimulationOptions& options = plan_->options;
  if (options.dt_limit) Parameter<double>(*options.dt_limit).set(options.dt.current());
  StepClock clock{0, 0, options.dt.value, options.dt.parameter};
  for (const Adjustment& adjustment : plan_->adjustments) adjustment.change({});
  // Outputs act before the first step, which may take other kernels than what is recorded later.
  for (const Index count : {Index{1}, steps}) {
    engines.derive(clock);
    engines.step().run(count, clock);
    for (std::size_t r = 0; r < plan_->stops.size(); ++r) engines.holds(r, clock);
  }
  engines.step().synchronize();
  FiniteWatch finite(engines, options.advice_on_divergence);
  finite.look(clock.step);
  finite.require_finite();
  for (const LiveField& field : engines.live_fields()) {
    field.grid->storage().checksum(*field.record);
  }
}

std::string Simulation::describe() {
  Engines engines(plan_->program, plan_->stops, plan_->derived, plan_->outputs);
  const RunFacts facts = facts_of(*plan_, engines);
  std::string text = engines.step().describe();
  for (const auto& [what, when] : facts.schedules) text += fmt::format("  {}: {}\n", what, when);
  for (const auto& coarser : plan_->grid.state()->coarser) {
    if (coarser->image_of >= 0) continue;
    text += fmt::format("coarser grid of {} cells {}\n", fmt::join(coarser->cells, " x "),
                        place_text(*coarser));
  }
  std::string shown;
  for (const AnyField& field : plan_->shown) {
    shown += (shown.empty() ? "" : ", ") + field.name();
    if (!field.unit().empty()) shown += " [" + field.unit() + "]";
  }
  if (!shown.empty()) text += "fields that outputs can show: " + shown + "\n";
  return text;
}

FilesWritten Simulation::files_written(Index steps) const {
  const Engines engines(plan_->program, plan_->stops, plan_->derived, plan_->outputs);
  return goban::files_written(*plan_, engines, steps);
}

SimulationOptions& Simulation::options() { return plan_->options; }
const SimulationOptions& Simulation::options() const { return plan_->options; }
Grid& Simulation::grid() { return plan_->grid; }
const Program& Simulation::program() const { return plan_->program; }

}  // namespace goban
