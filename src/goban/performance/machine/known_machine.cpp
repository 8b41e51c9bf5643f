#include "goban/performance/machine/known_machine.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "goban/base/error.hpp"
#include "goban/base/process/cache_folder.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/performance/measure/machine.hpp"

namespace goban {

std::string host_of_cpu(int threads) {
  return fmt::format("{}, {} {}", inspect_machine().processor, threads,
                     threads == 1 ? "thread" : "threads");
}

std::string host_of_gpu(const std::string& model) { return model; }

std::filesystem::path remembered_machine(const std::string& host) {
  const std::filesystem::path folder = cache_folder("machines");
  if (folder.empty()) return {};
  std::string name;
  for (const char c : host) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain || (!name.empty() && name.back() != '-')) name += is_plain ? c : '-';
  }
  return folder / fmt::format("{}.{}.toml", name, machine_file_format);
}

std::optional<MachineRates> recall_machine(const std::string& host) {
  const std::filesystem::path file = remembered_machine(host);
  if (file.empty()) return {};
  try {
    if (is_there(file)) return read_machine(file);
  } catch (const Error& error) {
    std::fprintf(stderr,
                 "goban: warning: nothing is remembered of this machine (%s); goban calibrate "
                 "measures it anew\n",
                 error.what());
  }
  return {};
}

void remember_machine(const MachineRates& machine) {
  const std::filesystem::path file = remembered_machine(machine.host);
  if (file.empty()) return;
  try {
    write_file(file, machine_text(machine));
  } catch (const Error&) {  // a folder that is read only
  }
}

MachineRates machine_asked_for(const std::string& file_or_name, const std::string& host) {
  MachineRates machine = machine_named(file_or_name);
  require(machine.host.empty() || machine.host == host,
          fmt::format("machine file {} is refused", file_or_name),
          fmt::format("it was measured on {}, this is {}", machine.host, host),
          "goban calibrate measures this one");
  return machine;
}

MachineRates typical_machine(bool has_gpus, int threads) {
  if (has_gpus) return machine_named("h200");
  MachineRates machine = machine_named("xeon-core");
  machine.device = times_threads(machine.device, threads);
  // Caches as large as those of this processor.
  std::vector<MemoryLevel> levels = cache_levels(inspect_machine(), threads);
  if (levels.empty()) return machine;
  for (MemoryLevel& level : levels) level.bandwidth = machine.device.levels[1].bandwidth;
  levels.front().bandwidth = machine.device.levels[0].bandwidth;
  levels.push_back(machine.device.levels.back());
  machine.device.levels = std::move(levels);
  return machine;
}

}  // namespace goban
