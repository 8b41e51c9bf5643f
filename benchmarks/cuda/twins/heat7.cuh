#pragma once
// 7 points: next = u + r * (east + west + north + south + above + below - 6 u), added up in this
// order, x first, higher neighbour first:
//   next = u() + r * (u(1,0,0) + u(-1,0,0) + u(0,1,0) + u(0,-1,0) + u(0,0,1) + u(0,0,-1) - 6 * u())

#include "pack.cuh"

namespace goban::cuda_twins {

/// The neighbour values of a pack in x, then the formula; `west` and `east` are the cells beside
/// it.
template <class T, int N>
__device__ __forceinline__ Pack<T, N> heat7_update(T r, const Pack<T, N>& here, T west, T east,
                                                   const Pack<T, N>& south, const Pack<T, N>& north,
                                                   const Pack<T, N>& below,
                                                   const Pack<T, N>& above) {
  Pack<T, N> next;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const T right = i + 1 < N ? here.v[i + 1 < N ? i + 1 : i] : east;
    const T left = i > 0 ? here.v[i > 0 ? i - 1 : 0] : west;
    next.v[i] = here.v[i] + r * (right + left + north.v[i] + south.v[i] + above.v[i] + below.v[i] -
                                 T(6) * here.v[i]);
  }
  return next;
}

enum class Neighbor { by_load, by_shuffle };

template <class T, int Planes, int Warps, Neighbor In_x>
__global__ void __launch_bounds__(32 * Warps, Planes <= 4 ? 32 / Warps : 1)
    heat7_kernel(const T* __restrict__ u, T* __restrict__ next, T r, Grid grid) {
  constexpr int n = Pack<T>::size;
  const int lane = threadIdx.x;
  const int x = (blockIdx.x * 32 + lane) * n;
  const bool is_inside = x < grid.nx;
  // Lanes beyond the row hold the ghost pack, for the lane before them.
  const int x_read = is_inside ? x : divide_up(grid.nx, n) * n;
  // The last rows and planes are updated twice rather than cut short.
  const int y =
      min(static_cast<int>(blockIdx.y) * Warps + static_cast<int>(threadIdx.y), grid.ny - 1);
  const int z = min(static_cast<int>(blockIdx.z) * Planes, grid.nz - Planes);
  const Index row = z * grid.plane + y * grid.pitch;
  const T* p = u + row + x_read;
  T* q = next + row + x;
  // All loads before the first store, whose branch nothing passes.
  Pack<T> column[Planes + 2], result[Planes];
#pragma unroll
  for (int k = 0; k < Planes + 2; ++k) column[k] = load(p + (k - 1) * grid.plane);
#pragma unroll
  for (int k = 0; k < Planes; ++k, p += grid.plane) {
    const Pack<T>& here = column[k + 1];
    T west, east;
    if constexpr (In_x == Neighbor::by_load) {
      west = p[-1];
      east = p[is_inside ? n : 0];
    } else {
      west = __shfl_up_sync(all_lanes, here.v[n - 1], 1);
      east = __shfl_down_sync(all_lanes, here.v[0], 1);
      if (lane == 0) west = p[-1];
      if (lane == 31 && is_inside) east = p[n];
    }
    result[k] = heat7_update(r, here, west, east, load(p - grid.pitch), load(p + grid.pitch),
                             column[k], column[k + 2]);
  }
#pragma unroll
  for (int k = 0; k < Planes; ++k) stream_first(q + k * grid.plane, result[k], grid.nx - x);
}

/// A thread updates Planes packs above each other. Moves 8 (float) or 16 (double) bytes a cell.
template <class T, int Planes, int Warps, Neighbor In_x>
struct Heat7 {
  static constexpr auto kernel = &heat7_kernel<T, Planes, Warps, In_x>;

  static void run(const T* u, T* next, T r, const Grid& grid, cudaStream_t stream) {
    if (grid.nz < Planes) return Heat7<T, 1, Warps, In_x>::run(u, next, r, grid, stream);
    const dim3 blocks(divide_up(grid.nx, 32 * Pack<T>::size), divide_up(grid.ny, Warps),
                      divide_up(grid.nz, Planes));
    launch(kernel, {blocks, dim3(32, Warps)}, stream, u, next, r, grid);
  }
};

template <class T>
void heat7(const T* u, T* next, T r, const Grid& grid, cudaStream_t stream) {
  Heat7<T, 4, 8, Neighbor::by_shuffle>::run(u, next, r, grid, stream);
}

}  // namespace goban::cuda_twins
