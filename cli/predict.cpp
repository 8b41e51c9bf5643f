// goban predict: how a case will scale, before it runs and without the devices.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "cli/on_paper.hpp"
#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/picture/curve_picture.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/performance/predict/scaling.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/files_written.hpp"
#include "goban/simulation/report/progress.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::cli {
namespace {

/// More have no machine, and take minutes.
constexpr Index most_devices = 1000000;

struct PredictOptions {
  std::string file, machine, beside, picture, strategy = "best";
  int beside_threads = 1;
  std::vector<Index> devices{1, 2, 4, 8, 16, 32, 64};
  std::vector<std::string> overrides, measured;
  double rounds = 1;
  bool weak = false;
};

/// What a summary says of a run.
struct MeasuredRun {
  std::string file;
  Index devices = 1;
  Index3 cells{};
  double rate = 0;
};

MeasuredRun measured_run(const std::string& file) {
  const auto refused = [&](const char* why) {
    return Error(ExitCode::usage, file + " is no summary of a run", why,
                 "name summary.json of a run");
  };
  MeasuredRun run{.file = file};
  try {
    const auto summary = nlohmann::json::parse(read_text(file));
    run.rate = summary.at("updates_per_second");
    run.cells = summary.at("cells");
    const std::string first = summary.at("devices").at(0);
    run.devices = first.starts_with("cuda") ? static_cast<Index>(summary["devices"].size())
                                            : summary.value("ranks", Index{1});
  } catch (const nlohmann::json::exception&) {
    throw refused("it lacks devices or rates");
  }
  if (!(run.rate > 0)) throw refused("nothing was updated");
  return run;
}

/// What predictions need of a case.
struct PredictedCase {
  CaseOnPaper paper;
  std::vector<StraightRun> runs;
  Index steps = 0;     ///< 0: nobody knows
  FilesWritten files;  ///< by these steps
  std::string name;
  Settings settings;
};

PredictedCase predicted_case(const Context& context, const PredictOptions& options) {
  const Application& application = application_for(context, options.file, options.overrides);
  const Case values = case_of(application, options.file, options.overrides);
  PredictedCase one{on_paper(application, values), {}, 0, {}, values.name(), run_settings(values)};
  const Simulation* simulation = one.paper.simulation;
  require(simulation != nullptr, "cannot predict it",
          application.name() + " has no sweeps over a grid", "name a case of another application");
  const SimulationOptions& run = simulation->options();
  Engine engine(simulation->program());
  StepClock clock;
  clock.dt_parameter = run.dt.parameter;
  engine.prepare_run(clock);
  one.runs = engine.straight_runs(options.rounds);
  const double dt = run.dt.current();
  one.steps = run.steps;
  if (one.steps < 0) {
    const bool is_fixed = !run.dt.parameter && !run.dt_limit;
    const double steps = std::ceil(run.end / dt);
    one.steps = is_fixed && steps < 0x1p62 ? static_cast<Index>(steps) : 0;
  }
  one.files = simulation->files_written(one.steps);
  return one;
}

std::string cells_text(Index3 cells) {
  return fmt::format("{}x{}x{}", cells[0], cells[1], cells[2]);
}

std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
         : seconds < 1  ? fmt::format("{:.3g} ms", 1e3 * seconds)
                        : fmt::format("{:.3g} s", seconds);
}

void print_header(std::ostream& out, const PredictOptions& options) {
  out << fmt::format("{:>7}  {:<16} {:<10} {:<18} {:>10} {:>12} {:>6} {:>8}  {}\n", "devices",
                     options.weak ? "cells" : "patch", "pieces", "plan", "a step", "rate", "eff.",
                     "halos", "limited by");
}

std::string row_of(const PredictOptions& options, const ScalingPoint& point,
                   const ScalingPoint& of_one, double memory) {
  Index3 patch;
  for (int a = 0; a < 3; ++a) patch[a] = (point.cells[a] + point.pieces[a] - 1) / point.pieces[a];
  return fmt::format(
      "{:>7}  {:<16} {:<10} {:<18} {:>10} {:>12} {:>5.0f}% {:>7.1f}%  {}{}\n", point.devices,
      cells_text(options.weak ? point.cells : patch), cells_text(point.pieces), text_of(point.plan),
      time_text(point.step.seconds), format_rate(point.updates_per_second()),
      100 * efficiency(point, of_one), 100 * point.step.exposed() / point.step.seconds,
      point.limit(),
      memory > 0 && point.bytes_per_device > memory ? ", TOO LARGE for its memory" : "");
}

