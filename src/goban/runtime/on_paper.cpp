#include "goban/runtime/on_paper.hpp"

#include <string>

#include "goban/base/error.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/runtime/runtime.hpp"

namespace goban {

Settings settings_on_paper(Settings settings) {
  settings.backend = Backend::cpu;
  settings.devices.clear();
  settings.threads = 1;
  settings.on_paper = true;
  settings.machine.clear();  // may be one of GPUs
  return settings;
}

MachineRates predicted_machine(Settings settings) {
  const Settings open;
  const auto refuse_unless = [](bool holds, const char* key, const char* why) {
    require(holds, std::string("run.") + key + " cannot be predicted", why, "leave it out");
  };
  constexpr const char* by_machine = "messages are those of the machine file";
  constexpr const char* by_kernels = "kernels are predicted, as fast as the machine file has them";
  refuse_unless(settings.transport == open.transport, "transport", by_machine);
  refuse_unless(settings.halo_precision == open.halo_precision, "halo_precision", by_machine);
  refuse_unless(!is_mixed(settings), "devices with a CPU beside GPUs",
                "--beside predicts what it adds");
  refuse_unless(settings.backend == Backend::cpu || settings.backend == Backend::cuda, "backend",
                by_kernels);
  refuse_unless(settings.kernels != KernelMode::evaluate, "kernels=evaluate", by_kernels);
  refuse_unless(settings.machine.empty() || settings.threads == 0, "threads",
                "a device is what the machine file has the rates of");
  settings.on_paper = false;
  const MachineRates machine =
      settings.machine.empty() ? Runtime(settings).machine() : machine_named(settings.machine);
  refuse_unless(machine.device.caches_planes || settings.temporal_blocking < 2, "temporal_blocking",
                "caches of this machine hold no planes between steps");
  return machine;
}

}  // namespace goban
