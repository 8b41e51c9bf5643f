#pragma once
// What ranks have to say, in lines.

#include <string>

#include "goban/base/communicator.hpp"

namespace goban {

/// Collective: of all ranks, in their order, the same on every rank.
std::string text_of_all(Communicator& communicator, const std::string& own);

}  // namespace goban
