#pragma once
// Several steps of the 7 points (heat7.cuh, same bits) in one pass through memory. Ghost cells are
// constant in time.
//
// A warp covers 32 packs of a row and Rows rows, its block Rows * Warps rows; planes are streamed
// upwards. Level t is the field after t steps. Every iteration takes in one plane of level 0 and
// makes one plane of every level, each one plane behind the level before it:
//
//   z ->   level 0   . . . . b h o      o comes in this iteration, and needs of the level before
//          level 1   . . . b h o        the planes b below, h here and o above it; b and h
//          level 2   . . b h o          are in registers
//          level 3   . b h o
//
// In x the neighbours come by shuffles; in y from the thread's other rows, and at the edges of its
// warp through shared memory, where planes that come are left for the next iteration.
// What tiles cannot know at their edges they lose: Steps rows and as many cells, in full packs, on
// either side, so tiles overlap.

#include "heat7.cuh"

namespace goban::cuda_twins {

namespace temporal {

/// How a block's tile lies in the grid. The first tile begins with a ghost pack and a ghost row.
template <class T, int Steps, int Rows, int Warps>
struct Tile {
  static constexpr int n = Pack<T>::size;
  static constexpr int overlap_packs = divide_up(Steps, n);
  static constexpr int own_packs = 32 - 2 * overlap_packs;
  static constexpr int height = Rows * Warps;
  static constexpr int own_rows = height - 2 * Steps;
  static_assert(own_rows > 0 && own_packs > 0);

  __host__ __device__ static constexpr int count(int size, int length, int own) {
    return 1 + (size + 2 > length ? divide_up(size + 2 - length, own) : 0);
  }
  static int count_x(const Grid& grid) { return count(divide_up(grid.nx, n), 32, own_packs); }
  static int count_y(const Grid& grid) { return count(grid.ny, height, own_rows); }
};

/// The first and last of the 2 * Rows * Steps rows that a warp leaves for its neighbours.
template <int Steps, int Warps>
struct Edges {
  uint4 rows[2][Steps][Warps][2][32];
};

}  // namespace temporal

/// Planes [z0, z0 + chunk) a block. With Neighbor rows through the block's shared memory.
template <class T, int Steps, int Rows, int Warps>
__global__ void __launch_bounds__(32 * Warps)
    heat7_temporal_kernel(const T* __restrict__ u, T* __restrict__ next, T rate, Grid grid,
                          int chunk) {
  using Tile = temporal::Tile<T, Steps, Rows, Warps>;
  using Cells = Pack<T>;
  constexpr int n = Tile::n;
  constexpr int unroll = 3;
  auto& edges = shared_memory<temporal::Edges<Steps, Warps>>();

  const int lane = threadIdx.x, warp = threadIdx.y;
  const int packs = divide_up(grid.nx, n);
  const int pack = static_cast<int>(blockIdx.x) * Tile::own_packs + lane - 1;
  const int x = pack * n;
  const int y_tile = static_cast<int>(blockIdx.y) * Tile::own_rows - 1, y0 = y_tile + warp * Rows;
  const int z0 = static_cast<int>(blockIdx.z) * chunk, z1 = min(z0 + chunk, grid.nz);

  // What is in the domain and what of it this tile writes.
  const bool is_edge_tile = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1 || blockIdx.y == 0 ||
                            blockIdx.y == gridDim.y - 1;
  const int first_row = blockIdx.y == 0 ? 0 : y_tile + Steps;
  const int last_row = blockIdx.y == gridDim.y - 1 ? grid.ny : y_tile + Tile::height - Steps;
  const bool is_writer = pack < packs &&
                         (blockIdx.x == 0 ? lane >= 1 : lane >= Tile::overlap_packs) &&
                         (blockIdx.x == gridDim.x - 1 || lane < 32 - Tile::overlap_packs);
  unsigned cell_is_inside = 0, row_is_written = 0;
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int y = y0 + r;
    row_is_written |= (is_writer && y >= first_row && y < last_row) << r;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      cell_is_inside |= (y >= 0 && y < grid.ny && x + i >= 0 && x + i < grid.nx) << (r * n + i);
    }
  }

  // What lies beyond the ghost cells is replaced by them; nothing depends on it.
  int offset[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    offset[r] = static_cast<int>(min(y0 + r, grid.ny) * grid.pitch) + min(pack, packs) * n;
  }
  const int z_first = max(z0 - Steps, -1), z_last = z1 - 1 + Steps;
  Cells below[Steps][Rows], here[Steps][Rows], coming[Rows];
