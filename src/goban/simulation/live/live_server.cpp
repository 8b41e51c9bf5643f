#include "goban/simulation/live/live_server.hpp"

#include <algorithm>

#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"

namespace goban {

std::unique_ptr<LiveServer> serve_live(const LiveAddress& address, LiveBoard& board) {
  const auto& features = build_info().features;
  if (std::find(features.begin(), features.end(), "live") == features.end()) {
    throw Error(ExitCode::resources, "there is no live page",
                "this goban is built without cpp-httplib",
                "install libcpp-httplib-dev and build again");
  }
  static const void* const module =
      load_own_module("the live page", "live", "goban_live", "goban_live_module");
  return static_cast<const LiveModule*>(module)->serve(address, board);
}

}  // namespace goban
