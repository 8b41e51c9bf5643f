#pragma once
// The direct solver in the memory of one device.

#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/fourier_task.hpp"
#include "goban/field/memory_view.hpp"
#include "goban/solver/fourier_problem.hpp"

namespace goban {

/// Solves the equation on a grid that one executor has, which has a fourier_solver(). Fields of
/// float are transformed in float, and their columns are solved in double. It takes memory for
/// about three numbers a cell, and what the library takes.
class DeviceFourier {
 public:
  /// `type` of the fields is float32 or float64. Error (ExitCode::resources): there is not enough
  /// memory.
  DeviceFourier(const FourierProblem& problem, ElementType type, Executor& executor);

  /// Makes u of f. It is called as the function of a Program::call_on_device(), whose views are of
  /// the whole grid.
  void run(const MemoryView& f, const MemoryView& u);

 private:
  template <class Number>
  const Number* put(const std::vector<Number>& numbers);
  device::WaveAxis axis(const FourierProblem& problem, std::size_t a);
  std::byte* memory(Index bytes);

  Executor& executor_;
  FourierTask task_;
  std::vector<std::shared_ptr<std::byte>> memory_;
};

}  // namespace goban