/// What all steps of the case take, in time, energy and money, and its files, of which every node
/// writes its share.
void print_cost(std::ostream& out, const MachineRates& machine, const PredictedCase& one,
                const std::vector<ScalingPoint>& points) {
  if (one.steps <= 0) return;
  out << fmt::format("\n{} steps\n", one.steps);
  const auto long_text = [](double seconds) {
    return seconds < 60 ? time_text(seconds) : format_duration(seconds);
  };
  for (const ScalingPoint& point : points) {
    const double loop = static_cast<double>(one.steps) * point.step.seconds;
    out << fmt::format("{:>7}  {}", point.devices, long_text(loop));
    double seconds = loop;
    const double share = static_cast<double>(product(point.cells)) /
                         static_cast<double>(product(one.runs.front().grid->root->cells)) /
                         static_cast<double>(point.nodes);
    for (const auto& [what, kind] :
         {std::pair{"outputs", one.files.outputs}, {"checkpoints", one.files.checkpoints}}) {
      const double taken = seconds_of_files(machine, kind.times, share * kind.bytes);
      if (taken > 0) out << fmt::format(", {} {}", what, long_text(taken));
      seconds += taken;
    }
    const double hours = seconds / 3600;
    if (machine.device.watts > 0) {
      out << fmt::format(", {:.3g} kWh",
                         1e-3 * machine.device.watts * static_cast<double>(point.devices) * hours);
    }
    if (machine.price_per_node_hour > 0) {
      out << fmt::format(", price {:.3g}",
                         machine.price_per_node_hour * static_cast<double>(point.nodes) * hours);
    }
    out << "\n";
  }
}

/// What CPUs take over from the GPUs beside them.
void print_beside(std::ostream& out, const PredictOptions& options, const ScalingQuestion& question,
                  const std::vector<ScalingPoint>& points) {
  const MachineRates machine = machine_named(options.beside);
  require(!machine.device.is_gpu, "--beside " + options.beside + " is refused",
          "that machine is one of GPUs", "name one of CPUs, as xeon-core");
  require(question.machine.device.is_gpu, "--beside is refused", "there are no GPUs beside it",
          "name a --machine of GPUs");
  out << fmt::format("\nbeside {} on {} {} of every node\n", machine.device.name,
                     options.beside_threads, options.beside_threads == 1 ? "thread" : "threads");
  const DeviceRates cpu = times_threads(machine.device, options.beside_threads);
  for (const ScalingPoint& point : points) {
    const BalancePrediction balance = predict_balance(question, point, cpu);
    out << fmt::format("{:>7}  ", point.devices);
    if (balance.planes == 0) {
      out << "does not pay\n";
    } else {
      out << fmt::format("{} of {} planes, {} a step, {:.1f} % faster\n", balance.planes,
                         balance.planes_of_node, time_text(balance.seconds),
                         100 * balance.faster(point.step.seconds));
    }
  }
}

void print_measured(std::ostream& out, const std::vector<MeasuredRun>& runs,
                    const std::vector<ScalingPoint>& points) {
  if (!runs.empty()) out << "\nmeasured\n";
  for (const MeasuredRun& run : runs) {
    out << fmt::format("{:>7}  {}, {}", run.devices, format_rate(run.rate), cells_text(run.cells));
    bool is_predicted = false;
    for (const ScalingPoint& point : points) {
      if (point.devices != run.devices || point.cells != run.cells) continue;
      is_predicted = true;
      out << fmt::format(": predicted {:+.1f} %",
                         100 * (point.updates_per_second() / run.rate - 1));
    }
    out << (is_predicted ? "" : ": not among what is predicted") << "  " << run.file << "\n";
  }
}

void draw(const PredictOptions& options, const std::string& title,
          const std::vector<ScalingPoint>& points, const std::vector<MeasuredRun>& measured) {
  Curve predicted{.label = "predicted", .x = {}, .y = {}, .style = CurveStyle::line_and_points};
  Curve ideal{.label = "as many times one", .x = {}, .y = {}, .style = CurveStyle::dashed};
  Curve runs{.label = "measured", .x = {}, .y = {}, .style = CurveStyle::points};
  for (const ScalingPoint& point : points) {
    const auto devices = static_cast<double>(point.devices);
    predicted.x.push_back(devices);
    predicted.y.push_back(1e-9 * point.updates_per_second());
    ideal.x.push_back(devices);
    ideal.y.push_back(1e-9 * points.front().updates_per_second() * devices /
                      static_cast<double>(points.front().devices));
  }
  for (const MeasuredRun& run : measured) {
    runs.x.push_back(static_cast<double>(run.devices));
    runs.y.push_back(1e-9 * run.rate);
  }
  std::vector<Curve> curves{predicted, ideal};
  if (!measured.empty()) curves.push_back(runs);
  const CurvePictureOptions how{.title = title,
                                .x_name = "devices",
                                .y_name = "rate",
                                .y_unit = "GLUP/s",
                                .x_scale = AxisScale::logarithmic,
                                .y_scale = AxisScale::logarithmic};
  write_curve_picture(options.picture, {{curves, how}});
}

/// What would be ignored otherwise.
void require_predictable(const Settings& settings) {
  const Settings open;
  const auto refuse_unless = [](bool holds, const char* key, const char* why) {
    require(holds, std::string(key) + " cannot be predicted", why, "leave it out");
  };
  constexpr const char* by_machine = "messages are those of the machine file";
  refuse_unless(settings.transport == open.transport, "run.transport", by_machine);
  refuse_unless(settings.halo_precision == open.halo_precision, "run.halo_precision", by_machine);
  refuse_unless(!settings.link.is_slow(), "run.link", by_machine);
  refuse_unless(!is_mixed(settings), "run.devices with a CPU beside GPUs",
                "--beside predicts what it adds");
}

