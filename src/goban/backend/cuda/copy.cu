#include "goban/backend/cuda/copy.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

/// Strides in bytes, extents in units along the rows.
struct Piece {
  const std::byte* from;
  std::byte* to;
  Index from_middle, from_slow, to_middle, to_slow;
  int units, rows, planes;
};

constexpr int pieces_per_launch = 24;
struct Pieces {
  Piece piece[pieces_per_launch];
};

template <class Unit>
__global__ void __launch_bounds__(256) copy_kernel(const __grid_constant__ Pieces pieces) {
  let_next_launch();
  wait_for_turn();
  const Piece& p = pieces.piece[blockIdx.y];
  const unsigned int rows = static_cast<unsigned int>(p.rows);
  const unsigned int units = static_cast<unsigned int>(p.units);
  const unsigned int total = units * rows * static_cast<unsigned int>(p.planes);
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
       i += gridDim.x * blockDim.x) {
    const unsigned int row = i / units, unit = i - row * units;
    const unsigned int plane = row / rows, middle = row - plane * rows;
    const auto* from = p.from + middle * p.from_middle + plane * p.from_slow;
    auto* to = p.to + middle * p.to_middle + plane * p.to_slow;
    reinterpret_cast<Unit*>(to)[unit] = reinterpret_cast<const Unit*>(from)[unit];
  }
}

Piece piece_of(const CopyTask& task) {
  const auto size = static_cast<Index>(size_of(task.type));
  const auto [fast, middle, slow] = task.order;
  auto start = [&](const FieldBinding& b, const Index3& lower) {
    return (lower[0] * b.stride[0] + lower[1] * b.stride[1] + lower[2] * b.stride[2]) * size;
  };
  Piece p;
  p.from = task.source.read + start(task.source, task.source_box.lower);
  p.to = task.target.write + start(task.target, task.target_box.lower);
  p.from_middle = task.source.stride[middle] * size;
  p.from_slow = task.source.stride[slow] * size;
  p.to_middle = task.target.stride[middle] * size;
  p.to_slow = task.target.stride[slow] * size;
  p.units = static_cast<int>(task.target_box.extent(fast) * size);
  p.rows = static_cast<int>(task.target_box.extent(middle));
  p.planes = static_cast<int>(task.target_box.extent(slow));
  return p;
}

/// Bytes that everything about the piece is a multiple of, at most 16.
int grain(const Piece& p) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(p.from) | reinterpret_cast<std::uintptr_t>(p.to) |
      static_cast<std::uintptr_t>(p.from_middle | p.from_slow | p.to_middle | p.to_slow | p.units) |
      16u;
  return static_cast<int>(all & (~all + 1));
}

void launch(const Pieces& pieces, int count, int unit, Index most, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned int>(std::min<Index>((most + 255) / 256, 1024));
  const dim3 grid(blocks, static_cast<unsigned int>(count));
  switch (unit) {
    case 1: launch_in_turn(&copy_kernel<std::uint8_t>, grid, 256, 0, stream, pieces); break;
    case 2: launch_in_turn(&copy_kernel<std::uint16_t>, grid, 256, 0, stream, pieces); break;
    case 4: launch_in_turn(&copy_kernel<std::uint32_t>, grid, 256, 0, stream, pieces); break;
    case 8: launch_in_turn(&copy_kernel<uint2>, grid, 256, 0, stream, pieces); break;
    default: launch_in_turn(&copy_kernel<uint4>, grid, 256, 0, stream, pieces);
  }
  check(cudaGetLastError(), "copying halos");
}

}  // namespace

void copy_pieces(const std::vector<CopyTask>& tasks, cudaStream_t stream) {
  Pieces pieces;
  for (std::size_t first = 0; first < tasks.size();) {
    int count = 0, unit = 16;
    for (; first < tasks.size() && count < pieces_per_launch; ++first) {
      if (tasks[first].target_box.empty()) continue;
      pieces.piece[count] = piece_of(tasks[first]);
      unit = std::min(unit, grain(pieces.piece[count++]));
    }
    if (count == 0) return;
    Index most = 0;
    for (int i = 0; i < count; ++i) {
      Piece& p = pieces.piece[i];
      p.units /= unit;
      most = std::max(most, Index{p.units} * p.rows * p.planes);
    }
    launch(pieces, count, unit, most, stream);
  }
}

}  // namespace goban::cuda
