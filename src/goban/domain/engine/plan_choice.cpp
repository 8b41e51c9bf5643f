#include "goban/domain/engine/plan_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace goban {
namespace {

constexpr std::size_t most_rounds = 5, least_rounds = 2;
/// One plan is clearly faster if all its times are shorter than all of the other by this share.
constexpr double clear = 0.05;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the first plan of single sweeps.
std::vector<StepPlan>::iterator first_sweeps(std::vector<StepPlan>& plans) {
  return std::find_if(plans.begin(), plans.end(),
                      [](const StepPlan& plan) { return plan.steps_per_pass == 1; });
}

bool is_clearly_faster(const std::vector<double>& a, const std::vector<double>& b) {
  return *std::max_element(a.begin(), a.end()) * (1 + clear) <
         *std::min_element(b.begin(), b.end());
}

/// Returns whether a plan is predicted to be faster with halos that travel while sweeps go on.
bool prefers_overlap(const PlanForecast& one, bool tries_overlap) {
  return tries_overlap && one.plan.steps_per_pass == 1 && one.overlapping < one.seconds;
}

bool is_unknown(const PlanForecast& one, bool tries_overlap) {
  return one.seconds <= 0 ||
         (tries_overlap && one.plan.steps_per_pass == 1 && one.overlapping <= 0);
}

}  // namespace

NearPlans near_plans(const PlanOffer& offer, double margin) {
  std::vector<PlanTime> best;  // of each, with or without overlap
  bool is_any_unknown = false;
  for (const PlanForecast& one : offer.plans) {
    const bool overlaps = prefers_overlap(one, offer.tries_overlap);
    best.push_back({one.plan, overlaps ? one.overlapping : one.seconds});
    if (overlaps) best.back().plan.overlap = Overlap::one_kernel;
    is_any_unknown = is_any_unknown || is_unknown(one, offer.tries_overlap);
  }
  NearPlans near{{}, offer.tries_overlap, {}, {}};
  if (is_any_unknown) {
    for (const PlanForecast& one : offer.plans) near.tried.push_back(one.plan);
    return near;
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const PlanTime& a, const PlanTime& b) { return a.seconds < b.seconds; });
  const double most = (1 + margin) * best.front().seconds;
  for (const PlanTime& one : best) {
    if (one.seconds > most) {
      near.dropped.push_back(one);
    } else {
      near.tried.push_back(one.plan);
      near.expected.push_back(one);
    }
  }
  // Overlap is tried with the first sweeps, if they are near both with it and without.
  const auto first = first_sweeps(near.tried);
  near.tries_overlap = near.tries_overlap && first != near.tried.end() &&
                       std::any_of(offer.plans.begin(), offer.plans.end(), [&](const auto& one) {
                         return one.plan.steps_per_exchange == first->steps_per_exchange &&
                                one.plan.steps_per_pass == 1 &&
                                std::max(one.seconds, one.overlapping) <= most;
                       });
  return near;
}

PlanChoice::PlanChoice(std::vector<StepPlan> candidates, bool tries_overlap, Trials trials)
    : trials_(trials), candidates_(std::move(candidates)) {
  const auto first = first_sweeps(candidates_);
  if (!tries_overlap || first == candidates_.end()) return;  // passes wait for all their halos
  StepPlan plan = *first;
  plan.overlap = plan.overlap == Overlap::none ? Overlap::one_kernel : Overlap::none;
  candidates_.insert(first + 1, plan);
  other_overlap_ = plan;
}

const StepPlan& PlanChoice::current() const {
  return candidates_[is_open() && who() == 1 ? challenger_ : best_];
}

bool PlanChoice::waits() const {
  constexpr double most_lost = 0.2, share_lost = 0.05;  // seconds; of all turns
  return trials_ == Trials::of_run && turns_ % 2 == 1 && lost_ > most_lost + share_lost * spent_;
}

void PlanChoice::refuse() {
  turns_ = 0;
  const StepPlan refused = candidates_[challenger_];
  if (refused == other_overlap_) {
    ++challenger_;
    return;
  }
  const auto untried = candidates_.begin() + static_cast<std::ptrdiff_t>(challenger_);
  const auto is_as_long = [&](const StepPlan& plan) {
    return plan.steps_per_exchange >= refused.steps_per_exchange;
  };
  candidates_.erase(std::remove_if(untried, candidates_.end(), is_as_long), candidates_.end());
}

void PlanChoice::close(Index steps) {
  StepPlan& best = candidates_[best_];
  if (best.steps_per_pass == 1 && best.steps_per_exchange > steps) best.steps_per_exchange = 1;
  challenger_ = candidates_.size();
  turns_ = 0;
}

Index PlanChoice::cycles(Index at_once) const {
  constexpr double long_enough = 0.02;  // seconds
  constexpr Index first_replays = 10, most_replays = 60, most_steps = 32;
  if (!warm_[who()]) return std::max<Index>(1, first_replays * at_once);
  const double cycle = step_[0] * current().steps_per_exchange;
  const Index most = at_once > 0 ? most_replays * at_once
                                 : std::max<Index>(1, most_steps / current().steps_per_exchange);
  const Index cycles =
      std::clamp<Index>(static_cast<Index>(std::ceil(long_enough / cycle)), 1, most);
  return at_once > 0 ? (cycles + at_once - 1) / at_once * at_once : cycles;
}

void PlanChoice::add(double seconds, Index steps) {
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

void PlanChoice::decide() {
  const auto& [best, challenger] = times_;
  const bool is_decided = challenger.size() == most_rounds || is_clearly_faster(best, challenger) ||
                          is_clearly_faster(challenger, best);
  if (!is_decided) return;
  const bool is_beaten = median(challenger) < median(best);
  note(candidates_[best_], median(best));
  note(candidates_[challenger_], median(challenger));
  if (is_beaten) best_ = challenger_;
  if (candidates_[challenger_] == other_overlap_) {
    const StepPlan& best_plan = candidates_[best_];
    for (std::size_t i = challenger_ + 1; i < candidates_.size(); ++i) {
      const bool are_sweeps = candidates_[i].steps_per_pass == 1 && best_plan.steps_per_pass == 1;
      if (are_sweeps) candidates_[i].overlap = best_plan.overlap;
    }
    ++challenger_;
  } else {
    const double before = std::exchange(latest_, median(challenger));
    lost_in_a_row_ = is_beaten || latest_ < before ? 0 : lost_in_a_row_ + 1;
    const bool is_over = lost_in_a_row_ == 2 && trials_ == Trials::of_run;
    challenger_ = is_over ? candidates_.size() : challenger_ + 1;
  }
  turns_ = 0;
  warm_ = {};  // wider halos may have moved the best, too
  times_ = {};
}

void PlanChoice::note(const StepPlan& plan, double seconds) {
  const auto at = std::find_if(compared_.begin(), compared_.end(),
                               [&](const PlanTime& one) { return one.plan == plan; });
  if (at == compared_.end()) {
    compared_.push_back({plan, seconds});
  } else {
    at->seconds = seconds;
  }
}

}  // namespace goban
