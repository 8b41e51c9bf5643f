#pragma once
// Sweeps without kernels: what a functor does is computed from its graph.

#include <memory>

#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Computes what a stage does from its graph, without a compiler: operation after operation over a
/// piece of a row that fits the first-level cache, with the bits of the kernels.
class Evaluator {
 public:
  /// Evaluates a stage that applies a functor, reduces or sweeps columns; the stage need not
  /// outlive the evaluator.
  explicit Evaluator(const Stage& stage);

  /// Several threads may call it at once.
  void operator()(const SweepCall& call) const;

 private:
  struct Programs;
  std::shared_ptr<const Programs> programs_;
};

}  // namespace goban::cpu
