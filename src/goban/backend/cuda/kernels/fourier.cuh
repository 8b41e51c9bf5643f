#pragma once
// Poisson's equation by Fourier transforms. Fields are of `Element`.

#include "goban/backend/kernels/fourier.hpp"

namespace goban::device {

/// The threads of a block that goes through cells, through columns, and along one column.
inline constexpr int wave_cell_threads = 256;
inline constexpr int wave_column_threads = 64;
/// Blocks of columns that a multiprocessor has at once, so that those of a plane of 512^2 run
/// together.
inline constexpr int wave_column_blocks = 8;
inline constexpr int wave_mean_threads = 256;

}  // namespace goban::device

#if GOBAN_KERNEL

namespace goban::device {

/// Calls visit(i, j, pair) for the cell of a plane that this thread has, in pairs of planes.
template <class Visit>
GOBAN_DEVICE void visit_wave_cells(const FourierSolve& solve, Visit&& visit) {
  const auto x = static_cast<uint32>(solve.x.cells);
  const uint32 n = blockIdx.x * wave_cell_threads + threadIdx.x;
  if (n >= x * static_cast<uint32>(solve.y.cells)) return;
  for (uint32 pair = blockIdx.y; pair < static_cast<uint32>(solve.pairs()); pair += gridDim.y) {
    visit(static_cast<int32>(n % x), static_cast<int32>(n / x), static_cast<int32>(pair));
  }
}

template <bool is_periodic>
GOBAN_DEVICE void solve_columns_of_thread(const FourierSolve& solve) {
  const auto x = static_cast<uint32>(solve.x.pairs);
  const uint32 n = blockIdx.x * wave_column_threads + threadIdx.x;
  if (n >= x * static_cast<uint32>(solve.y.pairs)) return;
  solve_columns<Element, is_periodic>(solve, static_cast<int32>(n % x), static_cast<int32>(n / x));
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(goban::device::wave_cell_threads)
    goban_fourier_load(const __grid_constant__ goban::device::FourierSolve solve) {
  using namespace goban::device;
  visit_wave_cells(solve,
                   [&](int32 i, int32 j, int32 pair) { load_cell<Element>(solve, i, j, pair); });
}

extern "C" __global__ void __launch_bounds__(goban::device::wave_cell_threads)
    goban_fourier_store(const __grid_constant__ goban::device::FourierSolve solve) {
  using namespace goban::device;
  visit_wave_cells(solve,
                   [&](int32 i, int32 j, int32 pair) { store_cell<Element>(solve, i, j, pair); });
}

/// A thread for each four columns.
extern "C" __global__ void __launch_bounds__(goban::device::wave_column_threads,
                                             goban::device::wave_column_blocks)
    goban_fourier_columns(const __grid_constant__ goban::device::FourierSolve solve) {
  goban::device::solve_columns_of_thread<false>(solve);
}
extern "C" __global__ void __launch_bounds__(goban::device::wave_column_threads,
                                             goban::device::wave_column_blocks)
    goban_fourier_rings(const __grid_constant__ goban::device::FourierSolve solve) {
  goban::device::solve_columns_of_thread<true>(solve);
}

/// The mean of the wave that is constant along x and y, by one block.
extern "C" __global__ void __launch_bounds__(goban::device::wave_mean_threads)
    goban_fourier_mean(const __grid_constant__ goban::device::FourierSolve solve) {
  using namespace goban::device;
  __shared__ double sums[wave_mean_threads];
  const auto thread = static_cast<int32>(threadIdx.x);
  double sum = 0;
  for (int32 pair = thread; pair < solve.pairs(); pair += wave_mean_threads) {
    sum += constant_wave<Element>(solve, pair);
  }
  sums[thread] = sum;
  for (int32 half = wave_mean_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  if (thread == 0) *solve.mean = sums[0] / solve.levels;
}

#endif
