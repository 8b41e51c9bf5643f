#include "goban/runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/cpu/executor.hpp"
#include "goban/backend/cuda/launch/launch_choice.hpp"
#include "goban/backend/emulated.hpp"
#include "goban/backend/gpu_backend.hpp"
#include "goban/backend/host/queued_executor.hpp"
#include "goban/backend/timeline.hpp"
#include "goban/backend/tracing/executor.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/standard_streams.hpp"
#include "goban/base/process/start_times.hpp"
#include "goban/base/process/subnormals.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/ranks/failure.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/field/empty_store.hpp"
#include "goban/io/file/trace_file.hpp"
#include "goban/performance/machine/known_machine.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "goban/runtime/host_calibration.hpp"
#include "goban/runtime/on_paper.hpp"

namespace goban {
namespace {

constexpr ExitCode internal_error{1};

void print_error(const std::string& line) { std::fprintf(stderr, "goban: %s\n", line.c_str()); }

/// An Error that nobody catches is one line and its exit code, not an abort; other exceptions are
/// such a line and an abort.
[[noreturn]] void report_and_exit() {
  if (const auto current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const Error& error) {
      std::_Exit(report_failure(error, print_error));
    } catch (const std::exception&) {
      const Error error = as_error(current);
      const int code = report_failure(error, print_error);
      if (error.code() != internal_error) std::_Exit(code);
    } catch (...) {
      report_failure(Error(internal_error, "an exception of a type unknown"), print_error);
    }
  }
  std::abort();
}

/// How many ranks may use the cores this one may use, itself among them. Collective.
int ranks_on_same_cores(Communicator& ranks) {
  const auto& nodes = ranks.nodes();
  const auto mine = static_cast<std::size_t>(ranks.rank());
  const std::vector<std::byte> cores = ThreadTeam::cores_of_process();
  std::vector<Parcel> parcels;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (nodes[rank] == nodes[mine]) parcels.push_back({static_cast<int>(rank), cores});
  }
  const auto all = ranks.exchange(std::move(parcels));
  return static_cast<int>(std::count_if(
      all.begin(), all.end(), [&](const Parcel& parcel) { return parcel.bytes == cores; }));
}

/// The GPUs among the devices, in their order.
std::vector<int> gpus_named(const std::vector<int>& devices, const std::vector<int>& all) {
  std::vector<int> gpus;
  for (const int device : devices) {
    if (device == every_device) return all;
    if (device != cpu_device) gpus.push_back(device);
  }
  return gpus.empty() ? all : gpus;
}

/// The devices with these GPUs where the first of them stands; with them alone if none is named.
std::vector<int> with_gpus(const std::vector<int>& devices, const std::vector<int>& gpus) {
  std::vector<int> chosen;
  bool are_there = false;
  for (const int device : devices) {
    if (device == cpu_device) chosen.push_back(device);
    if (device == cpu_device || are_there) continue;
    chosen.insert(chosen.end(), gpus.begin(), gpus.end());
    are_there = true;
  }
  return are_there ? chosen : gpus;
}

/// Ranks of one machine share its GPUs: each has as many, a GPU several ranks where these are more.
/// Collective.
std::vector<int> gpus_of_rank(const std::vector<int>& all, Communicator& ranks) {
  const auto& nodes = ranks.nodes();
  const auto mine = nodes.begin() + ranks.rank();
  const auto count = static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), *mine));
  const auto place = static_cast<std::size_t>(std::count(nodes.begin(), mine, *mine));
  std::array<std::int64_t, 1> each{
      static_cast<std::int64_t>(std::max<std::size_t>(1, all.size() / count))};
  ranks.minimum(each);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(place * all.size() / count);
  return {first, first + each[0]};
}

/// Threads beyond the cores wait for each other; so many of them would hardly ever be done.
void require_threads(int threads) {
  constexpr int most_per_core = 16;
  const int cores = ThreadTeam::logical_cores();
  if (threads <= most_per_core * cores) return;
  throw Error(ExitCode::resources, std::to_string(threads) + " threads are refused",
              "this process may use " + std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                  ", threads beyond them wait for each other",
              "ask for " + std::to_string(cores) + " or auto");
}

/// Nothing but the host can round halos.
void send_by_host_if_needed(Settings& settings) {
  if (settings.halo_precision == HaloPrecision::full) return;
  require(settings.transport == Transport::automatic || settings.transport == Transport::host,
          std::string("the transport ") + name_of(settings.transport) + " is refused",
          "messages between GPUs are not rounded", "use the transport host or auto");
  settings.transport = Transport::host;
}

/// GPUs compute subnormal numbers as fast as others, and what they compute is to be the same.
void require_possible(const Settings& settings) {
  if (settings.subnormals == Subnormals::keep) return;
  require(settings.backend != Backend::cuda, "subnormals = flush is refused on GPUs",
          "they compute subnormal numbers as fast as others", "keep them");
  require(FlushedSubnormals::are_possible(), "subnormals = flush is refused",
          "goban does not know how this processor does it", "keep them");
}

}  // namespace

