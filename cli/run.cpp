#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/context.hpp"
#include "cli/earlier_run.hpp"
#include "cli/examples.hpp"
#include "cli/retries.hpp"
#include "cli/run_folder.hpp"
#include "cli/tuned_case.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/printable.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/store.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/print.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/case/units.hpp"
#include "goban/runtime/host_calibration.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/report/run_files.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run/signals.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string file, out, restart, max_time, summary, trace, live, launcher;
  int retries = 0;
  std::vector<std::string> overrides;
  std::vector<std::pair<std::string, std::string>> shorthands;  ///< key of [run], value
  bool dry_run = false, print_config = false, overwrite = false, allow_unused = false,
       allow_changes = false;
};

const std::string run_notes = R"(
key=value changes a key of the case. Options that name no file stand for keys of [run], and count
before these: --threads 2 is run.threads=2. GOBAN_THREADS=2 in the environment stands for --threads 2
where that is not given, and so on.

The output folder (out/CASE unless --out names another) is made anew: an earlier run in it is
renamed to CASE.old.1, .old.2, ... --overwrite deletes it instead, --restart goes on in it, if it
has a checkpoint. A run that is refused leaves an earlier one as it is; --overwrite leaves files that
no run wrote.

A run that has finished is extended by --restart and a later time.end or time.steps. Schedules of
outputs, [checkpoint], --devices, --patches and --threads may change, too; any other change of the
case is refused unless --allow-changes asks for it. run.toml tells what changed at which step.)";

std::string run_footer(const Context& context) {
  return run_notes + "\n" +
         examples(context,
                  {{"GOBAN run CASE"},
                   {"GOBAN run CASE grid.cells=256,256,256 time.end=\"10 min\" --out big"},
                   {"GOBAN run CASE output.picture.0.index=8", "a key of the first in a list"},
                   {"GOBAN run CASE --restart", "from the newest checkpoint, if there is one"},
                   {"GOBAN run CASE --restart time.end=\"20 min\"", "further than before"},
                   {"GOBAN run CASE --dry-run", "memory, schedule, files; computes nothing"},
                   {"GOBAN run CASE --print-config", "every key with its value"},
                   {"mpirun -n 4 GOBAN run CASE", "on four processes, the same files and bits"},
                   {"GOBAN run CASE --live", "a page to watch it, pause it, stop it"},
                   {"GOBAN run CASE --retries 5", "start it again when it dies"}}) +
         "\n\nWhile it runs: Ctrl-C, SIGTERM, SIGHUP or SIGXCPU saves a checkpoint and stops "
         "(exit code 75), SIGUSR1 only saves. A second Ctrl-C quits at once, with nothing more "
         "saved (130).";
}

Restart restart_of(const std::string& text) {
  if (text.empty()) return {};
  return restart_named(text == "true" ? "newest" : text);  // a flag without a value holds true
}

/// Seconds this run may take; infinity asks the batch system.
double time_limit(const std::string& text) {
  if (!text.empty()) {
    const Quantity limit = parse_quantity(text, "s");
    require(limit.value && *limit.value > 0, "--max-time " + text + " is refused",
            limit.value ? "it must be positive" : limit.why,
            "write for example 23:50:00 or \"10 min\"");
    return *limit.value;
  }
  return std::numeric_limits<double>::infinity();
}

/// What becomes of an earlier run in `folder`. Where it has no checkpoint, a restart begins anew;
/// never in the place of results that are complete.
Earlier earlier_run(const RunOptions& options, const Restart& restart, const fs::path& folder) {
  if (options.overwrite) return Earlier::remove;
  if (restart.from == Restart::From::beginning) return Earlier::set_aside;
  if (restart.from == Restart::From::step || !list_checkpoints(folder / "chk").empty()) {
    return Earlier::go_on;
  }
  // Nodes that this machine does not see may have some.
  const auto nodes = read_node_record(folder);
  if (nodes && (nodes->saved || !store_of(*nodes)->entries().empty())) return Earlier::go_on;
  if (has_finished(folder)) {
    throw Error(ExitCode::no_checkpoint, "cannot go on in " + folder.string(),
                "the run in it has finished and left no checkpoint", "leave out --restart");
  }
  return Earlier::set_aside;
}

