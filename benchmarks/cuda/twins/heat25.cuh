#pragma once
// 25 points, order 8 in space: next = c0 u + sum over j = 1..4 of c_j times the sum of the six
// neighbours at distance j, added up in this order:
//   next = c[0] * u() + c[1] * (u(1,0,0) + u(-1,0,0) + u(0,1,0) + u(0,-1,0) + u(0,0,1) + u(0,0,-1))
//                     + c[2] * (u(2,0,0) + ...) + c[3] * (...) + c[4] * (...)
//
// A thread marches Rows packs beside each other in y upwards. The nine planes of its own columns
// are in registers, so that z costs one load a cell; its rows share what they read in y; x comes
// from the packs on either side.

#include "async.cuh"

namespace goban::cuda_twins {

struct Heat25Weights {
  float c[5];
};

namespace heat25_detail {

inline constexpr int reach = 4;
inline constexpr int window = 2 * reach + 1;
using Cells = Pack<float>;

/// Rows packs beside each other in y. y[r] ... y[r + 8] is the column of rows around pack r,
/// west[r] and east[r] the packs beside it, z(r, -4) ... z(r, 4) those below and above.
template <int Rows, class Z>
__device__ __forceinline__ void update(const Heat25Weights& w, const Cells (&y)[Rows + 2 * reach],
                                       const Cells (&west)[Rows], const Cells (&east)[Rows], Z z,
                                       Cells (&next)[Rows]) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int i = 0; i < Cells::size; ++i) next[r].v[i] = w.c[0] * y[r + reach].v[i];
  }
#pragma unroll
  for (int j = 1; j <= reach; ++j) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int i = 0; i < Cells::size; ++i) {
        const auto x = [&](int k) {
          return k < 0 ? west[r].v[k & 3] : k < 4 ? y[r + reach].v[k & 3] : east[r].v[k & 3];
        };
        const float six = x(i + j) + x(i - j) + y[r + reach + j].v[i] + y[r + reach - j].v[i] +
                          z(r, j).v[i] + z(r, -j).v[i];
        next[r].v[i] = next[r].v[i] + w.c[j] * six;
      }
    }
  }
}

}  // namespace heat25_detail

/// Neighbours in y and x through the first-level cache.
template <int Rows, int Warps, int Planes>
__global__ void __launch_bounds__(32 * Warps, 16 / Warps)
    heat25_cached_kernel(const float* __restrict__ u, float* __restrict__ next,
                         Heat25Weights weights, Grid grid) {
  using namespace heat25_detail;
  constexpr int slots = window + 1;  // one plane is under way
  const int x = (blockIdx.x * 32 + threadIdx.x) * 4;
  const bool is_inside = x < grid.nx;
  // The last rows are updated twice rather than cut short.
  const int y0 = min((static_cast<int>(blockIdx.y) * Warps + static_cast<int>(threadIdx.y)) * Rows,
                     grid.ny - Rows);
  const int z0 = static_cast<int>(blockIdx.z) * Planes, z1 = min(z0 + Planes, grid.nz);
  const float* p = u + z0 * grid.plane + y0 * grid.pitch + (is_inside ? x : 0);
  float* q = next + z0 * grid.plane + y0 * grid.pitch + x;
  const Index pitch = grid.pitch;
  Cells columns[slots][Rows];
#pragma unroll
  for (int k = 0; k < window; ++k) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      columns[k][r] = load(p + (k - reach) * grid.plane + r * pitch);
    }
  }
  for (int z = z0; z < z1; z += slots) {
#pragma unroll
    for (int k = 0; k < slots; ++k) {
      if (z + k >= z1) break;
      // The plane above those needed now; the last one is not needed any more.
      const float* coming = p + (z + k + 1 < z1 ? reach + 1 : reach) * grid.plane;
      Cells rows[Rows + 2 * reach];
#pragma unroll
      for (int r = 0; r < Rows; ++r) columns[(k + window) % slots][r] = load(coming + r * pitch);
#pragma unroll
      for (int j = 0; j < Rows + 2 * reach; ++j) {
        const int r = j - reach;
        rows[j] = r >= 0 && r < Rows ? columns[(k + reach) % slots][r] : load(p + r * pitch);
      }
      Cells west[Rows], east[Rows], result[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        west[r] = load(p + r * pitch - 4);
        east[r] = load(p + r * pitch + 4);
      }
      const auto z_neighbor = [&](int r, int j) { return columns[(k + reach + j) % slots][r]; };
      update<Rows>(weights, rows, west, east, z_neighbor, result);
      if (is_inside) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) stream_first(q + r * pitch, result[r], grid.nx - x);
      }
      p += grid.plane;
      q += grid.plane;
    }
  }
}

/// Neighbours in y and x from a ring of planes in shared memory, filled Ahead planes before use.
template <int Rows, int Warps, int Ahead>
struct Heat25Ring {
  static constexpr int height = Rows * Warps + 2 * heat25_detail::reach;
  static constexpr int width = 128 + 8;
  static constexpr unsigned planes = heat25_detail::reach + 1 + Ahead;
  float cells[planes][height][width];
  Barrier is_full[planes];
};