Runtime::Runtime(int& argc, char** argv)
    : Runtime([&] {
        std::set_terminate(report_and_exit);
        return settings_from(argc, argv);
      }()) {
  is_help_wanted_ = argc == 2 && std::string(argv[1]) == "--help";
}

Runtime::Runtime(const Settings& settings)
    : settings_(settings.predict.empty() ? settings : settings_on_paper(settings)) {
  reserve_standard_streams();
  if (!settings_.communicator) settings_.communicator = world_communicator();
  send_by_host_if_needed(settings_);
  require_possible(settings_);
  Communicator& ranks = *settings_.communicator;
  require(settings.predict.empty() || ranks.size() == 1, "run.predict is refused on several ranks",
          "one process predicts for any number of devices", "start the program without an MPI");
  cuda::check_launches(settings_.launches);
  if (!settings_.trace.empty()) {
    check_trace_file(trace_file_of_rank(settings_.trace, ranks.rank()));
    timeline_ = std::make_unique<Timeline>();
  }
  const int sharing = ranks_on_same_cores(ranks);
  if (settings_.backend == Backend::emulated && settings_.devices == std::vector{every_device}) {
    settings_.devices.clear();
  }
  require(std::count(settings_.devices.begin(), settings_.devices.end(), every_device) == 0 ||
              settings_.backend == Backend::cuda,
          "emulated devices beside the CPU are not counted", "there may be any number of them",
          "name them: emulated:0,1+cpu");
  // Cores for the thread that keeps GPUs busy and for the one that moves the CPU's halos: a team
  // that waits for one of its own to get a core back waits for milliseconds.
  const int beside_team = is_mixed(settings_) ? 2 : 0;
  if (settings_.threads <= 0) {
    settings_.threads = std::max(1, ThreadTeam::usable_cores() / sharing - beside_team);
  }
  if (settings_.backend == Backend::reference || settings_.backend == Backend::emulated)
    settings_.threads = 1;
  require_threads(settings_.threads);
  const bool is_pinned =
      sharing == 1 && settings_.backend != Backend::emulated && !is_mixed(settings_);
  // Where the CPU waits for GPUs within every step, threads that sleep would wake up late.
  const auto between_runs =
      is_mixed(settings_) && sharing == 1 ? std::chrono::microseconds(5000) : Backoff::usual;
  const FlushedSubnormals of_threads(settings_.subnormals == Subnormals::flush);
  if (settings_.kernels != KernelMode::automatic) cpu::set_kernel_mode(settings_.kernels);
  team_ = std::make_shared<ThreadTeam>(settings_.threads, is_pinned, 0, between_runs);
  if (settings_.backend != Backend::cuda) {
    find_machine();
    if (!settings.predict.empty()) {
      machine_ = std::make_unique<const MachineRates>(predicted_machine(settings));
    }
    return;
  }
  GpuBackend& backend = gpu_backend();
  std::vector<int> all(static_cast<std::size_t>(backend.count()));
  std::iota(all.begin(), all.end(), 0);
  if (all.empty()) all = {0};  // refused below, with the reason
  const std::vector<int> gpus = gpus_of_rank(gpus_named(settings_.devices, all), ranks);
  settings_.devices = with_gpus(settings_.devices, gpus);
  const auto executors = backend.make_executors(
      gpus,
      [team = team_](Index n, const std::function<void(Index, Index)>& work) {
        team->run_split(n, [&](Index begin, Index end, int) { work(begin, end); });
      },
      settings_.launches);
  for (std::size_t n = 0; n < gpus.size(); ++n) gpus_[gpus[n]] = with_trace(executors[n]);
  find_machine();
}

void Runtime::rehearse_gpus(int capability, int count) {
  gpu_backend().rehearse(capability, count);
}

