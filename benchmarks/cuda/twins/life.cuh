#pragma once
// Life in three dimensions, 26 neighbours, cells 0 or 1: with n living neighbours a living cell
// lives on if survive_low <= n <= survive_high, a dead one is born if born_low <= n <= born_high.
//
// Bytes are added four to a word: no sum exceeds 27, so nothing is carried.

#include "pack.cuh"

namespace goban::cuda_twins {

struct LifeRule {
  std::uint8_t survive_low = 2, survive_high = 7, born_low = 5, born_high = 5;
};

namespace life_detail {

inline constexpr int words = 4;  // of a pack
inline constexpr unsigned every_byte = 0x01010101u;

struct Words4 {
  unsigned v[words];
};

/// The rule for a sum that counts the cell itself: low <= sum <= high, both of which differ between
/// a dead and a living cell. Bit 7 of a byte of `sum + at_least` tells whether the sum is not below
/// low, that of `at_most - sum` whether it is not above high.
struct Bounds {
  unsigned at_least, at_most;       // of a dead cell, in every byte
  unsigned less_alive, more_alive;  // to subtract and to add for a living one
};
inline Bounds bounds(const LifeRule& rule) {
  return {(0x80u - rule.born_low) * every_byte, (0x80u + rule.born_high) * every_byte,
          static_cast<unsigned>(rule.survive_low + 1 - rule.born_low),
          static_cast<unsigned>(rule.survive_high + 1 - rule.born_high)};
}
__device__ __forceinline__ unsigned next_state(unsigned sum, unsigned here, const Bounds& b) {
  const unsigned reaches_low = sum + (b.at_least - here * b.less_alive);
  const unsigned keeps_high = (b.at_most + here * b.more_alive) - sum;
  return (reaches_low & keeps_high & 0x80 * every_byte) >> 7;
}

/// Bytes of a word of which the first `cells` are not ghost cells.
__device__ __forceinline__ unsigned ghost_bytes(int cells) {
  return cells >= 4 ? 0u : cells <= 0 ? ~0u : ~0u << 8 * cells;
}

}  // namespace life_detail

/// A thread updates Rows rows of 16 cells in Planes planes above each other. Sums of three cells
/// are shared between rows, sums of nine between planes.
template <int Rows, int Planes, int Warps>
__global__ void __launch_bounds__(32 * Warps, Rows <= 4 ? 16 / Warps : 1)
    life_kernel(const std::uint8_t* __restrict__ u, std::uint8_t* __restrict__ next,
                life_detail::Bounds bounds, Grid grid) {
  using namespace life_detail;
  using Cells = Pack<std::uint8_t>;
  constexpr int n = Cells::size;
  const int lane = threadIdx.x;
  const int x = (blockIdx.x * 32 + lane) * n;
  const bool is_inside = x < grid.nx;
  // Lanes beyond the row hold the ghost pack, for the lane before them.
  const int x_read = is_inside ? x : divide_up(grid.nx, n) * n;
  // The last rows and planes are updated twice rather than cut short.
  const int y = min(static_cast<int>(blockIdx.y * Warps + threadIdx.y) * Rows, grid.ny - Rows);
  const int z = min(static_cast<int>(blockIdx.z) * Planes, grid.nz - Planes);
  const Index first = z * grid.plane + y * grid.pitch;
  const std::uint8_t* p = u + first - grid.plane - grid.pitch + x_read;
  std::uint8_t* q = next + first + x;
  const bool is_first_lane = lane == 0, is_last_lane = lane == 31;
  const bool has_edge = is_first_lane || (is_last_lane && is_inside);
  const bool is_partial = x + n > grid.nx;  // ghost cells follow, which are written back
  const int edge_offset = is_first_lane ? -4 : n;

  Words4 nine[3][Rows], here[2][Rows];
  uint4 coming[Rows + 2];
  unsigned coming_edge[Rows + 2] = {};
  const auto take_in = [&] {
#pragma unroll
    for (int r = 0; r < Rows + 2; ++r) {
      const std::uint8_t* row = p + r * grid.pitch;
      coming[r] = *reinterpret_cast<const uint4*>(row);
      if (has_edge) coming_edge[r] = *reinterpret_cast<const unsigned*>(row + edge_offset);
    }
    p += grid.plane;
  };
  take_in();
#pragma unroll
  for (int k = 0; k < Planes + 2; ++k) {
    // Adds up plane z + k - 1 and finishes the one below it.
    uint4 cells[Rows + 2];
    unsigned edge[Rows + 2];
#pragma unroll
    for (int r = 0; r < Rows + 2; ++r) cells[r] = coming[r], edge[r] = coming_edge[r];
    if (k + 1 < Planes + 2) take_in();
    Words4 three[Rows + 2];
#pragma unroll
    for (int r = 0; r < Rows + 2; ++r) {
      const unsigned c[words] = {cells[r].x, cells[r].y, cells[r].z, cells[r].w};
      const unsigned from_left = __shfl_up_sync(all_lanes, c[words - 1], 1);
      const unsigned from_right = __shfl_down_sync(all_lanes, c[0], 1);
      const unsigned left = is_first_lane ? edge[r] : from_left;
      const unsigned right = is_last_lane ? edge[r] : from_right;
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const unsigned west = __funnelshift_l(i > 0 ? c[i > 0 ? i - 1 : 0] : left, c[i], 8);
        const unsigned east =
            __funnelshift_r(c[i], i + 1 < words ? c[i + 1 < words ? i + 1 : i] : right, 8);
        three[r].v[i] = west + c[i] + east;
        if (r > 0 && r <= Rows) here[k % 2][r > 0 && r <= Rows ? r - 1 : 0].v[i] = c[i];
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int i = 0; i < words; ++i) {
        nine[k % 3][r].v[i] = three[r].v[i] + three[r + 1].v[i] + three[r + 2].v[i];
      }
    }
    if (k < 2) continue;
    if (!is_inside) continue;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      uint4* to = reinterpret_cast<uint4*>(q + r * grid.pitch);
      Words4 result;
#pragma unroll
      for (int i = 0; i < words; ++i) {
        result.v[i] = next_state(nine[0][r].v[i] + nine[1][r].v[i] + nine[2][r].v[i],
                                 here[(k + 1) % 2][r].v[i], bounds);
      }
      if (is_partial) {
        const uint4 old = *to;
        const unsigned o[words] = {old.x, old.y, old.z, old.w};
#pragma unroll
        for (int i = 0; i < words; ++i) {
          const unsigned keep = ghost_bytes(grid.nx - x - 4 * i);
          result.v[i] = (result.v[i] & ~keep) | (o[i] & keep);
        }
      }
      __stcs(to, make_uint4(result.v[0], result.v[1], result.v[2], result.v[3]));
    }
    q += grid.plane;
  }
}

/// Moves 2 bytes a cell. At least Rows rows.
template <int Rows, int Planes, int Warps>
struct Life {
  static constexpr auto kernel = &life_kernel<Rows, Planes, Warps>;

  static void run(const std::uint8_t* u, std::uint8_t* next, const LifeRule& rule, const Grid& grid,
                  cudaStream_t stream) {
    if (grid.nz < Planes) return Life<Rows, 1, Warps>::run(u, next, rule, grid, stream);
    const dim3 blocks(divide_up(grid.nx, 512), divide_up(grid.ny, Rows * Warps),
                      divide_up(grid.nz, Planes));
    launch(kernel, {blocks, dim3(32, Warps)}, stream, u, next, life_detail::bounds(rule), grid);
  }
};

}  // namespace goban::cuda_twins
