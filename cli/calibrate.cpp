// goban calibrate: measures the rates that predictions are made with.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"
#include "goban/performance/machine/known_machine.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/runtime/host_calibration.hpp"
#include "goban/runtime/options.hpp"

namespace goban::cli {
namespace {

struct CalibrateOptions {
  std::string devices = "cpu", threads = "auto", out, folder = ".";
};

void print_notes(std::ostream& out, const Calibration& calibration) {
  for (const CalibrationNote& note : calibration.notes) {
    out << fmt::format("  {:<20} {:>10.4g} {}", note.what, note.value, note.unit);
    if (note.error > 0) out << fmt::format(", within {:.1f} %", 100 * note.error);
    out << "\n";
  }
}

/// Calibrates all devices of this process.
Calibration calibration_of(const CalibrateOptions& options) {
  Settings settings;
  choose_devices(settings, options.devices);
  set_option(settings, "threads", options.threads);
  return calibrate_host(settings, options.folder, {});
}

int calibrate_machine(const Context& context, const CalibrateOptions& options) {
  require(options.devices.find('+') == std::string::npos,
          "--devices " + options.devices + " is refused", "devices of one kind are measured",
          "calibrate cpu and cuda one after the other");
  const auto start = std::chrono::steady_clock::now();
  const auto ranks = world_communicator();
  Calibration calibration;
  agree(*ranks, [&] {
    if (ranks->rank() == 0) calibration = calibration_of(options);
  });
  calibrate_ranks(calibration, *ranks);
  if (ranks->rank() > 0) return 0;
  const MachineRates& machine = calibration.machine;
  const std::filesystem::path file =
      options.out.empty() ? remembered_machine(machine.host) : std::filesystem::path(options.out);
  require(!file.empty(), "nothing can be remembered", "there is no home folder", "name --out FILE");
  const std::string text = machine_text(machine);
  // What is remembered may be damaged.
  if (!options.out.empty()) prepare_file(file, text.substr(0, text.find('\n')));
  write_file(file, text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  context.out << machine.host << "\n";
  print_notes(context.out, calibration);
  if (const std::string load = disturbance_of(calibration, ranks->size()); !load.empty()) {
    context.out << fmt::format(
        "measured under load ({}): goban calibrate again when there is none\n", load);
  }
  context.out << fmt::format("measured in {:.0f} s, kept in {}\n", seconds.count(), file.string());
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("calibrate", "Measure this machine for predictions and choices");
  auto options = std::make_shared<CalibrateOptions>();
  command->add_option("--devices", options->devices, "Devices to measure (default cpu)")
      ->type_name("cpu|cuda|cuda:0,1");
  command->add_option("--threads", options->threads, "CPU threads (default auto)")
      ->type_name("N|auto");
  command
      ->add_option("--out", options->out,
                   "Write this machine file (default: the result is remembered for this host)")
      ->type_name("FILE");
  command
      ->add_option("--folder", options->folder,
                   "Folder on the file system to measure, where runs write (default .)")
      ->type_name("DIR");
  command->footer(
      "\n"
      "This takes less than a minute. Runs on this machine use what is remembered; --machine\n"
      "(in a case: run.machine) names any other machine file. Under mpirun messages between\n"
      "processes are measured, too.\n"
      "\n" +
      examples(context, {{"GOBAN calibrate"},
                         {"GOBAN calibrate --devices cuda"},
                         {"mpirun -n 2 GOBAN calibrate --devices cuda --out node.toml"}}));
  command->callback([&context, options] {
    context.is_for_ranks = true;
    context.action = [&context, options] { return calibrate_machine(context, *options); };
  });
}

}  // namespace goban::cli