void tell_of_earlier(const Context& context, const RunFolder& folder) {
  if (!folder.set_aside().empty()) {
    context.out << "the earlier run is now in " << folder.set_aside().string() << "\n";
  }
  if (folder.left().empty()) return;
  std::vector<std::string> names;
  for (const auto& path : folder.left()) {
    names.push_back(path.lexically_relative(folder.path()).string());
  }
  context.out << "left in " << folder.path().string()
              << " what is not known as a run's: " << joined(names) << "\n";
}

/// Whether a run takes so long that calibrating pays: others are often over in the time that a
/// quick calibration takes, a second or two, on GPUs, which are a hundred times as fast, half a
/// minute of compiling.
bool is_worth_calibrating(const Application& application, const Case& values,
                          const Settings& settings) {
  constexpr Index least_cells = Index{1} << 22;
  const double least_updates = settings.backend == Backend::cuda ? 1e13 : 1e10;
  if (schema_of(application).find("grid.cells") == nullptr) return false;
  const Index cells = product(values.integer3("grid.cells"));
  const double steps = values.has("time.steps") ? static_cast<double>(values.integer("time.steps"))
                                                : std::numeric_limits<double>::infinity();
  return cells >= least_cells && static_cast<double>(cells) * steps >= least_updates;
}

void tell_warnings(const Context& context, const Case& values) {
  for (const std::string& warning : values.warnings()) {
    context.err << "goban: " << printable(warning) << "\n";
  }
}

int run_case(const Context& context, const RunOptions& options,
             std::chrono::steady_clock::time_point started) {
  std::vector<std::string> overrides = options.overrides;
  for (const auto& [key, value] : options.shorthands) overrides.push_back(key + "=" + value);
  const Application& application = application_for(context, options.file, overrides);
  const Case values =
      case_of(application, options.file, overrides, {.allow_unused = options.allow_unused});
  if (options.print_config) {
    tell_warnings(context, values);
    context.out << resolved_toml(values);
    return 0;
  }
  const Restart restart = restart_of(options.restart);
  const double limit = time_limit(options.max_time);
  require(options.restart.empty() || !options.overwrite,
          "--restart and --overwrite exclude each other", "one goes on with what the other deletes",
          "choose one");
  require(options.retries == 0 || world_communicator()->size() == 1, "--retries is refused",
          "the MPI that has started it ends with it",
          "start goban alone, with --launcher \"mpirun -n 4\"");
  require(options.launcher.empty() || options.retries > 0, "--launcher is refused",
          "it is for runs that are started again", "add --retries 5");
  require(!options.allow_changes || restart.from != Restart::From::beginning,
          "--allow-changes is refused", "it is for runs that go on", "add --restart");

  const std::string folder = options.out.empty() ? "out/" + values.name() : options.out;
  if (options.retries > 0 && !options.dry_run) {
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    return run_again(run_commands(context.arguments, program, options.launcher), folder,
                     {.most = options.retries, .max_time = limit}, context.err);
  }
  Settings settings = tuned_settings(context, application, values);
  if (!options.dry_run) settings.trace = options.trace;
  if (!options.dry_run && is_worth_calibrating(application, values, settings)) {
    measure_unknown_hosts(true);
  }
  Runtime runtime(settings);
  if (options.dry_run) runtime.leave_fields_empty();
  const std::unique_ptr<Setup> setup = application.setup(values, runtime);
  tell_warnings(context, values);
  Run& run = setup->run();
  require(options.live.empty() || dynamic_cast<Simulation*>(&run) != nullptr, "--live is refused",
          "the case has no steps through time that a page could show", "leave it out");
  run.set({.directory = folder,
           .summary = options.summary,
           .live = options.live == "true" ? "auto" : options.live,
           .restart = restart,
           .allow_changes = options.allow_changes,
           .max_time = limit,
           .started = started});
  if (options.dry_run) {
    context.out << run.dry_run();
    return 0;
  }
  // The earlier run in the folder is left alone until this one has passed all checks.
  const std::string death = death_of(folder);
  std::optional<RunFolder> held;
  const auto on_first = [&](auto&& work) {
    agree(*runtime.communicator(), [&] {
      if (runtime.communicator()->rank() == 0) work();
    });
  };
  on_first([&] {
    check_summary_file(options.summary);
    held.emplace(folder);
  });
  run.check();
  std::array<std::int64_t, 1> stop_signal{SignalWatch::stop_signal()};
  runtime.communicator()->maximum(stop_signal);
  if (stop_signal[0] != 0) {
    context.err << "goban: stopped by a signal before the run began\n";
    return static_cast<int>(ExitCode::resubmit);
  }
  on_first([&] { held->make_room(earlier_run(options, restart, folder)); });
  if (!death.empty()) context.out << printable(death) << "\n";
  if (held) tell_of_earlier(context, *held);
  context.out << std::flush;
  context.out.clear();  // a run is not worth less because its log could not be written
  return static_cast<int>(exit_code(run.execute()));
}

