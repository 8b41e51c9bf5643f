#pragma once
// Cuts between devices of different speed move while a program runs, until all finish together.

#include <array>
#include <chrono>
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
    std::vector<double> busy;  ///< per patch: seconds of a step that whoever computes it computes
    double step = 0;           ///< seconds of a step
    double imbalance = 0;      ///< how much longer the slowest is busy than all are on average
    bool with_cpu = false;     ///< beside other devices
  };
  std::vector<Trial> trials;
  std::string outcome;  ///< a line; empty before the end
};

/// Some cycles with every decomposition, the first of which does not count: kernels are tried and
/// caches filled. After five adjustments at most, or when cuts come back to what was tried, those
/// with the shortest step stay. Then a CPU beside other devices must show that it pays: the others
/// are measured alone. Decisions follow from what all ranks have agreed on.
class Balancing {
 public:
  /// For cycles of this engine: others that work on the grid now and then do not count.
  bool is_open(const Domain& domain, const Engine& engine) const;
  /// Around a cycle. Collective.
  void before(Domain& domain, const Engine& engine);
  void after(Domain& domain, Index steps);
  const BalanceReport& report() const { return report_; }

 private:
  BalanceReport::Trial finish_trial(Domain& domain);
  void decide(Domain& domain);
  void settle(Domain& domain);
  void close();
  const BalanceReport::Trial& best() const;
  bool pays() const;

  BalanceReport report_;
  const Engine* engine_ = nullptr;  ///< whose cycles count; null: not known yet
  bool is_alone_ = false;           ///< devices without the CPU are measured
  int distribution_ = 0;            ///< of the domain, in this trial
  int cycles_ = 0;                  ///< of this trial
  Index steps_ = 0;                 ///< of those that count
  std::vector<double> busy_;
  double fastest_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace goban
