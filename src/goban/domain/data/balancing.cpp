#include "goban/domain/data/balancing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/decomposition/balance.hpp"
#include "goban/domain/decomposition/choose.hpp"

namespace goban {
namespace {

constexpr int most_adjustments = 5;
constexpr double good_enough = 0.02;  ///< adjusting ends below this imbalance
/// An adjustment also pays if the longest busy time falls below this share, even if other load on
/// the machine makes the step longer.
constexpr double clearly_less = 0.9;

double longest(const BalanceReport::Trial& trial) {
  return *std::max_element(trial.busy.begin(), trial.busy.end());
}

std::string text_of(const std::vector<Index>& cuts) {
  std::string text;
  for (std::size_t n = 1; n < cuts.size(); ++n) {
    text += fmt::format("{}{}", n == 1 ? "" : " + ", cuts[n] - cuts[n - 1]);
  }
  return text;
}

/// Returns the sizes of the pieces along the axes that are cut: "z 500 + 12".
std::string text_of(const Decomposition& decomposition) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a) {
    if (decomposition.cuts[a].size() <= 2) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", "xyz"[a], text_of(decomposition.cuts[a]));
  }
  return text.empty() ? "one piece" : text;
}

std::string milliseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e3); }

/// Returns "balanced as z 500 + 12 (2 adjustments, busy for 0.37 + 0.36 ms of 0.41, 1.4 %
/// imbalance)".
std::string text_of(const BalanceReport& report) {
  constexpr std::size_t most_patches = 8;
  const BalanceReport::Trial& kept = report.trials[report.kept];
  const auto adjustments = report.trials.size() - 1;
  std::vector<std::string> busy;
  for (const double seconds : kept.busy) busy.push_back(milliseconds(seconds));
  return fmt::format(
      "balanced as {} ({} {}, {}{:.1f} % imbalance)", text_of(kept.decomposition), adjustments,
      adjustments == 1 ? "adjustment" : "adjustments",
      busy.size() > most_patches
          ? ""
          : fmt::format("busy for {} ms of {}, ", fmt::join(busy, " + "), milliseconds(kept.step)),
      100 * kept.imbalance);
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

/// Returns the steps of a piece: several, so that they overlap as in any run. For the final
/// comparison with and without the CPU, short steps need more, because sixteen of them are recorded
/// together when they come for the second time.
Index Balancing::steps_of_piece() const {
  constexpr double is_short = 2e-3;  // seconds
  constexpr Index replayed = 48;
  const bool is_replayed = phase_ != Phase::adjusts && kept().step < is_short;
  return is_replayed ? replayed : pieces_ == 0 ? 1 : 4;
}

Index Balancing::steps(Index cycle) const {
  const Index left = std::max<Index>(1, steps_of_piece() - piece_.steps);
  return (left + cycle - 1) / cycle * cycle;
}

void Balancing::before(Domain& domain, const Engine& engine) {
  engine_ = &engine;
  domain.synchronize();
  if (std::exchange(distribution_, domain.distribution()) != domain.distribution()) begin_trial();
  if (phase_ == Phase::adjusts) domain.keep_busy_times();
  domain.communicator().barrier();
  start_ = std::chrono::steady_clock::now();
}

void Balancing::begin_trial() {
  pieces_ = 0;
  piece_ = {};
  steps_ = 0;
  busy_.clear();
  fastest_ = std::numeric_limits<double>::infinity();
}

void Balancing::after(Domain& domain, Index steps, Index widest_halo) {
  constexpr int pieces_of_trial = 3;  // the first does not count
  domain.synchronize();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  const std::vector<double> busy = domain.take_busy_times();
  piece_.steps += steps;
  piece_.seconds += time.count();
  if (pieces_ > 0) {
    busy_.resize(busy.size());
    for (std::size_t p = 0; p < busy.size(); ++p) busy_[p] += busy[p];
    steps_ += steps;
  }
  if (piece_.steps < steps_of_piece()) return;
  const Piece piece = std::exchange(piece_, {});
  if (++pieces_ == 1) return;
  fastest_ = std::min(fastest_, piece.seconds / static_cast<double>(piece.steps));
  if (pieces_ == pieces_of_trial) finish_trial(domain, widest_halo);
}

void Balancing::finish_trial(Domain& domain, Index widest_halo) {
  std::array<std::int64_t, 1> nanoseconds{std::llround(fastest_ * 1e9)};
  domain.communicator().maximum(nanoseconds);
  const double step = static_cast<double>(nanoseconds[0]) * 1e-9;
  switch (phase_) {
    case Phase::adjusts: adjust(domain, step, widest_halo); break;
    case Phase::with_cpu: {
      report_.with_cpu = step;
      phase_ = Phase::without_cpu;
      const auto& nodes = domain.communicator().nodes();
      domain.redistribute(decomposition_without_cpu(domain.grid(), nodes), Helpers::left_out);
      break;
    }
    case Phase::without_cpu: {
      report_.without_cpu = step;
      close(domain);
      break;
    }
  }
}

void Balancing::adjust(Domain& domain, double step, Index widest_halo) {
  BalanceReport::Trial trial;
  trial.decomposition = domain.decomposition();
  for (const double busy : busy_) trial.busy.push_back(busy / static_cast<double>(steps_));
  trial.step = step;
  trial.imbalance = imbalance_of(trial.busy);
  const bool pays = report_.trials.empty() || step < kept().step ||
                    longest(trial) < clearly_less * longest(kept());
  report_.trials.push_back(std::move(trial));
  if (pays) report_.kept = report_.trials.size() - 1;
  const bool is_last = report_.trials.size() == 1 + most_adjustments;
  if (!pays || is_last || kept().imbalance < good_enough) return settle(domain);
  // Cuts that come nearer to where stages compute may make halos wider. Faces at a wall want one
  // more.
  const Index least = std::max(domain.widest_halo(), widest_halo) + 1;
  const Decomposition next = balanced(domain.decomposition(), kept().busy, least);
  const bool was_tried =
      std::any_of(report_.trials.begin(), report_.trials.end(),
                  [&](const auto& one) { return one.decomposition.cuts == next.cuts; });
  if (was_tried) return settle(domain);
  domain.redistribute(next);
}

void Balancing::settle(Domain& domain) {
  const bool is_over =
      domain.grid().context->settings().balance == Balance::keep || !domain.is_mixed();
  if (is_over) return close(domain);
  phase_ = Phase::with_cpu;
  if (kept().decomposition.cuts != domain.decomposition().cuts) {
    domain.redistribute(kept().decomposition);
  }
  begin_trial();
}

void Balancing::close(Domain& domain) {
  const std::string balanced = text_of(report_);
  if (phase_ == Phase::adjusts) {
    report_.outcome = balanced;
    const bool is_there = kept().decomposition.cuts == domain.decomposition().cuts;
    if (!is_there) domain.redistribute(kept().decomposition);
    return;
  }
  const bool pays = report_.with_cpu <= report_.without_cpu;
  report_.outcome = fmt::format("the CPU {}: a step takes {} ms with it and {} ms without; {}",
                                pays ? "pays" : "is left out", milliseconds(report_.with_cpu),
                                milliseconds(report_.without_cpu), balanced);
  if (pays) domain.redistribute(kept().decomposition);
}

}  // namespace goban
