#pragma once
// The page of a board: one HTML file, server-sent events down, POST up.

#include <memory>
#include <string>

#include "goban/simulation/live/live_address.hpp"
#include "goban/simulation/live/live_board.hpp"

namespace goban {

/// Threads that serve the page until this is destroyed: then the board is closed, and whoever still
/// reads has a few seconds to read its end. They hear no signals. Every request must know a token
/// of 128 random bits and come, as its headers Host and Origin say, from a page of this machine.
class LiveServer {
 public:
  virtual ~LiveServer() = default;
  /// What a browser opens, with the token: "http://127.0.0.1:8765/?token=...".
  virtual std::string url() const = 0;
};

/// Error (usage): the address is taken or not allowed; (resources): goban was built without
/// cpp-httplib, or the module that has it is not there.
std::unique_ptr<LiveServer> serve_live(const LiveAddress& address, LiveBoard& board);

/// What the module holds (base/modules.hpp).
struct LiveModule {
  const char* interface;
  std::unique_ptr<LiveServer> (*serve)(const LiveAddress& address, LiveBoard& board);
};

}  // namespace goban
