#pragma once
// Threads of this process as ranks.

#include <limits>
#include <memory>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// How slow the way from one rank to another is made to be, for messages of outboxes.
struct LinkModel {
  double latency = 0;  ///< seconds
  double bytes_per_second = std::numeric_limits<double>::infinity();
};

/// One communicator for each of as many threads. With `link`, a message counts as arrived at
/// max(sent, link free) + latency + bytes / bytes_per_second.
///
/// A rank is gone when its communicator and the boxes it opened are: what others then wait for
/// with it throws Error (ExitCode::peer_lost). After abandon() every wait of the others does.
std::vector<std::shared_ptr<Communicator>> thread_communicators(int ranks,
                                                                const LinkModel& link = {});

}  // namespace goban
