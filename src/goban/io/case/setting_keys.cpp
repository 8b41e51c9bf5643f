#include "goban/io/case/setting_keys.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "goban/base/error.hpp"

namespace goban {

void declare_machine(CaseSchema& schema, const std::string& doc) {
  schema.section("run", doc);
  schema.text("run.devices", "cpu")
      .into(&choose_devices)
      .shown_as("cpu|cuda|cuda:0,1|cuda+cpu")
      .doc("devices that compute: cpu, cuda (all GPUs), cuda:0,1, cuda+cpu");
  schema.key("run.threads", &Settings::threads)
      .between(1, 4096)
      .or_auto()
      .doc("CPU threads; auto: all cores of the process");
  schema.key("run.transport", &Settings::transport, transport_names)
      .doc(
          "transport between ranks: from GPU to GPU (peer), by NCCL, by an MPI that takes memory "
          "of GPUs, through memory of the host");
}

void declare_settings(CaseSchema& schema) {
  const std::span<const Named<Backend>> backends(backend_names);
  schema.key("run.backend", &Settings::backend, backends.first(3))
      .into(+[](Settings& settings, const std::string& name) {  // devices have the last word
        if (settings.backend != Backend::cpu) return;
        const auto chosen = std::find_if(std::begin(backend_names), std::end(backend_names),
                                         [&](const auto& entry) { return entry.name == name; });
        settings.backend = chosen->value;
      })
      .doc("back end on CPUs: kernels; the reference, cell after cell (slow); emulated devices");
  schema.key("run.kernels", &Settings::kernels, kernel_mode_names)
      .doc(
          "kernels of CPUs: functors are evaluated while their code is compiled (beside), sweeps "
          "wait for the code (wait), its texts are kept, too (keep), or nothing is compiled "
          "(evaluate); auto: as the program has chosen, else beside");
  schema.key("run.balance", &Settings::balance, balance_names)
      .doc(
          "cuts between devices of different speed: moved, or left (off); choose: a CPU that slows "
          "the step is left out");
  schema.key("run.speeds", &Settings::speeds)
      .length(1, 64)
      .positive()
      .optional()
      .shown_as("1,3,10")
      .doc(
          "speeds of emulated devices in turn, for experiments; 1 is ten million updates a second");
  schema.key("run.patches", &Settings::patches)
      .at_least(1)
      .or_auto()
      .shown_as("X,Y,Z|auto")
      .doc("patches along x, y, z; auto: the grid predicted to be fastest");
  schema.key("run.cuts", &Settings::cuts)
      .optional()
      .separated_by(';')
      .shown_as("\"30,34;;\"")
      .doc("cells of each patch along x, y, z, as [\"30,34\", \"\", \"\"]; \"\" is cut evenly");
  schema.key("run.parts", &Settings::parts)
      .between(1, 1 << 20)
      .or_auto()
      .doc(
          "number of parts, each in one piece, in which the list of active cells is ordered; auto: "
          "as many as patches; 1: along a curve");
  schema.key("run.partition", &Settings::partition, partitioner_names)
      .doc("method that makes the parts of a list of active cells; scotch needs libscotch");
  schema.key("run.steps_per_exchange", &Settings::steps_per_exchange)
      .between(1, 64)
      .or_auto()
      .doc("time steps between halo exchanges; auto: the fastest of some that are tried");
  schema.key("run.overlap", &Settings::overlap, overlap_names)
      .doc(
          "computing cells while halos travel; auto: one-kernel where the CPU helps GPUs, and "
          "between ranks and GPUs where it is faster");
  schema.key("run.halo_precision", &Settings::halo_precision, halo_precision_names)
      .doc("precision to which halos are rounded between ranks; results then depend on the ranks");
  schema.key("run.subnormals", &Settings::subnormals, subnormals_names)
      .doc(
          "subnormal numbers on CPUs, below 1.2e-38 (2.2e-308 in double); flush: taken for zero, "
          "which is faster and changes results");
  schema.key("run.temporal_blocking", &Settings::temporal_blocking)
      .between(1, 64)
      .or_auto()
      .or_word("on", 4)
      .or_word("off", 0)
      .doc(
          "time steps per pass through the cache; auto: the fastest of some that are tried; on: 4");
  schema.key("run.launches", &Settings::launches)
      .shown_as("tuned|anew|preset|\"2x4 32x8x1 slabs\"")
      .doc(
          "launches of sweeps on GPUs: tried once and remembered (tuned), tried again (anew), "
          "never tried (preset), or given, as \"2x4 32x8x1 slabs\"");
  schema.key("run.machine", &Settings::machine)
      .optional()
      .shown_as("FILE|NAME")
      .doc("machine file of the performance model, or the name of one that is shipped");
  schema.key("run.seed", &Settings::seed).at_least(0).doc("seed of random numbers");
}

Settings run_settings(const Case& values) {
  auto settings = values.read<Settings>();
  if (!settings.speeds.empty()) {
    require(settings.backend == Backend::emulated, "run.speeds are those of emulated devices",
            "what is there is as fast as it is", "write --devices emulated:0,1");
    settings.delay_microseconds = 0;
  }
  return settings;
}

std::string environment_name(const CaseKey& setting) {
  std::string name = "GOBAN_" + last_part_of(setting.name());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::vector<std::string> settings_in_environment(const CaseSchema& schema) {
  CaseSchema settings;
  declare_machine(settings, "");
  declare_settings(settings);
  std::vector<std::string> given;
  for (const CaseKey& key : settings.keys()) {
    const char* const value = std::getenv(environment_name(key).c_str());
    if (value && *value && schema.find(key.name())) given.push_back(key.name() + "=" + value);
  }
  return given;
}

std::string option_of(const CaseKey& setting, const std::string& prefix) {
  std::string name = last_part_of(setting.name());
  std::replace(name.begin(), name.end(), '_', '-');
  return prefix + name;
}

}  // namespace goban
