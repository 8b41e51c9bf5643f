#include "goban/domain/balancing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "goban/domain/decomposition/balance.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/domain.hpp"
#include "goban/domain/engine.hpp"

namespace goban {
namespace {

constexpr int cycles_per_trial = 4;  ///< the first does not count
constexpr int most_adjustments = 5;
constexpr double good_enough = 0.02;  ///< imbalance

std::string text_of(const std::vector<Index>& cuts) {
  std::string text;
  for (std::size_t n = 1; n < cuts.size(); ++n) {
    text += fmt::format("{}{}", n == 1 ? "" : " + ", cuts[n] - cuts[n - 1]);
  }
  return text;
}

/// "z 500 + 12"; the axes that are cut.
std::string text_of(const Decomposition& decomposition) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a) {
    if (decomposition.cuts[a].size() <= 2) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", "xyz"[a], text_of(decomposition.cuts[a]));
  }
  return text.empty() ? "one piece" : text;
}

}  // namespace

bool Balancing::is_open(const Domain& domain, const Engine& engine) const {
  const Settings& settings = domain.grid().context->settings();
  const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                    [](const std::string& cut) { return !cut.empty(); });
  if (engine_ && engine_ != &engine) return false;
  return report_.outcome.empty() && settings.balance != Balance::off && !has_cuts &&
         domain.is_uneven();
}

void Balancing::before(Domain& domain, const Engine& engine) {
  engine_ = &engine;
  domain.synchronize();
  if (std::exchange(distribution_, domain.distribution()) != domain.distribution()) cycles_ = 0;
  if (!is_alone_) domain.keep_busy_times();
  domain.communicator().barrier();
  start_ = std::chrono::steady_clock::now();
}

void Balancing::after(Domain& domain, Index steps) {
  domain.synchronize();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  const std::vector<double> busy = domain.take_busy_times();
  if (++cycles_ == 1) {
    steps_ = 0;
    busy_.assign(busy.size(), 0);
    fastest_ = std::numeric_limits<double>::infinity();
    return;
  }
  steps_ += steps;
  for (std::size_t p = 0; p < busy.size(); ++p) busy_[p] += busy[p];
  fastest_ = std::min(fastest_, time.count() / static_cast<double>(steps));
  if (cycles_ < cycles_per_trial) return;
  report_.trials.push_back(finish_trial(domain));
  cycles_ = 0;
  if (is_alone_) {
    close();
    if (pays()) domain.redistribute(best().decomposition);
  } else {
    decide(domain);
  }
}

/// With all devices.
const BalanceReport::Trial& Balancing::best() const {
  const auto end = report_.trials.end() - (is_alone_ ? 1 : 0);
  return *std::min_element(report_.trials.begin(), end,
                           [](const auto& a, const auto& b) { return a.step < b.step; });
}

bool Balancing::pays() const { return best().step <= report_.trials.back().step; }

BalanceReport::Trial Balancing::finish_trial(Domain& domain) {
  BalanceReport::Trial trial;
  trial.decomposition = domain.decomposition();
  for (const double busy : busy_) trial.busy.push_back(busy / static_cast<double>(steps_));
  std::array<std::int64_t, 1> nanoseconds{std::llround(fastest_ * 1e9)};
  domain.communicator().maximum(nanoseconds);
  trial.step = static_cast<double>(nanoseconds[0]) * 1e-9;
  trial.imbalance = imbalance_of(trial.busy);
  trial.with_cpu = domain.is_mixed();
  return trial;
}

void Balancing::decide(Domain& domain) {
  const auto& trial = report_.trials.back();
  const auto adjustments = static_cast<int>(report_.trials.size()) - 1;
  if (trial.imbalance < good_enough || adjustments == most_adjustments) return settle(domain);
  // Cuts that come nearer to where stages compute may make halos wider. Faces at a wall want one
  // more.
  const Index least = std::max(domain.widest_halo(), engine_->widest_halo(domain)) + 1;
  const Decomposition next = balanced(domain.decomposition(), trial.busy, least);
  const bool was_tried = std::any_of(
      report_.trials.begin(), report_.trials.end(),
      [&](const BalanceReport::Trial& one) { return one.decomposition.cuts == next.cuts; });
  if (was_tried) return settle(domain);
  domain.redistribute(next);
}

void Balancing::settle(Domain& domain) {
  const Settings& settings = domain.grid().context->settings();
  if (settings.balance == Balance::keep || !domain.is_mixed()) {
    close();
    if (best().decomposition.cuts != domain.decomposition().cuts) {
      domain.redistribute(best().decomposition);
    }
    return;
  }
  is_alone_ = true;
  domain.redistribute(decomposition_without_cpu(domain.grid(), domain.communicator().nodes()),
                      Helpers::left_out);
}

void Balancing::close() {
  constexpr double milliseconds = 1e3;
  const auto adjustments = report_.trials.size() - (is_alone_ ? 2 : 1);
  const std::string balanced = fmt::format(
      "balanced as {} ({} {}, {:.1f} % imbalance, {:.4g} ms a step)", text_of(best().decomposition),
      adjustments, adjustments == 1 ? "adjustment" : "adjustments", 100 * best().imbalance,
      milliseconds * best().step);
  const double alone = milliseconds * report_.trials.back().step;
  report_.outcome = !is_alone_ ? balanced
                    : pays()
                        ? fmt::format("{}; without the CPU a step takes {:.4g} ms", balanced, alone)
                        : fmt::format("the CPU is left out: a step takes {:.4g} ms without it; {}",
                                      alone, balanced);
}

}  // namespace goban
