#include "goban/backend/cpu/tile_choice.hpp"

#include <algorithm>

#include "goban/base/quantity_text.hpp"

namespace goban::cpu {

TileChoice::TileChoice(Index rule, Index most) : candidates_{{std::min(rule, most)}} {
  constexpr int turns_of_each = 5;
  constexpr Index fewest = 4;
  if (rule >= most) return;
  candidates_.push_back({std::min(2 * rule, most)});
  if (rule / 2 >= fewest) candidates_.push_back({rule / 2});
  turns_left_ = turns_of_each * static_cast<int>(candidates_.size());
}

void TileChoice::add(double seconds) {
  if (!is_open()) return;
  constexpr double gain = 0.02;
  Candidate& one = candidates_[next_];
  one.seconds = one.seconds > 0 ? std::min(one.seconds, seconds) : seconds;
  next_ = (next_ + 1) % candidates_.size();
  if (--turns_left_ > 0) return;
  for (std::size_t n = 1; n < candidates_.size(); ++n) {
    const double to_beat = candidates_[best_].seconds * (best_ == 0 ? 1 - gain : 1);
    if (candidates_[n].seconds < to_beat) best_ = n;
  }
}

std::string TileChoice::describe() const {
  std::string text = std::to_string(candidates_[best_].rows) + " rows a tile", tried;
  for (const Candidate& one : candidates_) {
    if (one.seconds == 0) continue;
    tried += (tried.empty() ? "" : ", ") + std::to_string(one.rows) + ": " +
             quantity_text(one.seconds, "s", 3);
  }
  return tried.empty() ? text : text + " (" + tried + ")";
}

}  // namespace goban::cpu
