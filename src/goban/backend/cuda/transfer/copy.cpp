#include "goban/backend/cuda/transfer/copy.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/copy.cuh"
#include "goban/backend/cuda/transfer/pieces.hpp"
#include "goban/backend/cuda/transfer/split_copies.hpp"
#include "goban/lowering/gpu_launches.hpp"

namespace goban::cuda {
namespace {

static_assert(device::pieces_per_copy == gpu::pieces_of_launch);

/// Takes as many tasks from `first` on as fit into one launch; returns their number.
int take_pieces(const std::vector<CopyTask>& tasks, std::size_t& first, device::Pieces& pieces) {
  int count = 0;
  for (; first < tasks.size() && count < device::pieces_per_copy; ++first) {
    pieces.piece[count++] = piece_of(tasks[first]);
  }
  return count;
}

}  // namespace

void add_copy_sources(const std::vector<CopyTask>& all, std::vector<KernelSource>& sources) {
  const std::vector<CopyTask> tasks = split_copies(all);
  device::Pieces pieces{};
  for (std::size_t first = 0; first < tasks.size();) {
    const int count = take_pieces(tasks, first, pieces);
    sources.push_back(copy_kernel(count_units(pieces.piece, count)).source());
  }
}

void copy_pieces(const std::vector<CopyTask>& all, CUstream stream, Before before) {
  constexpr unsigned int threads = device::copy_threads;
  const std::vector<CopyTask> tasks = split_copies(all);
  device::Pieces pieces{};
  for (std::size_t first = 0; first < tasks.size();) {
    const int count = take_pieces(tasks, first, pieces);
    const int unit = count_units(pieces.piece, count);
    pieces.first_block[0] = 0;
    for (int i = 0; i < count; ++i) {
      const Index blocks = (units_of(pieces.piece[i]) + threads - 1) / threads;
      pieces.first_block[i + 1] = pieces.first_block[i] + static_cast<unsigned int>(std::min<Index>(
                                                              blocks, device::most_copy_blocks));
    }
    const LaunchGrid grid{{pieces.first_block[count]}, {threads}, 0, before == Before::kernels};
    launch(copy_kernel(unit).here(), grid, stream, "copying halos", pieces);
  }
}

}  // namespace goban::cuda
