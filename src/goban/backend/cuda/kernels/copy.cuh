#pragma once
// Copies pieces of memory, counted in `Unit`.

#include "dependent_launch.cuh"
#include "pieces.cuh"

namespace goban::device {

inline constexpr int pieces_per_copy = 40;
inline constexpr unsigned int copy_threads = 256, most_copy_blocks = 1024;

/// Each piece has blocks of its own, as many as it has work for: faces, edges and corners differ
/// much.
struct Pieces {
  Piece piece[pieces_per_copy];
  unsigned int first_block[pieces_per_copy + 1];
  int padding;
};

}  // namespace goban::device

#if GOBAN_KERNEL

extern "C" __global__ void __launch_bounds__(goban::device::copy_threads)
    goban_copy(const __grid_constant__ goban::device::Pieces pieces) {
  using namespace goban::device;
  let_next_launch();
  int mine = 0;
  while (blockIdx.x >= pieces.first_block[mine + 1]) ++mine;
  const unsigned int first = pieces.first_block[mine];
  wait_for_launch_before();
  copy_piece(pieces.piece[mine], blockIdx.x - first, pieces.first_block[mine + 1] - first);
}

#endif