/// Every setting is an option that stands for its key of [run].
void add_settings(CLI::App& command, const std::shared_ptr<RunOptions>& options) {
  CaseSchema settings;
  declare_machine(settings, "");
  declare_settings(settings);
  for (const CaseKey& key : settings.keys()) {
    command
        .add_option_function<std::string>(
            option_of(key),
            [options, name = key.name()](const std::string& value) {
              options->shorthands.emplace_back(name, value);
            },
            key.doc())
        ->type_name(key.values())
        ->group("Settings, the keys of [run]");
  }
}

}  // namespace

void add_run(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("run", "Run a case");
  auto options = std::make_shared<RunOptions>();
  command->add_option("case", options->file, "The case file")->type_name("CASE.toml")->required();
  command->add_option("overrides", options->overrides, "Keys of the case with other values")
      ->type_name("key=value");
  command->add_option("--out", options->out, "Folder of the output (default out/CASE)")
      ->type_name("DIR");
  command
      ->add_flag("--restart", options->restart,
                 "Go on from the newest checkpoint, or from that of a step (--restart=STEP); "
                 "harmless on the first run")
      ->option_text("[=STEP]");
  command
      ->add_option("--retries", options->retries,
                   "Start a run that dies again, up to N times, from its newest checkpoint")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--launcher", options->launcher,
                   "With --retries: the command that starts the ranks, such as \"mpirun -n 4\"")
      ->type_name("WORDS");
  command
      ->add_option("--max-time", options->max_time,
                   "Stop with a checkpoint before this wall time is over")
      ->type_name("23:50:00|\"10 min\"");
  command->add_option("--summary", options->summary, "Write a second copy of summary.json")
      ->type_name("FILE.json");
  command
      ->add_option("--trace", options->trace,
                   "Write what ran when, for ui.perfetto.dev and scripts/trace_picture.py")
      ->type_name("FILE.json");
  command
      ->add_flag("--live", options->live,
                 "Serve a page that shows the run in a browser, at this port of 127.0.0.1 or Unix "
                 "socket (default: any free port)")
      ->option_text("[=PORT|SOCKET]");
  command->add_flag("--dry-run", options->dry_run, "Say what would be done, and compute nothing");
  command->add_flag("--print-config", options->print_config, "Print every key with its value");
  command->add_flag("--overwrite", options->overwrite, "Delete an earlier run in the folder");
  command->add_flag("--allow-changes", options->allow_changes,
                    "With --restart: go on although the case has changed");
  command->add_flag("--allow-unused", options->allow_unused,
                    "Warn of unknown keys instead of refusing them");
  add_settings(*command, options);
  command->footer(run_footer(context));
  command->callback([&context, options, started = std::chrono::steady_clock::now()] {
    context.is_for_ranks = true;
    context.action = [&context, options, started] { return run_case(context, *options, started); };
  });
}

}  // namespace goban::cli