/// What the settings name; or else what is remembered of this host, or measured now and remembered
/// if nothing disturbed it. All ranks have that of the first, of as many threads as each has at
/// least. Collective.
void Runtime::find_machine() {
  Communicator& ranks = *settings_.communicator;
  std::array<std::int64_t, 1> least{settings_.threads};
  ranks.minimum(least);
  const auto threads = static_cast<int>(least[0]);
  const bool has_gpus = !gpus_.empty();
  const std::string host =
      has_gpus ? host_of_gpu(gpus_.begin()->second->traits().model) : host_of_cpu(threads);
  const auto find = [&] {
    if (!settings_.machine.empty()) return machine_asked_for(settings_.machine, host);
    if (auto remembered = recall_machine(host)) return *remembered;
    // Nothing will run, too little does, or that is what is being measured.
    if (!are_unknown_hosts_measured() || settings_.on_paper || are_gpus_rehearsed() ||
        is_calibrating()) {
      return typical_machine(has_gpus, threads);
    }
    const Preparing preparing(Preparation::calibration);
    Settings measured;
    measured.backend = has_gpus ? Backend::cuda : Backend::cpu;
    if (has_gpus) measured.devices = {gpus_.begin()->first};
    measured.threads = threads;
    Calibration found = calibrate_host(measured, "", quick_calibration(measured.backend));
    found.machine.is_quick = true;
    const std::vector<int>& nodes = ranks.nodes();
    const auto processes = std::count(nodes.begin(), nodes.end(), nodes.front());
    const std::string load = disturbance_of(found, static_cast<int>(processes));
    if (load.empty()) {
      remember_machine(found.machine);
    } else {
      std::fprintf(
          stderr,
          "goban: the rates of this machine are not remembered (%s): the next run measures "
          "them again\n",
          load.c_str());
    }
    return found.machine;
  };
  machine_ = std::make_unique<MachineRates>(
      parse_machine(text_of_first(ranks, [&] { return machine_text(find()); }),
                    settings_.machine.empty() ? host : settings_.machine));
}

/// Simulations write the trace when they end; what ran without one is written here.
Runtime::~Runtime() {
  if (!timeline_ || !timeline_->has_news()) return;
  try {
    write_trace(trace_file_of_rank(settings_.trace, settings_.communicator->rank()), *timeline_);
  } catch (const Error& error) {
    std::fprintf(stderr, "goban: warning: %s\n", error.what());
  }
}

std::shared_ptr<Executor> Runtime::with_trace(std::shared_ptr<Executor> executor) const {
  return timeline_ ? make_tracing_executor(std::move(executor), *timeline_) : executor;
}

ThreadTeam& Runtime::team() { return *team_; }
int Runtime::threads() const { return team_->size(); }

/// A program that takes --help itself has ended before its fields get memory.
std::unique_ptr<FieldStore> Runtime::make_store(GridState& grid) {
  if (is_help_wanted_) {
    if (settings_.communicator->rank() == 0) std::fputs(options_text().c_str(), stdout);
    settings_.communicator = nullptr;  // nobody ends it once exit() is called
    std::exit(0);
  }
  if (settings_.on_paper) return std::make_unique<EmptyStore>();
  const auto executors = [this](int patches, Helpers helpers) {
    return make_executors(patches, helpers);
  };
  if (!has_values_) return std::make_unique<WithoutValues<Domain>>(grid, executors);
  return std::make_unique<Domain>(grid, executors);
}

std::vector<std::shared_ptr<Executor>> Runtime::make_executors(int patches, Helpers helpers) {
  const FlushedSubnormals of_threads(settings_.subnormals == Subnormals::flush);
  std::vector<int> devices = settings_.devices;
  if (helpers == Helpers::left_out) std::erase(devices, cpu_device);
  std::vector<std::shared_ptr<Executor>> executors;
  for (int p = 0; p < patches; ++p) {
    const auto place =
        static_cast<std::size_t>(p) * devices.size() / static_cast<std::size_t>(patches);
    const int device = devices.empty() ? p : devices[place];
    if (device == cpu_device) {
      if (!helper_) helper_ = with_trace(make_queued_executor(make_cpu()));
      executors.push_back(helper_);
    } else if (settings_.backend == Backend::emulated) {
      const auto& speeds = settings_.speeds;
      const double speed =
          speeds.empty() ? 0 : speeds[static_cast<std::size_t>(device) % speeds.size()];
      executors.push_back(with_trace(
          make_emulated_device(p, settings_.delay_seed, settings_.delay_microseconds, speed)));
    } else if (settings_.backend == Backend::cuda) {
      executors.push_back(gpus_.at(device));
    } else {
      executors.push_back(p == 0 ? with_trace(make_cpu()) : executors.front());
    }
  }
  return executors;
}

std::shared_ptr<Executor> Runtime::make_cpu() const {
  // What a sweep reads and writes again has to fit beside what it reads and writes now.
  const double caches = machine_->device.is_gpu ? 0 : machine_->device.cache_bytes();
  return caches > 0 ? std::make_shared<CpuExecutor>(team_, settings_.streaming_stores, caches)
                    : std::make_shared<CpuExecutor>(team_, settings_.streaming_stores);
}

std::string Runtime::description() const {
  if (!gpus_.empty()) {
    std::string names = gpus_.begin()->second->name();
    if (gpus_.size() > 1) names += " and " + std::to_string(gpus_.size() - 1) + " more";
    if (is_mixed(settings_)) names += " and the cpu, " + threads_text();
    return names;
  }
  return std::string(name_of(settings_.backend)) + ", " + threads_text();
}

std::string Runtime::threads_text() const {
  return std::to_string(team_->size()) + (team_->size() == 1 ? " thread" : " threads");
}

}  // namespace goban
