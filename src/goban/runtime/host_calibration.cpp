#include "goban/runtime/host_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "goban/backend/gpu_backend.hpp"
#include "goban/base/communicator.hpp"
#include "goban/io/file/file.hpp"
#include "goban/performance/machine/known_machine.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/runtime/runtime.hpp"

namespace goban {
namespace {

thread_local bool is_measuring = false;
std::atomic<bool> measures_unknown = false;

/// Says that this thread measures, for as long as it lives.
class Measuring {
 public:
  Measuring() { is_measuring = true; }
  ~Measuring() { is_measuring = false; }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;
};

/// Nothing is left to be tried.
Settings with_passes(const Settings& host, std::vector<int> devices, int steps_per_pass) {
  Settings settings;
  settings.backend = host.backend;
  settings.devices = std::move(devices);
  settings.threads = host.threads;
  settings.steps_per_exchange = steps_per_pass;
  settings.temporal_blocking = steps_per_pass;
  settings.overlap = Overlap::none;
  settings.communicator = self_communicator();
  return settings;
}

}  // namespace

Calibration calibrate_host(const Settings& settings, const std::string& folder,
                           const CalibrationEffort& effort) {
  const Measuring measuring;
  Runtime all(with_passes(settings, settings.devices, 1));
  std::vector<int> first = all.settings().devices;
  if (first.size() > 1) first.resize(1);
  Runtime single(with_passes(settings, first, 1)), blocked(with_passes(settings, first, 4));
  const bool has_gpus = settings.backend == Backend::cuda;
  const std::string model = has_gpus ? gpu_backend().gpus().front().name : "";
  const std::string host = has_gpus ? host_of_gpu(model) : host_of_cpu(single.threads());
  // What cannot be measured here stays as it was, or as it is on machines of the kind.
  MachineRates known = recall_machine(host).value_or(typical_machine(has_gpus, single.threads()));
  known.is_quick = false;
  known.name = host;
  known.host = host;
  known.source = "goban calibrate, " + date_text().substr(0, 10);
  known.device.name = has_gpus ? model : host;
  const auto devices = static_cast<int>(all.settings().devices.size());
  if (has_gpus) known.devices_per_node = std::max(known.devices_per_node, devices);
  return calibrate({single, blocked, all}, known, folder, effort);
}

CalibrationEffort quick_calibration(Backend backend) {
  if (backend == Backend::cuda) return {1e-3, 5e8, 3, 40, false};
  return {2e-4, 64e6, 5, 2, false};
}

/// What others compute is seen in two ways: beside threads it may take none of their time and still
/// the memory's, and where cores are shared turns are interrupted.
std::string disturbance_of(const Calibration& calibration, int processes) {
  constexpr double least_spread = 0.15, least_share = 0.1, least_processors = 0.25;
  if (calibration.spread > least_spread) {
    return fmt::format("repeats lie {:.0f} % apart", 100 * calibration.spread);
  }
  const double others = calibration.others - (processes - 1);  // which wait
  const double cores = inspect_machine().logical_cores;
  const bool is_loaded = others > std::max(least_processors, least_share * cores);
  if (calibration.machine.device.is_gpu || !is_loaded) return "";
  return fmt::format("others keep {:.1f} of {} processors busy", others, cores);
}

void measure_unknown_hosts(bool measure) { measures_unknown = measure; }
bool are_unknown_hosts_measured() { return measures_unknown; }

bool is_calibrating() { return is_measuring; }

}  // namespace goban