/// Predicts all numbers of devices and appends their rows; the row of a number that cannot be says
/// why. Error: none can be.
std::vector<ScalingPoint> predict_all(const PredictOptions& options,
                                      const ScalingQuestion& question, std::string& rows) {
  ScalingQuestion alone = question;
  alone.is_cut_freely = true;
  const ScalingPoint of_one = predict_strategies(alone, 1).front();
  std::vector<ScalingPoint> points;
  std::optional<Error> refusal;
  for (const Index devices : options.devices) {
    try {
      const auto strategies = predict_strategies(question, devices);
      points.push_back(strategies.front());
      for (const ScalingPoint& point : strategies) {
        rows += row_of(options, point, of_one, question.machine.device.memory);
        if (options.strategy == "best") break;
      }
    } catch (const Error& error) {
      refusal = error;
      rows += fmt::format("{:>7}  {}\n", devices, error.what());
    }
  }
  if (points.empty()) throw Error(*refusal);
  return points;
}

int predict(const Context& context, const PredictOptions& options) {
  require(options.strategy == "best" || options.strategy == "all",
          "--strategy " + options.strategy + " is refused", "it is best or all");
  require(options.rounds > 0, fmt::format("--rounds {} is refused", options.rounds),
          "loops look at their condition at least once", "write how often they do in a step");
  const PredictedCase one = predicted_case(context, options);
  require_predictable(one.settings);
  const std::string& named = options.machine.empty() ? one.settings.machine : options.machine;
  const MachineRates machine =
      named.empty() ? Runtime(one.settings).machine() : machine_named(named);
  const ScalingQuestion question{one.runs, machine, options.weak};
  std::vector<MeasuredRun> measured;
  for (const std::string& file : options.measured) measured.push_back(measured_run(file));
  for (const Index devices : options.devices) {
    require(devices > 0 && devices <= most_devices, fmt::format("{} devices are refused", devices),
            fmt::format("there are 1 to {}", most_devices));
  }
  require(!options.devices.empty(), "--devices is refused", "it names none", "write 1,8,64");
  std::string rows;
  const std::vector<ScalingPoint> points = predict_all(options, question, rows);
  const std::string title =
      fmt::format("{} on {}, {} scaling", one.name, machine.name, options.weak ? "weak" : "strong");
  context.out << title << "\n" << machine.device.name << ", " << machine.source << "\n\n";
  print_header(context.out, options);
  context.out << rows;
  print_cost(context.out, machine, one, points);
  if (!options.beside.empty()) print_beside(context.out, options, question, points);
  print_measured(context.out, measured, points);
  if (!options.picture.empty()) draw(options, title, points, measured);
  return 0;
}

}  // namespace

void add_predict(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("predict", "How a case will scale, without running it");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("case", options->file, "The case file")->type_name("CASE.toml")->required();
  command->add_option("overrides", options->overrides, "Keys of the case with other values")
      ->type_name("key=value");
  command->add_option("--devices", options->devices, "Numbers of devices (default 1,2,4,...,64)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N,...");
  command
      ->add_option("--machine", options->machine,
                   "A machine file, or one that is shipped: h200, tsubame2, xk6m, xeon-core; "
                   "default: what is known of this machine")
      ->type_name("FILE|NAME");
  command
      ->add_option(
          "--beside", options->beside,
          "A machine file of CPUs that compute beside the GPUs of every node, as xeon-core")
      ->type_name("FILE|NAME");
  command
      ->add_option("--beside-threads", options->beside_threads,
                   "Threads of it, where the file has the rates of one (default 1)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_flag("--weak,!--strong", options->weak,
                    "the case's grid on every device; --strong: shared by all (default)");
  command
      ->add_option("--strategy", options->strategy, "best (default), or all plans to run a step by")
      ->type_name("best|all");
  command
      ->add_option("--rounds", options->rounds,
                   "How often loops of solvers look at their condition in a step (default 1)")
      ->type_name("N");
  command->add_option("--picture", options->picture, "Draws rates over devices")
      ->type_name("FILE.svg|.pdf|.png");
  command->add_option("--measured", options->measured, "summary.json of runs, to compare with")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE,...");
  command->footer(
      "\nNothing is computed and no device is needed: docs/model.md says how it is done and how\n"
      "good it is. GPUs of one node are those of one process; on more nodes, and on CPUs, every "
      "device\n"
      "has a process of its own. What the case fixes in [run] is kept: patches, cuts, overlap,\n"
      "steps_per_exchange and temporal_blocking; a number of devices that does not fit says "
      "why.\n\n" +
      examples(context,
               {{"GOBAN predict CASE --machine h200 --devices 1,8,64,512,4096"},
                {"GOBAN predict CASE --weak --picture scaling.svg"},
                {"GOBAN predict CASE --devices 4 --strategy all", "all plans to run a step by"},
                {"GOBAN predict CASE --machine h200 --beside xeon-core --beside-threads 96"}}));
  command->callback([&context, options] {
    context.action = [&context, options] { return predict(context, *options); };
  });
}

}  // namespace goban::cli
