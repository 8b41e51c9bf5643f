#include "goban/domain/way_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace goban {
namespace {

constexpr std::size_t most_rounds = 5, least_rounds = 2;
constexpr double clear = 0.05;  ///< by so much all times of one are shorter than all of the other

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_clearly_faster(const std::vector<double>& a, const std::vector<double>& b) {
  return *std::max_element(a.begin(), a.end()) * (1 + clear) <
         *std::min_element(b.begin(), b.end());
}

}  // namespace

WayChoice::WayChoice(std::vector<Way> candidates) : candidates_(std::move(candidates)) {}

const Way& WayChoice::current() const {
  return candidates_[is_open() && turns_ % 2 == 1 ? challenger_ : best_];
}

void WayChoice::refuse() {
  challenger_ = candidates_.size();
  turns_ = 0;
}

Index WayChoice::cycles(Index at_once) const {
  constexpr double long_enough = 0.02;  // seconds
  constexpr Index first_replays = 10, most_replays = 60, most_steps = 32;
  const bool is_warm = warm_[static_cast<std::size_t>(turns_ % 2)];
  if (!is_warm) return std::max<Index>(1, first_replays * at_once);
  const double cycle = step_ * current().steps_per_cycle;
  const Index most = at_once > 0 ? most_replays * at_once
                                 : std::max<Index>(1, most_steps / current().steps_per_cycle);
  const Index cycles =
      std::clamp<Index>(static_cast<Index>(std::ceil(long_enough / cycle)), 1, most);
  return at_once > 0 ? (cycles + at_once - 1) / at_once * at_once : cycles;
}

void WayChoice::add(double seconds_per_step) {
  const auto who = static_cast<std::size_t>(turns_ % 2);
  step_ = seconds_per_step;
  ++turns_;
  if (!std::exchange(warm_[who], true)) return;
  times_[who].push_back(seconds_per_step);
  if (who == 1 && times_[1].size() >= least_rounds) decide();
}

void WayChoice::decide() {
  const auto& [best, challenger] = times_;
  const bool is_over = challenger.size() == most_rounds || is_clearly_faster(best, challenger) ||
                       is_clearly_faster(challenger, best);
  if (!is_over) return;
  const bool is_beaten = median(challenger) < median(best);
  if (is_beaten) best_ = challenger_;
  const double before = std::exchange(latest_, median(challenger));
  lost_in_a_row_ = is_beaten || latest_ < before ? 0 : lost_in_a_row_ + 1;
  challenger_ = lost_in_a_row_ == 2 ? candidates_.size() : challenger_ + 1;
  turns_ = 0;
  warm_ = {};  // wider halos may have moved the best, too
  times_ = {};
}

}  // namespace goban
