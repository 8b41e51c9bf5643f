// goban tune: the fastest settings for a case on this machine, found out once for all its runs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "cli/tuned_case.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/file.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "goban/simulation/run/step_trials.hpp"

namespace goban::cli {
namespace {

struct TuneOptions {
  std::string file;
  std::vector<std::string> overrides;
  double seconds = 30;
};

class Tuning {
 public:
  Tuning(const Context& context, const Application& application, const Case& values, double seconds)
      : context_(context), application_(application), values_(values), seconds_(seconds) {}

  /// The fastest of all that there is time for.
  Tuned run(Settings settings) {
    const Settings as_given = settings;
    if (settings.launches == Settings().launches) settings.launches = "anew";  // once
    try_settings(settings, 0.4);
    for (const Index3& grid : other_grids_) {
      settings = as_given;
      settings.patches = grid;
      try_settings(settings, 1.0 / static_cast<double>(1 + other_grids_.size()));
    }
    for (const Transport transport : other_transports_) {
      settings = as_given;
      settings.patches = best_.patches;
      settings.transport = transport;
      try_settings(settings, 0.2);
    }
    return best_;
  }
  const std::string& machine() const { return machine_; }

 private:
  /// Settings are measured for this share of the time, unless it is over.
  void try_settings(const Settings& settings, double share) {
    if (best_.seconds > 0 && seconds_so_far() >= seconds_) return;
    const bool is_first = best_.seconds == 0;
    try {
      Runtime runtime(settings);
      const std::unique_ptr<Setup> setup = application_.setup(values_, runtime);
      auto* simulation = dynamic_cast<Simulation*>(&setup->run());
      require(simulation != nullptr, "cannot tune it",
              application_.name() + " has no sweeps over a grid",
              "name a case of another application");
      if (is_first) print_machine(runtime);
      const StepTrials trials = try_plans(*simulation, share * seconds_);
      if (is_first) find_others(*simulation->grid().state(), settings, trials.patches, runtime);
      take(trials, settings.transport);
    } catch (const Error& error) {
      if (is_first) throw;
      context_.out << fmt::format("  {}\n", error.what()) << std::flush;
    }
  }

  void print_machine(Runtime& runtime) {
    machine_ = tuned_for(runtime);
    context_.out << values_.name() << " on " << machine_ << "\n" << std::flush;
  }

  void take(const StepTrials& trials, Transport transport) {
    const auto& [x, y, z] = trials.patches;
    std::string text = fmt::format("  {} x {} x {} patches", x, y, z);
    if (transport != Transport::automatic)
      text += fmt::format(", transport {}", name_of(transport));
    context_.out << text << ": " << quantity_text(trials.seconds, "s", 3) << " a step";
    if (!trials.plans.empty()) context_.out << "; " << text_of(trials.plans);
    context_.out << "\n" << std::flush;
    // What a run would do by itself stays, unless something is clearly faster.
    constexpr double clearly = 0.98;
    const bool is_first = best_.seconds == 0;
    if (!is_first && trials.seconds > clearly * best_.seconds) return;
    best_.patches = trials.patches;
    best_.steps_per_exchange = trials.plan.steps_per_exchange;
    best_.steps_per_pass = trials.plan.steps_per_pass;
    best_.overlap = trials.plan.overlap;
    best_.has_plan = !trials.plans.empty();
    best_.transport = transport;
    best_.seconds = trials.seconds;
    if (is_first) best_.seconds_untuned = trials.seconds_at_first;
  }

  /// Other process grids that are predicted to be nearly as fast as the first, and other ways for
  /// messages between GPUs of ranks, where the case leaves them open.
  void find_others(const GridState& grid, const Settings& settings, const Index3& first,
                   Runtime& runtime) {
    constexpr double near = 0.5;
    const std::vector<int>& nodes = runtime.communicator()->nodes();
    const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                      [](const std::string& cuts) { return !cuts.empty(); });
    if (!has_cuts && settings.patches == Index3{}) {
      const auto devices =
          std::max<Index>(1, static_cast<Index>(runtime.settings().devices.size()));
      other_grids_ = process_grids_near(grid, product(first), nodes, devices, near);
      std::erase(other_grids_, first);
    }
    const bool has_choice = settings.backend == Backend::cuda && nodes.size() > 1 &&
                            runtime.settings().transport == Transport::automatic;
    if (has_choice) other_transports_ = {Transport::nccl, Transport::mpi, Transport::host};
  }

  /// The seconds so far, by the clock of the first rank.
  double seconds_so_far() const {
    const std::chrono::nanoseconds mine = std::chrono::steady_clock::now() - start_;
    const auto ranks = world_communicator();
    std::array<std::int64_t, 1> agreed{ranks->rank() == 0 ? mine.count() : 0};
    ranks->maximum(agreed);
    return 1e-9 * static_cast<double>(agreed[0]);
  }

  const Context& context_;
  const Application& application_;
  const Case& values_;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string machine_;
  std::vector<Index3> other_grids_;
  std::vector<Transport> other_transports_;
  Tuned best_;
};

int tune(const Context& context, const TuneOptions& options) {
  require(options.seconds > 0, fmt::format("--seconds {} is refused", options.seconds),
          "it must be positive", "the default is 30");
  const Application& application = application_for(context, options.file, options.overrides);
  const Case values = case_of(application, options.file, options.overrides);
  const Settings settings = run_settings(values);
  const std::string refusal = tuning_refusal(settings);
  require(refusal.empty(), "there is nothing to tune", refusal, "run it as it is");
  const std::filesystem::path file = tuned_file();
  require(!file.empty(), "nothing can be remembered", "there is no home folder",
          "set HOME or XDG_CACHE_HOME");
  const std::string name = tuned_name(application, values);
  require(!name.empty(), "cannot tune it", application.name() + " has no sweeps over a grid",
          "name a case of another application");
  Tuning tuning(context, application, values, options.seconds);
  Tuned best = tuning.run(settings);
  best.date = date_text().substr(0, 10);
  agree(*world_communicator(), [&] {
    if (world_communicator()->rank() > 0) return;
    TuneMemory(file).remember(tuning.machine(), name, best);
  });
  context.out << text_of(best) << "\nkept in " << file.string() << "\n";
  return 0;
}

}  // namespace

void add_tune(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("tune", "Find the fastest settings for a case on this machine");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("case", options->file, "The case file")->type_name("CASE.toml")->required();
  command->add_option("overrides", options->overrides, "Keys of the case with other values")
      ->type_name("key=value");
  command->add_option("--seconds", options->seconds, "About how long it may take (default 30)")
      ->type_name("S");
  command->footer(
      "\n"
      "It tries process grids, steps per exchange, overlap, steps per pass through the cache\n"
      "and launches of GPUs: those that are predicted to be near the fastest are measured on\n"
      "some steps of the case, without outputs and checkpoints. Later runs of the same program\n"
      "on this machine and on as many cells use the result, and say so. What a case or an\n"
      "option fixes stays as it is, and results found with it are used with it only. Another\n"
      "build of goban begins anew.\n"
      "\n" +
      examples(context, {{"GOBAN tune CASE"},
                         {"GOBAN tune CASE --seconds 120 run.devices=cuda"},
                         {"mpirun -n 4 GOBAN tune CASE", "what four processes do best"}}));
  command->callback([&context, options] {
    context.is_for_ranks = true;
    context.action = [&context, options] { return tune(context, *options); };
  });
}

}  // namespace goban::cli
