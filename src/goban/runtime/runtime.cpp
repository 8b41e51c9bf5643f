#include "goban/runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include "goban/backend/cpu/executor.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/backend/cuda/launch_choice.hpp"
#include "goban/backend/emulated/executor.hpp"
#include "goban/backend/host/queued_executor.hpp"
#include "goban/backend/timeline.hpp"
#include "goban/backend/tracing/executor.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/domain.hpp"
#include "goban/domain/transport/failure.hpp"
#include "goban/domain/transport/mpi_loader.hpp"
#include "goban/domain/transport/slow_links.hpp"
#include "goban/io/trace_file.hpp"

namespace goban {
namespace {

constexpr ExitCode internal_error{1};

constexpr const char* option_names[] = {"threads",
                                        "backend",
                                        "devices",
                                        "patches",
                                        "cuts",
                                        "transport",
                                        "link",
                                        "halo-precision",
                                        "overlap",
                                        "seed",
                                        "delay",
                                        "steps-per-exchange",
                                        "temporal-blocking",
                                        "recompute",
                                        "launches",
                                        "delay-seed",
                                        "speeds",
                                        "balance",
                                        "trace"};

Index number(const std::string& option, const std::string& text, Index least) {
  std::size_t used = 0;
  Index value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  require(used == text.size() && !text.empty() && value >= least,
          "--goban-" + option + "=" + text + " is refused",
          "a whole number of at least " + std::to_string(least) + " is expected");
  return value;
}

std::string environment_name(const std::string& option) {
  std::string name = "GOBAN_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

Settings from_environment() {
  Settings settings;
  for (const char* option : option_names) {
    if (const char* value = std::getenv(environment_name(option).c_str())) {
      set_option(settings, option, value);
    }
  }
  return settings;
}

void print_error(const std::string& line) { std::fprintf(stderr, "error: %s\n", line.c_str()); }

/// An Error that nobody catches is one line and its exit code, not an abort; other exceptions are
/// such a line and an abort.
[[noreturn]] void report_and_exit() {
  if (const auto current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const Error& error) {
      std::_Exit(report_failure(error, print_error));
    } catch (const std::bad_alloc&) {
      std::_Exit(report_failure(Error(ExitCode::resources, "out of memory", "an allocation failed",
                                      "use a smaller grid or fewer fields"),
                                print_error));
    } catch (const std::exception& error) {
      report_failure(Error(internal_error, error.what()), print_error);
    } catch (...) {
      report_failure(Error(internal_error, "an exception of a type unknown"), print_error);
    }
  }
  std::abort();
}

Settings from_command_line(int& argc, char** argv) {
  Settings settings = from_environment();
  const std::string prefix = "--goban-";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.rfind(prefix, 0) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    word = word.substr(prefix.size());
    if (word == "help") {
      std::printf("options of every goban program:\n");
      for (const char* option : option_names) std::printf("  --goban-%s VALUE\n", option);
      std::exit(0);
    }
    std::string value;
    if (const auto equals = word.find('='); equals != std::string::npos) {
      value = word.substr(equals + 1);
      word = word.substr(0, equals);
    } else {
      require(i + 1 < argc, "--goban-" + word + " has no value");
      value = argv[++i];
    }
    set_option(settings, word, value);
  }
  if (argc > 0) {
    argc = kept;
    argv[argc] = nullptr;
  }
  return settings;
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

#if GOBAN_HAVE_CUDA
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
#endif

/// Slow links and rounded halos: nothing but the host can wait and round.
void send_by_host_if_needed(Settings& settings) {
  const bool is_slow = settings.link.is_slow();
  if (!is_slow && settings.halo_precision == HaloPrecision::full) return;
  require(settings.transport == Transport::automatic || settings.transport == Transport::host,
          std::string("the transport ") + name_of(settings.transport) + " is refused",
          is_slow ? "messages between GPUs cannot be made slow"
                  : "messages between GPUs are not rounded",
          "use the transport host or auto");
  settings.transport = Transport::host;
  if (is_slow) settings.communicator = with_slow_links(settings.communicator, settings.link);
}

}  // namespace

void set_option(Settings& settings, const std::string& name, const std::string& value) {
  auto refuse = [&](const std::string& expected) {
    throw Error(ExitCode::usage, "--goban-" + name + "=" + value + " is refused",
                expected + " is expected");
  };
  if (name == "threads") {
    settings.threads = static_cast<int>(number(name, value, 0));
  } else if (name == "backend") {
    bool found = false;
    for (Backend b : {Backend::cpu, Backend::scalar, Backend::reference, Backend::emulated}) {
      if (value == name_of(b)) {
        settings.backend = b;
        found = true;
      }
    }
    if (!found) refuse("cpu, scalar, reference or emulated");
  } else if (name == "devices") {
    choose_devices(settings, value);
  } else if (name == "patches") {
    std::istringstream text(value);
    std::string piece;
    Index3 patches{1, 1, 1};
    std::size_t axis = 0;
    while (std::getline(text, piece, ',')) {
      if (axis == 3) refuse("X,Y,Z");
      patches[axis++] = number(name, piece, 1);
    }
    settings.patches = patches;
  } else if (name == "cuts") {
    std::istringstream text(value);
    std::string axis;
    for (std::size_t a = 0; a < 3 && std::getline(text, axis, ';'); ++a) settings.cuts[a] = axis;
  } else if (name == "transport") {
    settings.transport = transport_named(value);
  } else if (name == "link") {
    settings.link = link_named(value);
  } else if (name == "halo-precision") {
    settings.halo_precision = halo_precision_named(value);
  } else if (name == "overlap") {
    bool found = false;
    for (Overlap o :
         {Overlap::automatic, Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      if (value == name_of(o)) {
        settings.overlap = o;
        found = true;
      }
    }
    if (!found) refuse("auto, none, one-kernel or two-kernel");
  } else if (name == "seed") {
    settings.seed = static_cast<std::uint64_t>(number(name, value, 0));
  } else if (name == "delay-seed") {
    settings.delay_seed = static_cast<std::uint64_t>(number(name, value, 0));
  } else if (name == "delay") {
    settings.delay_microseconds = static_cast<int>(number(name, value, 0));
  } else if (name == "speeds") {
    std::istringstream text(value);
    settings.speeds.clear();
    for (double speed = 0; text >> speed; text.ignore(1)) {
      if (speed <= 0 || (!text.eof() && text.peek() != ',')) refuse("positive numbers, 1,3,10,");
      settings.speeds.push_back(speed);
    }
    if (settings.speeds.empty() || !text.eof()) refuse("positive numbers, 1,3,10,");
  } else if (name == "balance") {
    bool found = false;
    for (Balance b : {Balance::off, Balance::keep, Balance::choose}) {
      if (value == name_of(b)) {
        settings.balance = b;
        found = true;
      }
    }
    if (!found) refuse("off, keep or choose");
  } else if (name == "steps-per-exchange") {
    settings.steps_per_exchange = static_cast<int>(number(name, value, 0));
  } else if (name == "temporal-blocking") {
    settings.temporal_blocking = value == "auto"  ? -1
                                 : value == "off" ? 0
                                                  : static_cast<int>(number(name, value, 0));
  } else if (name == "launches") {
    settings.launches = value;
  } else if (name == "recompute") {
    if (value != "on" && value != "off") refuse("on or off");
    settings.recompute = value == "on";
  } else if (name == "trace") {
    settings.trace = value;
  } else {
    throw Error(ExitCode::usage, "unknown option --goban-" + name, "", "see --goban-help");
  }
}

Runtime::Runtime(int& argc, char** argv)
    : Runtime([&] {
        std::set_terminate(report_and_exit);
        return from_command_line(argc, argv);
      }()) {}

Runtime::Runtime(const Settings& settings) : settings_(settings) {
  if (!settings_.communicator) settings_.communicator = world_communicator();
  send_by_host_if_needed(settings_);
  Communicator& ranks = *settings_.communicator;
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
  const bool is_pinned =
      sharing == 1 && settings_.backend != Backend::emulated && !is_mixed(settings_);
  // Where the CPU waits for GPUs within every step, threads that sleep would wake up late.
  const auto between_runs =
      is_mixed(settings_) && sharing == 1 ? std::chrono::microseconds(5000) : Backoff::usual;
  team_ = std::make_shared<ThreadTeam>(settings_.threads, is_pinned, 0, between_runs);
  if (settings_.backend != Backend::cuda) return;
#if GOBAN_HAVE_CUDA
  std::vector<int> all;
  for (const auto& device : cuda::devices()) all.push_back(device.number);
  if (all.empty()) all = {0};  // refused below, with the reason
  const std::vector<int> gpus = gpus_of_rank(gpus_named(settings_.devices, all), ranks);
  settings_.devices = with_gpus(settings_.devices, gpus);
  const auto executors = cuda::make_executors(
      gpus,
      [team = team_](Index n, const std::function<void(Index, Index)>& work) {
        team->run_split(n, [&](Index begin, Index end, int) { work(begin, end); });
      },
      settings_.launches);
  for (std::size_t n = 0; n < gpus.size(); ++n) gpus_[gpus[n]] = with_trace(executors[n]);
#else
  throw Error(ExitCode::resources, "cannot compute on cuda", "this program is built without CUDA",
              "install the CUDA toolkit and build anew, or use --devices cpu");
#endif
}

/// Simulations write the trace when they end; what ran without one is written here.
Runtime::~Runtime() {
  if (!timeline_ || !timeline_->has_news()) return;
  try {
    write_trace(trace_file_of_rank(settings_.trace, settings_.communicator->rank()), *timeline_);
  } catch (const Error& error) {
    std::fprintf(stderr, "warning: %s\n", error.what());
  }
}

std::shared_ptr<Executor> Runtime::with_trace(std::shared_ptr<Executor> executor) const {
  return timeline_ ? make_tracing_executor(std::move(executor), *timeline_) : executor;
}

ThreadTeam& Runtime::team() { return *team_; }
int Runtime::threads() const { return team_->size(); }

std::unique_ptr<FieldStore> Runtime::make_store(GridState& grid) {
  return std::make_unique<Domain>(
      grid, [this](int patches, Helpers helpers) { return make_executors(patches, helpers); });
}

std::vector<std::shared_ptr<Executor>> Runtime::make_executors(int patches, Helpers helpers) {
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
  const bool scalar =
      settings_.backend == Backend::scalar || settings_.backend == Backend::reference;
  return std::make_shared<CpuExecutor>(team_, CpuOptions{scalar, settings_.streaming_stores});
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
