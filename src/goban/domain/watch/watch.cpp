#include "goban/domain/watch/watch.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>

#include "goban/domain/watch/thread.hpp"

namespace goban {
namespace {

std::mutex current_mutex;
std::weak_ptr<Watch> current_watch;

/// Rank 0's, on all.
WatchOptions agree_on_options(Communicator& world) {
  std::array<char, 64> text{};
  const char* value = std::getenv("GOBAN_WATCH");
  if (value != nullptr) std::snprintf(text.data(), text.size(), "%s", value);
  world.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return watch_options(text.data());
}

}  // namespace

WatchOptions watch_options(const char* text) {
  const std::string all = text;
  WatchOptions options;
  if (all.empty()) return options;
  if (all == "off") {
    options.is_on = false;
    return options;
  }
  char* end = nullptr;
  options.silence = options.patience = std::strtod(all.c_str(), &end);
  if (*end == ',') options.patience = std::strtod(end + 1, &end);
  require(*end == '\0' && options.silence >= 0.1 && options.patience >= 0.1,
          "GOBAN_WATCH=" + all + " is refused", "off, SECONDS or SECONDS,SECONDS is expected",
          "the first without a sign of life, the second of a sweep without progress");
  return options;
}

std::shared_ptr<Watch> Watch::start(Communicator& world) {
  const WatchOptions options = agree_on_options(world);
  if (!options.is_on || world.size() == 1) return nullptr;
  WatchTree tree;
  const std::string problem = connect(world, tree);
  if (!problem.empty()) {
    if (world.rank() == 0)
      std::fprintf(stderr,
                   "goban: warning: ranks do not watch each other (%s) one that dies or hangs is "
                   "left to MPI; GOBAN_WATCH=off silences this\n",
                   problem.c_str());
    return nullptr;
  }
  std::shared_ptr<Watch> watch(
      new Watch(std::make_unique<Thread>(std::move(tree), options, world)));
  const std::lock_guard lock(current_mutex);
  current_watch = watch;
  return watch;
}

std::shared_ptr<Watch> Watch::current() {
  const std::lock_guard lock(current_mutex);
  return current_watch.lock();
}

Watch::Watch(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
Watch::~Watch() = default;

int Watch::rank() const { return thread_->rank(); }
void Watch::forget_world() { thread_->forget_world(); }
void Watch::wait_for_exit() { thread_->wait_for_exit(); }

void Watch::abandon(int exit_code) noexcept {
  try {
    thread_->abandon(exit_code);
  } catch (const std::exception&) {  // MPI ends the others
  }
}

Watch::Answer Watch::fail(int exit_code, const std::string& text) {
  return thread_->fail(exit_code, text);
}

void Watch::end_after_speaking(int exit_code) {
  thread_->note_spoken();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  _exit(exit_code);
}

}  // namespace goban
