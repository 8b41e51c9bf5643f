#include "goban/backend/cuda/fourier.hpp"

#include <algorithm>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/driver/cufft.hpp"
#include "goban/backend/cuda/kernels/fourier.cuh"

namespace goban::cuda {
namespace {

constexpr const char* solving = "solving by Fourier transforms";

LaunchGrid blocks(Index count, int threads) {
  LaunchGrid grid{{static_cast<unsigned int>((count + threads - 1) / threads)},
                  {static_cast<unsigned int>(threads)}};
  grid.is_dependent = false;
  return grid;
}

}  // namespace

void solve_by_waves(const FourierTask& task, CUstream stream) {
  const FourierKernels& kernels = FourierKernels::of(task.type);
  const device::FourierSolve& solve = task.solve;
  const auto& plan = static_cast<const CufftPlan&>(*task.plan);
  LaunchGrid cells = blocks(solve.plane(), device::wave_cell_threads);
  cells.blocks.y = static_cast<unsigned int>(std::min(solve.pairs(), most_blocks_along));
  const auto queue = [&](const OwnKernel& kernel, const LaunchGrid& grid) {
    launch(kernel.here(), grid, stream, solving, solve);
  };
  const auto find_mean = [&] {
    if (solve.is_singular) queue(kernels.mean, blocks(1, device::wave_mean_threads));
  };
  queue(kernels.load, cells);
  plan.run(CufftPlan::Direction::to_waves, solve.values, stream);
  find_mean();
  queue(solve.is_periodic ? kernels.rings : kernels.columns,
        blocks(solve.columns(), device::wave_column_threads));
  find_mean();
  plan.run(CufftPlan::Direction::to_values, solve.values, stream);
  queue(kernels.store, cells);
}

}  // namespace goban::cuda
