#pragma once
// Cuts between devices of different speed move while a program runs, until all finish together.

#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "goban/grid/decomposition.hpp"

namespace goban {

class Domain;
class Engine;

/// What was tried, and what came of it.
struct BalanceReport {
  struct Trial {
    Decomposition decomposition;
    std::vector<double> busy;  ///< per patch: seconds of a step that whoever computes it works
    double step = 0;           ///< seconds of a step
    double imbalance = 0;      ///< how much longer the slowest is busy than all are on average
  };
  std::vector<Trial> trials;  ///< each but the first is an adjustment
  std::size_t kept = 0;       ///< the number of the trial whose cuts are kept at the end
  /// Seconds of a step at the end, with the cuts that are kept and without the CPU; 0: not
  /// measured.
  double with_cpu = 0, without_cpu = 0;
  std::string outcome;  ///< a line; empty before the end
};

/// Some cycles with every decomposition, the first of which does not count: kernels are tried and
/// caches filled. After five adjustments at most, when all are busy for as long, when the latest
/// makes neither a step nor who is busy longest any faster or when cuts come back to what was
/// tried, those before it stay. Then a CPU beside other devices must show that it pays: a step with
/// it and without is measured as it will be run. Decisions follow from what all ranks have agreed
/// on.
class Balancing {
 public:
  /// Whether cycles of this engine count: others that work on the grid now and then do not.
  bool is_open(const Domain& domain, const Engine& engine) const;
  /// How many to run next, at most, in cycles of so many.
  Index steps(Index cycle) const;
  /// To be called around cycles. Collective. `widest_halo` is that of the stages of the engine.
  void before(Domain& domain, const Engine& engine);
  void after(Domain& domain, Index steps, Index widest_halo);
  const BalanceReport& report() const { return report_; }

 private:
  enum class Phase : std::uint8_t { adjusts, with_cpu, without_cpu };
  /// Some steps; the first of each trial do not count.
  struct Piece {
    Index steps = 0;
    double seconds = 0;
  };

  Index steps_of_piece() const;
  void begin_trial();
  void finish_trial(Domain& domain, Index widest_halo);
  void adjust(Domain& domain, double step, Index widest_halo);
  void settle(Domain& domain);
  void close(Domain& domain);
  const BalanceReport::Trial& kept() const { return report_.trials[report_.kept]; }

  BalanceReport report_;
  const Engine* engine_ = nullptr;  ///< the engine whose cycles count; null: not known yet
  Phase phase_ = Phase::adjusts;
  int distribution_ = 0;  ///< the number of the domain's distribution in this trial
  int pieces_ = 0;        ///< pieces that are over
  Piece piece_;
  Index steps_ = 0;  ///< steps of pieces that count
  std::vector<double> busy_;
  double fastest_ = std::numeric_limits<double>::infinity();  ///< seconds of a step
  std::chrono::steady_clock::time_point start_;
};

}  // namespace goban
