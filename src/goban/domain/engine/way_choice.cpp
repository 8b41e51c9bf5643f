#include "goban/domain/engine/way_choice.hpp"

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

WayChoice::WayChoice(std::vector<Way> candidates, bool tries_overlap)
    : offered_(std::move(candidates)), tries_overlap_(tries_overlap), candidates_(offered_) {
  const auto first = std::find_if(candidates_.begin(), candidates_.end(),
                                  [](const Way& way) { return way.steps_per_pass == 1; });
  if (!tries_overlap || first == candidates_.end()) return;  // passes wait for all their halos
  Way way = *first;
  way.overlap = Overlap::one_kernel;
  const auto at = candidates_.insert(first + 1, way);
  overlapping_ = static_cast<std::size_t>(at - candidates_.begin());
}

const Way& WayChoice::current() const {
  return candidates_[is_open() && who() == 1 ? challenger_ : best_];
}

bool WayChoice::waits() const {
  constexpr double most_lost = 0.2, share_lost = 0.05;  // seconds; of all turns
  return turns_ % 2 == 1 && lost_ > most_lost + share_lost * spent_;
}

void WayChoice::refuse() {
  if (challenger_ != overlapping_) return close();
  ++challenger_;
  turns_ = 0;
}

void WayChoice::close() {
  challenger_ = candidates_.size();
  turns_ = 0;
}

Index WayChoice::cycles(Index at_once) const {
  constexpr double long_enough = 0.02;  // seconds
  constexpr Index first_replays = 10, most_replays = 60, most_steps = 32;
  if (!warm_[who()]) return std::max<Index>(1, first_replays * at_once);
  const double cycle = step_[0] * current().steps_per_cycle;
  const Index most = at_once > 0 ? most_replays * at_once
                                 : std::max<Index>(1, most_steps / current().steps_per_cycle);
  const Index cycles =
      std::clamp<Index>(static_cast<Index>(std::ceil(long_enough / cycle)), 1, most);
  return at_once > 0 ? (cycles + at_once - 1) / at_once * at_once : cycles;
}

void WayChoice::add(double seconds, Index steps) {
  const bool waited = waits();
  const std::size_t turn_of = who();
  step_[turn_of] = seconds / static_cast<double>(steps);
  spent_ += seconds;
  if (turn_of == 1) lost_ += std::max(0.0, seconds - step_[0] * static_cast<double>(steps));
  if (waited) return;
  ++turns_;
  if (!std::exchange(warm_[turn_of], true)) return;
  times_[turn_of].push_back(step_[turn_of]);
  if (turn_of == 1 && times_[1].size() >= least_rounds) decide();
}

void WayChoice::decide() {
  const auto& [best, challenger] = times_;
  const bool is_over = challenger.size() == most_rounds || is_clearly_faster(best, challenger) ||
                       is_clearly_faster(challenger, best);
  if (!is_over) return;
  const bool is_beaten = median(challenger) < median(best);
  if (is_beaten) best_ = challenger_;
  if (challenger_ == overlapping_) {
    for (std::size_t i = challenger_ + 1; i < candidates_.size(); ++i) {
      candidates_[i].overlap = candidates_[best_].overlap;
    }
    ++challenger_;
  } else {
    const double before = std::exchange(latest_, median(challenger));
    lost_in_a_row_ = is_beaten || latest_ < before ? 0 : lost_in_a_row_ + 1;
    challenger_ = lost_in_a_row_ == 2 ? candidates_.size() : challenger_ + 1;
  }
  turns_ = 0;
  warm_ = {};  // wider halos may have moved the best, too
  times_ = {};
}

}  // namespace goban
