#pragma once
// Slows messages down, to study ranks that are far apart.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/base/link_model.hpp"

namespace goban {

/// Returns a communicator of the same ranks whose mailboxes are as slow as `link`. Each rank has a
/// link to each other rank. Between machines, whose clocks differ, a message counts as sent when it
/// is first waited for. For experiments. All ranks must call it with the same link.
std::shared_ptr<Communicator> with_slow_links(std::shared_ptr<Communicator> ranks,
                                              const LinkModel& link);

}  // namespace goban
