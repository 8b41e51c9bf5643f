#pragma once
// Moves the cuts between devices of different speed while a program runs, until all devices finish
// a step at the same time.

#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "goban/grid/decomposition.hpp"

namespace goban {

class Domain;
class Engine;

/// The cuts that were tried, and the result.
struct BalanceReport {
  struct Trial {
    Decomposition decomposition;
    std::vector<double> busy;  ///< per patch: seconds per step that its executor is at work
    double step = 0;           ///< seconds per step
    double imbalance = 0;      ///< relative excess of the longest busy time over the mean
  };
  /// The first trial has the cuts at the start, all others are adjustments.
  std::vector<Trial> trials;
  std::size_t kept = 0;  ///< the index of the trial whose cuts are kept
  /// Seconds per step at the end, with the cuts that are kept, and without the CPU; 0 if not
  /// measured.
  double with_cpu = 0, without_cpu = 0;
  std::string outcome;  ///< the result in one line; empty as long as cuts may still move
};

/// Runs some cycles with every decomposition and then moves the cuts so that all executors would be
/// busy for the same time. The first cycles of a trial do not count, because launch shapes are
/// tried and caches filled then. Adjusting ends after five adjustments, when all are busy for
/// nearly the same time, when the latest adjustment makes neither a step nor the longest busy time
/// shorter, or when cuts come up that have been tried; the best cuts stay.
///
/// A CPU that computes beside other devices must then show that it pays: steps are measured with
/// and without it. All decisions follow from values that all ranks have agreed on. The engine calls
/// before() and after() around cycles.
class Balancing {
 public:
  /// Returns whether cuts may still move and cycles of this engine are measured. Only the first
  /// engine that runs on the grid is measured.
  bool is_open(const Domain& domain, const Engine& engine) const;
  /// Returns how many steps to run next at most, a multiple of the steps of a `cycle`.
  Index steps(Index cycle) const;
  /// Must be called before and after cycles; after() may redistribute the grid. Collective.
  /// `widest_halo`: that of the engine's stages, in cells.
  void before(Domain& domain, const Engine& engine);
  void after(Domain& domain, Index steps, Index widest_halo);
  const BalanceReport& report() const { return report_; }

 private:
  enum class Phase : std::uint8_t { adjusts, with_cpu, without_cpu };
  /// A measured piece of a trial. The first piece of each trial does not count.
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
  const Engine* engine_ = nullptr;  ///< the engine whose cycles are measured; null before the first
  Phase phase_ = Phase::adjusts;
  int distribution_ = 0;  ///< Domain::distribution() of this trial
  int pieces_ = 0;        ///< pieces that have ended
  Piece piece_;
  Index steps_ = 0;  ///< steps in the pieces that count
  std::vector<double> busy_;
  double fastest_ = std::numeric_limits<double>::infinity();  ///< seconds per step
  std::chrono::steady_clock::time_point start_;
};

}  // namespace goban
