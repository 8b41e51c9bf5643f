#include "goban/simulation/options.hpp"

#include "goban/base/error.hpp"

namespace goban {

Restart restart_named(const std::string& word) {
  if (word == "newest") return restart_newest();
  const bool is_step = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  require(is_step && word.size() < 19, "a restart from '" + word + "' is refused",
          "checkpoints are named by their step", "write newest or a step");
  return restart_at(std::stoll(word));
}

}  // namespace goban
