#include "goban/solver/device_fourier.hpp"

#include <algorithm>
#include <cstring>

namespace goban {

std::byte* DeviceFourier::memory(Index bytes) {
  memory_.push_back(executor_.allocate(static_cast<std::size_t>(bytes)));
  return memory_.back().get();
}

template <class Number>
const Number* DeviceFourier::put(const std::vector<Number>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(Number);
  const auto* const from = reinterpret_cast<const std::byte*>(numbers.data());
  std::byte* const to = memory(static_cast<Index>(bytes));
  if (DeviceMemory* const device = executor_.device_memory()) {
    device->upload(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
  return reinterpret_cast<const Number*>(to);
}

device::WaveAxis DeviceFourier::axis(const FourierProblem& problem, std::size_t a) {
  const WaveTables tables = wave_tables(problem, a);
  return {.cells = static_cast<device::int32>(problem.cells[a]),
          .sum = tables.sum,
          .pairs = tables.pairs,
          .place = put(tables.place),
          .factor = put(tables.factor),
          .turn = put(tables.turn),
          .waves = put(tables.waves),
          .twin = put(tables.twin),
          .low = problem.ends[a][0],
          .high = problem.ends[a][1]};
}

DeviceFourier::DeviceFourier(const FourierProblem& problem, ElementType type, Executor& executor)
    : executor_(executor) {
  task_.type = type;
  device::FourierSolve& solve = task_.solve;
  solve.x = axis(problem, 0);
  solve.y = axis(problem, 1);
  solve.levels = static_cast<device::int32>(problem.cells[2]);
  solve.low = problem.ends[2][0];
  solve.high = problem.ends[2][1];
  solve.below = problem.beyond[0];
  solve.above = problem.beyond[1];
  solve.is_periodic = problem.waves[2] == Waves::periodic;
  solve.is_singular = problem.is_singular;
  solve.scale = 1 / (problem.per_h2[2] * static_cast<double>(solve.plane()));
  constexpr auto of_number = static_cast<Index>(sizeof(double));
  solve.values = memory(2 * static_cast<Index>(size_of(type)) * solve.plane() * solve.pairs());
  solve.starts = reinterpret_cast<double*>(memory(of_number * device::fourier_starts(solve)));
  solve.mean = reinterpret_cast<double*>(memory(of_number));
  task_.plan = fourier_solver(executor)->plan_transforms(type, problem.cells[0], problem.cells[1],
                                                         solve.pairs());
}

void DeviceFourier::run(const MemoryView& f, const MemoryView& u) {
  task_.solve.f = f.data;
  task_.solve.u = u.data;
  std::copy(f.stride.begin(), f.stride.end(), task_.solve.f_stride);
  std::copy(u.stride.begin(), u.stride.end(), task_.solve.u_stride);
  fourier_solver(executor_)->solve(task_);
}

}  // namespace goban
