#pragma once
// Tests that several ranks run together.

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "tests/thread_ranks/communicator.hpp"

namespace goban::test {

using RankFunction = std::function<void(const std::shared_ptr<Communicator>&)>;

/// Runs f on as many threads, each a rank, and rethrows what the first of them threw: rather what
/// ended a rank than that another had lost it. `nodes`: machines that they pretend to be on.
inline void run_ranks(int ranks, const RankFunction& f, const std::vector<int>& nodes = {}) {
  std::vector<std::exception_ptr> causes(ranks), consequences(ranks);
  std::vector<std::thread> threads;
  int rank = 0;
  for (auto& communicator : thread_communicators(ranks, nodes)) {
    threads.emplace_back([&f, &cause = causes[rank], &consequence = consequences[rank],
                          communicator = std::move(communicator)]() mutable {
      try {
        f(communicator);
      } catch (const Error& error) {
        const bool is_lost = error.code() == ExitCode::peer_lost;
        (is_lost ? consequence : cause) = std::current_exception();
        communicator->abandon(1);
      } catch (...) {
        cause = std::current_exception();
        communicator->abandon(1);
      }
      communicator.reset();
    });
    ++rank;
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& exceptions : {causes, consequences})
    for (const auto& exception : exceptions)
      if (exception) std::rethrow_exception(exception);
}

}  // namespace goban::test
