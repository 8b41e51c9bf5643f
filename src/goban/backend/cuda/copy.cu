#include "goban/backend/cuda/copy.cuh"
#include "goban/backend/cuda/pieces.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/split_copies.hpp"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

constexpr int pieces_per_launch = 40;
constexpr unsigned int threads = 256, most_blocks = 1024;

/// Each has blocks of its own, as many as it has work for: faces, edges and corners differ much.
struct Pieces {
  Piece piece[pieces_per_launch];
  unsigned int first_block[pieces_per_launch + 1];
};

template <class Unit>
__global__ void __launch_bounds__(threads) copy_kernel(const __grid_constant__ Pieces pieces) {
  let_next_launch();
  int mine = 0;
  while (blockIdx.x >= pieces.first_block[mine + 1]) ++mine;
  const unsigned int first = pieces.first_block[mine];
  wait_for_turn();
  copy_piece<Unit>(pieces.piece[mine], blockIdx.x - first, pieces.first_block[mine + 1] - first);
}

}  // namespace

void copy_pieces(const std::vector<CopyTask>& all, cudaStream_t stream) {
  const std::vector<CopyTask> tasks = split_copies(all);
  Pieces pieces;
  for (std::size_t first = 0; first < tasks.size();) {
    int count = 0;
    for (; first < tasks.size() && count < pieces_per_launch; ++first) {
      pieces.piece[count++] = piece_of(tasks[first]);
    }
    const int unit = count_units(pieces.piece, count);
    pieces.first_block[0] = 0;
    for (int i = 0; i < count; ++i) {
      const Index blocks = (units_of(pieces.piece[i]) + threads - 1) / threads;
      pieces.first_block[i + 1] =
          pieces.first_block[i] + static_cast<unsigned int>(std::min<Index>(blocks, most_blocks));
    }
    with_unit(unit, [&]<class Unit>() {
      launch_in_turn(&copy_kernel<Unit>, pieces.first_block[count], threads, 0, stream, pieces);
    });
    check(cudaGetLastError(), "copying halos");
  }
}

}  // namespace goban::cuda
