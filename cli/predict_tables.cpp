#include "cli/predict_tables.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/file/file.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/simulation/predict/predictions.hpp"

namespace goban::cli {

void print_beside(std::ostream& out, const std::string& named, int threads,
                  const ScalingQuestion& question, const std::vector<ScalingPoint>& points) {
  const MachineRates machine = machine_named(named);
  require(!machine.device.is_gpu, "--beside " + named + " is refused",
          "that machine is one of GPUs", "name one of CPUs, as xeon-core");
  require(question.machine.device.is_gpu, "--beside is refused", "there are no GPUs beside it",
          "name a --machine of GPUs");
  out << fmt::format("\nbeside {} on {} {} of every node\n", machine.device.name, threads,
                     threads == 1 ? "thread" : "threads");
  const DeviceRates cpu = times_threads(machine.device, threads);
  for (const ScalingPoint& point : points) {
    const BalancePrediction balance = predict_balance(question, point, cpu);
    out << fmt::format("{:>7}  ", point.devices);
    if (balance.planes == 0) {
      out << "does not pay\n";
    } else {
      out << fmt::format("{} of {} planes, {} a step, {:.1f} % faster\n", balance.planes,
                         balance.planes_of_node, step_time_text(balance.seconds),
                         100 * balance.faster(point.step.seconds));
    }
  }
}

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

}  // namespace goban::cli