#pragma unroll
  for (int t = 0; t < Steps; ++t) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) below[t][r] = here[t][r] = Cells{};
  }
  const T* source = u + z_first * grid.plane;
#pragma unroll
  for (int r = 0; r < Rows; ++r) coming[r] = load(source + offset[r]);
  T* target = next + (z_first - Steps) * grid.plane + x;

  // Takes in plane z.
  const auto iterate = [&](auto touches_ghosts, int z) {
    constexpr bool has_ghosts = decltype(touches_ghosts)::value;
    Cells up[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) up[r] = coming[r];
    if (z < min(z_last, grid.nz)) source += grid.plane;
#pragma unroll
    for (int r = 0; r < Rows; ++r) coming[r] = load(source + offset[r]);
#pragma unroll
    for (int t = 0; t < Steps; ++t) {
      // Makes plane z - t - 1 of level t + 1.
      auto& left = edges.rows[z & 1][t];
      auto& leave = edges.rows[~z & 1][t];
      Cells south, north, result[Rows];
      south = load(reinterpret_cast<const T*>(&left[warp > 0 ? warp - 1 : 0][1][lane]));
      north = load(reinterpret_cast<const T*>(&left[warp < Warps - 1 ? warp + 1 : warp][0][lane]));
      store(reinterpret_cast<T*>(&leave[warp][0][lane]), up[0]);
      store(reinterpret_cast<T*>(&leave[warp][1][lane]), up[Rows - 1]);
      const unsigned changes = z - t - 1 >= 0 && z - t - 1 < grid.nz ? cell_is_inside : 0;
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const Cells& center = here[t][r];
        const T west = __shfl_up_sync(all_lanes, center.v[n - 1], 1);
        const T east = __shfl_down_sync(all_lanes, center.v[0], 1);
        result[r] = heat7_update(
            rate, center, west, east, r > 0 ? here[t][r > 0 ? r - 1 : 0] : south,
            r + 1 < Rows ? here[t][r + 1 < Rows ? r + 1 : 0] : north, below[t][r], up[r]);
        if constexpr (has_ghosts) {
#pragma unroll
          for (int i = 0; i < n; ++i) {
            if ((changes >> (r * n + i) & 1) == 0) result[r].v[i] = center.v[i];
          }
        }
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        below[t][r] = here[t][r];
        here[t][r] = up[r];
        up[r] = result[r];
      }
    }
    if (z - Steps >= z0 && z <= z_last) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if ((row_is_written >> r & 1) != 0) {
          T* to = target + (y0 + r) * grid.pitch;
          if constexpr (has_ghosts) {
            stream_first(to, up[r], grid.nx - x);
          } else {
            stream(to, up[r]);
          }
        }
      }
    }
    target += grid.plane;
    __syncthreads();
  };

  for (int z = z_first; z <= z_last; z += unroll) {
    if (is_edge_tile || z < Steps || z + unroll - 1 > grid.nz) {
#pragma unroll
      for (int k = 0; k < unroll; ++k) iterate(std::true_type{}, z + k);
    } else {
#pragma unroll
      for (int k = 0; k < unroll; ++k) iterate(std::false_type{}, z + k);
    }
  }
}

template <class T, int Steps, int Rows, int Warps>
struct Heat7Temporal {
  static constexpr int steps = Steps;
  static constexpr auto kernel = &heat7_temporal_kernel<T, Steps, Rows, Warps>;

  /// Moves about 8 / Steps (float) or 16 / Steps (double) bytes a cell and step.
  static void run(const T* u, T* next, T r, const Grid& grid, cudaStream_t stream) {
    using Tile = temporal::Tile<T, Steps, Rows, Warps>;
    Launch shape{dim3(Tile::count_x(grid), Tile::count_y(grid)), dim3(32, Warps),
                 sizeof(temporal::Edges<Steps, Warps>)};
    const int columns = static_cast<int>(shape.blocks.x * shape.blocks.y);
    const int chunk = chunk_of_planes(kernel, shape, columns, grid.nz, 2 * Steps);
    shape.blocks.z = divide_up(grid.nz, chunk);
    launch(kernel, shape, stream, u, next, r, grid, chunk);
  }
};

}  // namespace goban::cuda_twins
