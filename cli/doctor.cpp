#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "cli/context.hpp"
#include "cli/doctor_gpus.hpp"
#include "cli/doctor_ranks.hpp"
#include "cli/text.hpp"
#include "goban/backend/cpu/compiled/compiler.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/base/build_info.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"
#include "goban/performance/measure/machine.hpp"

namespace goban::cli {
namespace {

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The word in brackets of "always [madvise] never"; "" when the file cannot be read.
std::string huge_pages() {
  const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const auto open = line.find('['), close = line.find(']');
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::string caches_text(const Machine& machine) {
  std::vector<std::string> caches;
  for (const Cache& cache : machine.caches) {
    if (cache.kind == "Instruction") continue;
    const bool shared = cache.shared_by > 1;
    caches.push_back("L" + std::to_string(cache.level) + " " + bytes_text(cache.bytes) +
                     (shared ? " for " + std::to_string(cache.shared_by) + " threads" : ""));
  }
  return caches.empty() ? "not told by the system" : joined(caches);
}

/// Fields lie near the threads that work on them: these write to their memory first.
std::string nodes_text(const Machine& machine) {
  std::vector<std::string> nodes;
  for (const NumaNode& node : machine.nodes) {
    nodes.push_back(std::to_string(node.logical_cores) + " logical cores with " +
                    bytes_text(node.bytes));
  }
  return nodes.empty() ? "not told by the system"
                       : std::to_string(nodes.size()) + ": " + joined(nodes);
}

bool has_nvidia_device() { return std::filesystem::exists("/dev/nvidia0"); }

void print(std::ostream& out, std::string name, const std::string& text) {
  name.resize(17, ' ');
  out << name << text << "\n" << std::flush;
}

int examine(const Context& context) {
  const auto ranks = world_communicator();
  RankSurvey survey;
  if (ranks->size() > 1) survey = survey_ranks(*ranks);
  if (ranks->rank() > 0) return 0;
  const Machine machine = inspect_machine();
  const std::optional<double> granted = ControlGroup().cores();
  const int usable = ThreadTeam::usable_cores();
  ThreadTeam team(usable);
  const std::string pages = huge_pages();
  std::ostream& out = context.out;

  out << version_line() << "\n\n";
  print(out, "processor",
        machine.processor + ", " + std::to_string(machine.logical_cores) + " logical cores, " +
            std::to_string(machine.sockets) + (machine.sockets == 1 ? " socket" : " sockets"));
  print(out, "caches", caches_text(machine));
  print(out, "threads",
        std::to_string(usable) +
            (team.is_pinned() ? ", each bound to the cores that share its last-level cache"
                              : ", not bound to cores") +
            (granted ? "; the container grants " + decimals(*granted, 1) : ""));
  print(out, "memory",
        bytes_text(machine.memory_total) + ", " + bytes_text(machine.memory_available) +
            " to be had");
  print(out, "NUMA nodes", nodes_text(machine));
  print(out, "huge pages", pages.empty() ? "not told by the system" : pages);
  const cpu::Compiler& compiler = cpu::compiler();
  print(out, "kernels",
        "for " + target_instructions().name + ", " +
            (compiler.command.empty() ? "evaluated (" + compiler.why_not + ")"
                                      : "compiled by " + compiler.command));
  print(out, "built by",
        std::string(build_info().compiler) + ", " + std::string(build_info().build_type));
  print(out, "snapshots", snapshot_format());
  const CopyBandwidth copy = copy_bandwidth(team);
  print(out, "copy bandwidth",
        decimals(copy.best / 1e9, 1) + " GB/s, median " + decimals(copy.median / 1e9, 1) +
            " GB/s, arrays of " + bytes_text(copy.bytes));

  if (!survey.ranks.empty()) print_ranks(out, survey);

  const auto& features = build_info().features;
  const bool has_cuda = std::find(features.begin(), features.end(), "cuda") != features.end();
  const GpuSurvey gpus = survey_gpus();
  if (gpus.gpus.empty())
    print(out, "GPUs", has_cuda ? "none" : "not looked for: built without CUDA");
  print_gpus(out, gpus);

  const std::string build = std::string(build_info().build_type);
  std::vector<std::pair<bool, std::string>> advice = {
      {build != "Release" && build != "RelWithDebInfo",
       "this is a " + build + " build, which is slow: build with -DCMAKE_BUILD_TYPE=Release"},
      {compiler.command.empty(),
       "kernels are evaluated, at a third of their speed: install g++, or name a compiler in "
       "GOBAN_CXX"},
      {!team.is_pinned() && usable > 1,
       "threads cannot be bound to cores, rates will vary: ask the batch system for whole cores"},
      {copy.median < 0.8 * copy.best,
       "the bandwidth varies: other programs use this machine's memory"},
      {pages == "never",
       "huge pages are off: write madvise to /sys/kernel/mm/transparent_hugepage/enabled"},
      {first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") == "powersave",
       "the clock is held down: set the cpufreq governor to performance"},
      {!have_hdf5(), "no VTKHDF output: install libhdf5-dev and build again"},
      {!has_cuda && has_nvidia_device(),
       "there is a GPU, but goban was built without CUDA: build with -DGOBAN_CUDA=ON"},
      {has_cuda && gpus.gpus.empty() && has_nvidia_device(),
       "there is a GPU, but " + gpus.software.driver_refusal + ": nvidia-smi says more"},
  };
  for (const std::string& line : advice_on_gpus(gpus)) advice.emplace_back(true, line);
  if (!survey.ranks.empty()) {
    for (const std::string& line : advice_on_ranks(survey)) advice.emplace_back(true, line);
  }
  bool healthy = true;
  for (const auto& [applies, line] : advice) {
    if (!applies) continue;
    out << (healthy ? "\nto fix\n" : "") << "  - " << line << "\n";
    healthy = false;
  }
  if (healthy) out << "\nnothing to fix\n";
  return 0;
}

}  // namespace

void add_doctor(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("doctor", "Check this machine and its speed, and say what to fix");
  command->footer(
      "\n"
      "Under mpirun all ranks take part; it shows on which machine, cores and GPUs each rank\n"
      "runs, how fast neighbours send each other messages, and by which transport halos would\n"
      "travel.");
  command->callback([&context] {
    context.is_for_ranks = true;
    context.action = [&context] { return examine(context); };
  });
}

}  // namespace goban::cli
