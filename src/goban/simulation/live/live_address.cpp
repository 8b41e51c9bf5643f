#include "goban/simulation/live/live_address.hpp"

#include <sys/un.h>

#include <charconv>
#include <system_error>

#include "goban/base/error.hpp"

namespace goban {

LiveAddress live_address(const std::string& text) {
  if (text == "auto") return {};
  const std::string refusal = "a live page at '" + text + "' is refused";
  const char* const advice = "write auto, a port from 1 to 65535, or ./live.sock";
  if (text.find('/') != std::string::npos) {
    constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
    require(text.size() <= longest, refusal,
            "the path of a socket has at most " + std::to_string(longest) + " characters",
            "name a shorter one");
    return {.socket = text};
  }
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  require(is_number && port >= 1 && port <= 65535, refusal,
          is_number ? "there is no such port" : "it is neither a port nor a path", advice);
  return {.port = port};
}

}  // namespace goban
