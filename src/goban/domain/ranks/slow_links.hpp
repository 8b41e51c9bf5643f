#pragma once
// Ranks that are made to be far apart.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/base/link_model.hpp"

namespace goban {

/// The same ranks with messages of boxes as slow as `link`; each rank has a link to each other one.
/// Between machines, whose clocks differ, a message counts as sent when it is first waited for.
/// For experiments. All ranks must ask for it alike.
std::shared_ptr<Communicator> with_slow_links(std::shared_ptr<Communicator> ranks,
                                              const LinkModel& link);

}  // namespace goban
