#include "goban/checkpoint/nodes/lineage.hpp"

#include <algorithm>
#include <random>

#include "goban/checkpoint/hash.hpp"

namespace goban {

void Lineage::add(std::string id, Index from) {
  std::erase_if(lives_, [from](const Life& life) { return life.from >= from; });
  if (lives_.empty() && from >= 0) lives_.emplace_back();
  lives_.push_back({std::move(id), from});
}

bool Lineage::has(const std::string& id, Index step) const {
  if (lives_.empty()) return true;
  const auto life =
      std::find_if(lives_.begin(), lives_.end(), [&](const Life& one) { return one.id == id; });
  if (life == lives_.end()) return false;
  const auto next = life + 1;
  return next == lives_.end() || step <= next->from;
}

std::string Lineage::folder_of(const std::string& run) const {
  return lives_.empty() || lives_.front().id.empty() ? run : run + "-" + lives_.front().id;
}

std::string new_life_id() {
  std::random_device random;
  return hex_of(static_cast<std::uint64_t>(random()) << 32 | random());
}

}  // namespace goban
