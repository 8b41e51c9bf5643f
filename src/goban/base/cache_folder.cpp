#include "goban/base/cache_folder.hpp"

#include <cstdlib>

namespace goban {

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (folder.empty()) {
    folder = variable("HOME");
    if (folder.empty()) return {};
    folder /= ".cache";
  }
  return folder / "goban";
}

}  // namespace goban
