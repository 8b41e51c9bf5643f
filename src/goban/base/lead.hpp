#pragma once
// Work of the first rank in which the others have their part.

#include <cstdint>
#include <functional>

#include "goban/base/communicator.hpp"

namespace goban {

using Announce = std::function<void(std::int64_t what)>;

/// Collective. The first rank does `lead`; before each collective call in it, it announces which,
/// and the others do `follow`, which makes that call with them. What any rank throws is thrown on
/// all, as an Error.
void lead_ranks(Communicator& communicator, const std::function<void(const Announce&)>& lead,
                const std::function<void(std::int64_t what)>& follow);

}  // namespace goban
