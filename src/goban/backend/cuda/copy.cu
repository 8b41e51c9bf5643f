#include "goban/backend/cuda/copy.cuh"
#include "goban/backend/cuda/pieces.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

constexpr int pieces_per_launch = 40;
struct Pieces {
  Piece piece[pieces_per_launch];
};

template <class Unit>
__global__ void __launch_bounds__(256) copy_kernel(const __grid_constant__ Pieces pieces) {
  let_next_launch();
  wait_for_turn();
  copy_piece<Unit>(pieces.piece[blockIdx.y]);
}

}  // namespace

void copy_pieces(const std::vector<CopyTask>& tasks, cudaStream_t stream) {
  Pieces pieces;
  for (std::size_t first = 0; first < tasks.size();) {
    int count = 0;
    for (; first < tasks.size() && count < pieces_per_launch; ++first) {
      if (!tasks[first].target_box.empty()) pieces.piece[count++] = piece_of(tasks[first]);
    }
    if (count == 0) return;
    Index most = 0;
    const int unit = count_units(pieces.piece, count, most);
    const auto blocks = static_cast<unsigned int>(std::min<Index>((most + 255) / 256, 1024));
    const dim3 grid(blocks, static_cast<unsigned int>(count));
    with_unit(unit, [&]<class Unit>() {
      launch_in_turn(&copy_kernel<Unit>, grid, 256, 0, stream, pieces);
    });
    check(cudaGetLastError(), "copying halos");
  }
}

}  // namespace goban::cuda
