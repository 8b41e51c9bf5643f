#pragma once
// Where the page of a run can be seen.

#include <string>

namespace goban {

/// A port of 127.0.0.1 or, where `socket` is not empty, a Unix socket at that path.
struct LiveAddress {
  int port = 0;  ///< 0: any that is free
  std::string socket = {};
};

/// "auto", a port, or the path of a socket, which has a slash: "./live.sock". Error (usage):
/// anything else.
LiveAddress live_address(const std::string& text);

}  // namespace goban