template <int Rows, int Warps, int Ahead>
__global__ void __launch_bounds__(32 * Warps, 16 / Warps)
    heat25_ring_kernel(const float* __restrict__ u, float* __restrict__ next, Heat25Weights weights,
                       Grid grid, int chunk, const __grid_constant__ BoxMap map) {
  using namespace heat25_detail;
  using Ring = Heat25Ring<Rows, Warps, Ahead>;
  auto& ring = shared_memory<Ring>();
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int x0 = blockIdx.x * 128, x = x0 + lane * 4;
  const int y_block = blockIdx.y * Warps * Rows, y0 = y_block + warp * Rows;
  const int z0 = blockIdx.z * chunk, z1 = min(z0 + chunk, grid.nz);

  const auto fetch_plane = [&](int z, int slot) {
    if (warp != 0 || !is_elected()) return;
    arrive_and_expect(ring.is_full[slot], sizeof(ring.cells[slot]));
    copy_box(ring.cells[slot], map, x0, y_block, z + reach, ring.is_full[slot]);
  };
  if (lane == 0 && warp == 0) {
    for (auto& barrier : ring.is_full) initialize(barrier, 1);
    fence_barriers();
  }
  __syncthreads();
  for (int k = 0; k < Ring::planes; ++k) {
    if (z0 + k < z1 + reach) fetch_plane(z0 + k, k);
  }

  const int y_read = min(y0, grid.ny - 1);
  const float* p = u + z0 * grid.plane + y_read * grid.pitch + min(x, divide_up(grid.nx, 4) * 4);
  float* q = next + z0 * grid.plane + y0 * grid.pitch + x;
  Cells columns[window][Rows];
#pragma unroll
  for (int k = 0; k < reach; ++k) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      columns[k][r] =
          load(p + (k - reach) * grid.plane + min(r, grid.ny - 1 - y_read) * grid.pitch);
    }
  }
  const int rows_inside = x < grid.nx ? grid.ny - y0 : 0;
  const auto own = [&](int slot, int row) {
    return &ring.cells[slot][warp * Rows + row + reach][lane * 4 + 4];
  };
  for (int k = 0; k < reach; ++k) wait(ring.is_full[k], 0);
#pragma unroll
  for (int k = 0; k < reach; ++k) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) columns[k + reach][r] = load(own(k, r));
  }
  for (int first = 0; first < z1 - z0; first += window) {
#pragma unroll
    for (int k = 0; k < window; ++k) {
      const int step = first + k;
      if (step >= z1 - z0) break;
      const int slot = step % Ring::planes, newest = (step + reach) % Ring::planes;
      wait(ring.is_full[newest], (step + reach) / Ring::planes % 2);
      Cells rows[Rows + 2 * reach], west[Rows], east[Rows], result[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        columns[(k + 2 * reach) % window][r] = load(own(newest, r));
        west[r] = load(own(slot, r) - 4);
        east[r] = load(own(slot, r) + 4);
      }
#pragma unroll
      for (int j = 0; j < Rows + 2 * reach; ++j) {
        const int r = j - reach;
        rows[j] = r >= 0 && r < Rows ? columns[(k + reach) % window][r] : load(own(slot, r));
      }
      const auto z_neighbor = [&](int r, int j) { return columns[(k + reach + j) % window][r]; };
      update<Rows>(weights, rows, west, east, z_neighbor, result);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (r < rows_inside) stream_first(q + r * grid.pitch, result[r], grid.nx - x);
      }
      __syncthreads();
      if (step + Ring::planes < z1 - z0 + reach) fetch_plane(z0 + step + Ring::planes, slot);
      q += grid.plane;
    }
  }
}

template <int Rows, int Warps, int Planes>
struct Heat25Cached {
  static constexpr auto kernel = &heat25_cached_kernel<Rows, Warps, Planes>;

  /// At least Rows rows.
  static void run(const float* u, float* next, const Heat25Weights& weights, const Grid& grid,
                  cudaStream_t stream) {
    const dim3 blocks(divide_up(grid.nx, 128), divide_up(grid.ny, Rows * Warps),
                      divide_up(grid.nz, Planes));
    launch(kernel, {blocks, dim3(32, Warps)}, stream, u, next, weights, grid);
  }
};

template <int Rows, int Warps, int Ahead>
struct Heat25Streamed {
  static constexpr auto kernel = &heat25_ring_kernel<Rows, Warps, Ahead>;

  static void run(const float* u, float* next, const Heat25Weights& weights, const Grid& grid,
                  cudaStream_t stream) {
    using Ring = Heat25Ring<Rows, Warps, Ahead>;
    Launch shape{dim3(divide_up(grid.nx, 128), divide_up(grid.ny, Rows * Warps)), dim3(32, Warps),
                 sizeof(Ring)};
    const BoxMap map = box_map(u, grid, heat25_detail::reach, Ring::width, Ring::height);
    const int columns = static_cast<int>(shape.blocks.x * shape.blocks.y);
    const int chunk = chunk_of_planes(kernel, shape, columns, grid.nz, 2 * heat25_detail::reach);
    shape.blocks.z = divide_up(grid.nz, chunk);
    launch(kernel, shape, stream, u, next, weights, grid, chunk, map);
  }
};

}  // namespace goban::cuda_twins
