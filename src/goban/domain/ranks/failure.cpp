#include "goban/domain/ranks/failure.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "goban/domain/ranks/mpi_loader.hpp"

namespace goban {
namespace {

using Print = std::function<void(const std::string& line)>;

constexpr std::chrono::milliseconds time_to_meet{10'000}, time_to_fail{1500}, time_of_rank_0{100},
    turn{100};

void print_lines(const std::string& text, const Print& print) {
  for (std::size_t start = 0; start <= text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    print(text.substr(start, end - start));
    start = end + 1;
  }
}

std::string name_of_rank(int rank) {
  std::array<char, 64> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"?"};
  return "rank " + std::to_string(rank) + " (" + host.data() + "): ";
}

/// Returns whether the program itself has started MPI.
bool has_mpi_begun() {
  using Ask = int(int*);
  const auto ask = reinterpret_cast<Ask*>(dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  int begun = 0;
  return ask != nullptr && ask(&begun) == 0 && begun != 0;
}

/// Returns the communicator of all ranks, and lets ranks meet that have not done so yet; the others
/// will come to it, too, or fail as this one does. Returns null if that is impossible. Ends the
/// process if it takes too long.
std::shared_ptr<Communicator> meet(int exit_code, const std::function<void()>& print) {
  if (has_world()) return world_communicator();
  if (has_mpi_begun()) return nullptr;
  const auto have_met = std::make_shared<std::atomic<bool>>(false);
  std::thread([=] {
    std::this_thread::sleep_for(time_to_meet);
    if (have_met->exchange(true)) return;
    print();
    _exit(exit_code);
  }).detach();
  std::shared_ptr<Communicator> world;
  try {
    world = world_communicator();
  } catch (const std::exception&) {  // which may be what is to be reported
  }
  if (have_met->exchange(true)) std::this_thread::sleep_for(time_to_meet);
  return world;
}

}  // namespace

int report_failure(const Error& error, const Print& print) {
  const int code = static_cast<int>(error.code());
  const std::string text = error.what();
  const Launch launch = find_launch([](const char* name) { return std::getenv(name); });
  const auto print_named = [&print, text](int rank) {
    print_lines(name_of_rank(rank) + text, print);
  };
  std::shared_ptr<Communicator> world;
  if (!launch.mpis.empty() && launch.ranks != 1)
    world = meet(code, [=] { print_named(launch.rank); });
  const bool is_alone = world ? world->size() == 1 : launch.mpis.empty() || launch.ranks == 1;
  if (is_alone) {
    print_lines(text, print);
    return code;
  }
  const int rank = world ? world->rank() : launch.rank;
  const Parting parting = world ? leave_world(code, text, time_to_fail) : Parting::alone;
  if (parting == Parting::alike && rank == 0) print_lines(text, print);
  if (parting == Parting::alike) {
    if (rank > 0) std::this_thread::sleep_for(time_of_rank_0);
    return code;
  }
  // Who speaks ends the others, which are in their turn if that fails.
  if (parting != Parting::first) {
    const bool is_late =
        parting == Parting::later || error.code() == ExitCode::peer_lost || (!world && rank > 0);
    std::this_thread::sleep_for(std::min(rank, 20) * turn + (is_late ? time_to_fail : turn));
  }
  print_named(rank);
  if (world) world->abandon(code);
  return code;
}

}  // namespace goban
