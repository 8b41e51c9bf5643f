#pragma once
// Poisson's equation, solved by Fourier transforms on one executor.

#include <memory>
#include <string>

#include "goban/backend/kernels/fourier.hpp"
#include "goban/base/types.hpp"

namespace goban {

class Executor;

/// Complex transforms of planes along x and y, both ways, in place.
class FourierPlan {
 public:
  virtual ~FourierPlan();
};

/// A solution. What `solve` points to lies in the executor's memory.
struct FourierTask {
  ElementType type = ElementType::float64;  ///< the type of f, u and the transforms
  device::FourierSolve solve{};
  std::shared_ptr<FourierPlan> plan;
};

/// What executors are, besides, that solve Poisson's equation by Fourier transforms in their
/// memory.
class FourierSolver {
 public:
  virtual ~FourierSolver();
  /// Returns in one line why it has no transforms; empty if it has.
  virtual std::string transforms_refusal() const = 0;
  /// Returns the library that transforms, as "cuFFT 12.0".
  virtual std::string transforms() const = 0;
  /// Plans the transforms of this number of planes of x times y cells. Throws an Error
  /// (ExitCode::resources) if there is not enough memory.
  virtual std::shared_ptr<FourierPlan> plan_transforms(ElementType type, Index x, Index y,
                                                       Index planes) = 0;
  /// Computes a solution in the queue of guests (GuestWork::stream()), or, where there is none, at
  /// once.
  virtual void solve(const FourierTask& task) = 0;
};

/// Returns the solver that an executor is; null if it is none.
FourierSolver* fourier_solver(Executor& executor);

}  // namespace goban
