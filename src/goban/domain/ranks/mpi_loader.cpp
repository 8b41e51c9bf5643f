#include "goban/domain/ranks/mpi_loader.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <string_view>
#include <thread>

#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"
#include "goban/domain/watch/watch.hpp"

namespace goban {
namespace {

int number_in(const char* text) { return text == nullptr ? 0 : std::atoi(text); }

std::string module_of(const std::string& mpi) { return "mpi-" + mpi; }

std::string packages_of(const std::string& mpi) {
  return mpi == "mpich" ? "libmpich-dev mpich" : "libopenmpi-dev openmpi-bin";
}

std::string what_to_install(const std::string& mpi) {
  return "install " + packages_of(mpi) + " and build goban again";
}

std::shared_ptr<Communicator> open(const std::filesystem::path& module, MpiRequest request) {
  request.board = &activity_board;
  auto* connect = reinterpret_cast<MpiModule*>(
      load_module(module, mpi_module_symbol, "build goban again with the MPI of this machine"));
  std::shared_ptr<Communicator> result;
  connect(&request, &result);
  return result;
}

std::string rank_count(int ranks) {
  return ranks == 0 ? "several ranks" : std::to_string(ranks) + " ranks";
}

constexpr std::chrono::seconds time_of_others{5};

std::atomic<bool> is_world_found = false, is_abandoned = false, has_left = false;

void tell_watch(int exit_code) noexcept {
  is_abandoned = true;
  if (const auto watch = Watch::current()) watch->tell_end(exit_code);
}

std::shared_ptr<Communicator> find_world() {
  const Launch launch = find_launch([](const char* name) { return std::getenv(name); });
  for (const std::string& mpi : launch.mpis) {
    const auto module = find_module(module_of(mpi));
    if (!module) continue;
    auto world = open(*module, {.abandoned = tell_watch});
    if (launch.ranks != 0 && world->size() != launch.ranks)
      throw Error(ExitCode::resources,
                  "the program was started as " + rank_count(launch.ranks) + " but " + mpi +
                      " knows " + std::to_string(world->size()),
                  "it was started by another MPI",
                  "start it with the mpirun of " + mpi + ", or name the MPI in GOBAN_MPI");
    return world;
  }
  if (launch.mpis.empty() || launch.ranks == 1) return self_communicator();
  throw Error(ExitCode::resources,
              "the program was started as " + rank_count(launch.ranks) + " which cannot meet",
              missing_module_text(module_of(launch.mpis[0])), what_to_install(launch.mpis[0]));
}

/// Values whose minima over all ranks tell how they end; see leave_world().
struct Leaving {
  std::array<std::int64_t, 5> least{};

  Leaving(int rank, int size, int code, const std::string& text) {
    const auto hash = static_cast<std::int64_t>(std::hash<std::string>{}(text) >> 2);
    const bool is_consequence = code == static_cast<int>(ExitCode::peer_lost);
    const std::int64_t turn = code == 0 ? 2 * size : rank + (is_consequence ? size : 0);
    least = {code, -code, hash, -hash, turn};
  }
  Parting parting(int rank, int size) const {
    if (least[0] == -least[1] && least[2] == -least[3]) return Parting::alike;
    return least[4] % size == rank ? Parting::first : Parting::later;
  }
};

/// The communicator of all ranks and their watch, for as long as anybody uses them.
struct Watched {
  explicit Watched(std::shared_ptr<Communicator> all)
      : ranks(std::move(all)), leaving(ranks->duplicate()), watch(Watch::start(*ranks)) {}
  ~Watched() {
    activity_board.activity = Activity::ending;
    watch.reset();
    leaving.reset();
    ranks.reset();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  std::shared_ptr<Communicator> ranks, leaving;
  std::shared_ptr<Watch> watch;
};

struct World {
  World() : communicator(find_world()) {
    if (communicator->size() > 1) {
      watched = std::make_shared<Watched>(std::move(communicator));
      communicator = {watched, watched->ranks.get()};
    }
    is_world_found = true;
  }
  /// Waits for the other ranks, but not after abandon(): MPICH calls exit() within MPI_Abort, and
  /// then nothing may be waited for or ended.
  ~World() {
    activity_board.activity = Activity::ending;
    if (!is_abandoned && !has_left && watched) {
      Leaving leaving(communicator->rank(), communicator->size(), 0, {});
      watched->leaving->minimum(leaving.least);
      if (watched->watch) watched->watch->overlook_losses();
      if (leaving.parting(0, 1) != Parting::alike) std::this_thread::sleep_for(time_of_others);
    }
    if (!is_abandoned) return;
    new std::shared_ptr<Communicator>(std::move(communicator));
    new std::shared_ptr<Watched>(std::move(watched));
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<Watched> watched;
};

const World& world() {
  static const World all;
  return all;
}

}  // namespace

Launch find_launch(const std::function<const char*(const char* name)>& environment) {
  const char* chosen = environment("GOBAN_MPI");
  const auto choose = [&](int ranks, std::vector<std::string> mpis) -> Launch {
    if (chosen != nullptr && std::string_view(chosen) == "none") return {};
    if (chosen != nullptr) mpis = {chosen};
    Launch launch{ranks, std::move(mpis)};
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
      if (launch.rank == 0) launch.rank = number_in(environment(name));
    return launch;
  };
  if (const char* size = environment("OMPI_COMM_WORLD_SIZE"))
    return choose(number_in(size), {"openmpi"});
  if (environment("PMI_RANK") != nullptr)
    return choose(number_in(environment("PMI_SIZE")), {"mpich", "openmpi"});
  const int tasks = number_in(environment("SLURM_STEP_NUM_TASKS"));
  if (environment("PMIX_RANK") != nullptr || tasks > 1) return choose(tasks, {"openmpi", "mpich"});
  return {};
}

std::shared_ptr<Communicator> world_communicator() { return world().communicator; }

Parting leave_world(int code, const std::string& text, std::chrono::milliseconds patience) {
  struct Meeting {
    Leaving leaving;
    std::promise<void> done;
  };
  const auto& watched = world().watched;
  const int rank = watched->ranks->rank(), size = watched->ranks->size();
  const auto meeting = std::make_shared<Meeting>(Meeting{{rank, size, code, text}, {}});
  auto done = meeting->done.get_future();
  has_left = true;
  std::thread([meeting, ranks = watched->leaving.get()] {
    try {
      ranks->minimum(meeting->leaving.least);
      meeting->done.set_value();
    } catch (const std::exception&) {  // a rank is gone: this one is left alone
    }
  }).detach();
  if (done.wait_for(patience) != std::future_status::ready) return Parting::alone;
  if (watched->watch) watched->watch->overlook_losses();
  return meeting->leaving.parting(rank, size);
}

bool has_world() { return is_world_found; }

std::shared_ptr<Communicator> open_mpi_communicator(const MpiRequest& request) {
  const std::string_view library = request.library;
  const std::string mpi = library.find("Open MPI") != library.npos ? "openmpi" : "mpich";
  const auto module = find_module(module_of(mpi));
  if (!module)
    throw Error(ExitCode::resources, "this program's MPI cannot be used",
                missing_module_text(module_of(mpi)), what_to_install(mpi));
  return open(*module, request);
}

}  // namespace goban
