#pragma once
// The live page over HTTP.

#include "goban/simulation/live/live_server.hpp"

namespace goban {

std::unique_ptr<LiveServer> serve_over_http(const LiveAddress& address, LiveBoard& board);

/// The page, whole.
extern const char* const live_page;

}  // namespace goban
