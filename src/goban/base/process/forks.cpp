#include "goban/base/process/forks.hpp"

#include <pthread.h>

#include "goban/base/error.hpp"

namespace goban {
namespace {

int count = 0;
[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++count; });

}  // namespace

int forks() { return count; }

void require_same_process(int forks_then) {
  require(forks() == forks_then, "this process was forked from one that computes with GPUs",
          "neither these nor the threads beside them come along",
          "fork before the first Runtime, or start processes by \"spawn\"");
}

}  // namespace goban
