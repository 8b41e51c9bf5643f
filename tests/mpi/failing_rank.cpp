// Ranks that compute and meet, of which one fails in the way that is asked for; used by
// failing_ranks_test.py.
//   failing_rank <how> [rank]

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "goban/base/activity.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/ranks/failure.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/domain/watch/watch.hpp"
#include "goban/runtime/runtime.hpp"

namespace {

using namespace std::chrono_literals;

void sleep(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

void use_up_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::size_t{4} << 30;
  setrlimit(RLIMIT_AS, &limit);
  std::vector<std::unique_ptr<char[]>> all;
  for (;;) all.emplace_back(new char[std::size_t{1} << 28]);
}

void fail(const std::string& how) {
  const goban::Error error(goban::ExitCode::files, "the disk is full", "it is a test");
  if (how == "kill" || how == "interrupted") raise(SIGKILL);
  if (how == "stop") raise(SIGSTOP);
  if (how == "crash") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "exit") std::exit(0);
  if (how == "quick_exit") _exit(0);
  if (how == "memory") use_up_memory();
  if (how == "error" || how == "all" || how == "uncaught") throw error;
  if (how == "exception") throw std::runtime_error("a surprise");
  if (how == "abandon") {
    std::fprintf(stderr, "goban: error: rank 2 says it itself\n");
    goban::world_communicator()->abandon(5);
  }
  for (volatile int forever = 1; how == "loop" && forever != 0;) {
  }
}

void run(goban::Communicator& ranks, const std::string& how, int failing) {
  const bool is_failing = ranks.rank() == failing || how == "all";
  const int rank = ranks.rank(), size = ranks.size();
  if (how == "interrupted") goban::Watch::note_stopped();
  const auto outbox = ranks.open_outbox((rank + 1) % size, 0, 8);
  const auto inbox = ranks.open_inbox((rank + size - 1) % size, 0, 8);
  for (int step = 0; step < 50; ++step) {
    const goban::Doing doing(goban::Activity::sweep);
    sleep(5ms);
    if (step == 20 && is_failing) fail(how);
    goban::note_progress();
    if (step % 2 == 0) {
      ranks.barrier();
    } else {
      outbox->next();
      outbox->send(8);
      inbox->next();
      inbox->release();
    }
    if (step == 30 && is_failing && how == "output") {
      const goban::Doing output(goban::Activity::output);
      sleep(6s);
    }
  }
}

void print(const std::string& line) { std::fprintf(stderr, "goban: error: %s\n", line.c_str()); }

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int failing = argc > 2 ? std::atoi(argv[2]) : 2;
  if (how == "uncaught") {
    const goban::Runtime runtime(argc, argv);
    run(*goban::world_communicator(), how, failing);
  }
  try {
    if (how == "early" && failing < 0) throw goban::Error(goban::ExitCode::usage, "too early");
    run(*goban::world_communicator(), how, failing);
    return 0;
  } catch (const goban::Error& error) {
    return goban::report_failure(error, print);
  } catch (const std::bad_alloc&) {
    return goban::report_failure({goban::ExitCode::resources, "out of memory"}, print);
  } catch (const std::exception& error) {
    return goban::report_failure({goban::ExitCode{1}, error.what()}, print);
  }
}
