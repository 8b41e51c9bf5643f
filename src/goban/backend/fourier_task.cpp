#include "goban/backend/fourier_task.hpp"

#include "goban/backend/api.hpp"

namespace goban {

FourierPlan::~FourierPlan() = default;
FourierSolver::~FourierSolver() = default;

FourierSolver* fourier_solver(Executor& executor) {
  return dynamic_cast<FourierSolver*>(&executor);
}

}  // namespace goban
