#pragma once
// Threads of this process as ranks.

#include <memory>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// One communicator for each of as many threads. `nodes`: machines that they pretend to be on;
/// empty: one.
///
/// A rank is gone when its communicator and the boxes it opened are: what others then wait for
/// with it throws Error (ExitCode::peer_lost). After abandon() every wait of the others does.
std::vector<std::shared_ptr<Communicator>> thread_communicators(int ranks,
                                                                std::vector<int> nodes = {});

}  // namespace goban
