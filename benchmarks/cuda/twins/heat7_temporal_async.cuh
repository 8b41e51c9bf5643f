#pragma once
// heat7_temporal.cuh further: nothing stops a whole block.
//
// Input planes come by the copy engine, every warp's rows to its own slots, Ahead planes early.
// What a warp needs of the rows beside its own lies in its inbox: the warps above and below leave
// it there and arrive at the warp's barrier, whether they are in the same block or in the next one
// of the cluster; at the edge of the domain the copy engine leaves ghost rows there. A warp waits
// for its two neighbours only, with the last level's work as slack. Tiles, of Cluster * Warps *
// Rows rows, begin and end with the domain in y and overlap between.

#include "async.cuh"
#include "heat7_temporal.cuh"

namespace goban::cuda_twins {

namespace temporal {

template <class T, int Steps, int Rows, int Warps, int Ahead>
struct Mail {
  T planes[Warps][Ahead][Rows][32 * Pack<T>::size];
  uint4 inbox[2][Steps][Warps][2][32];  ///< by parity of the iteration: row below, row above
  Barrier plane_is_here[Warps][Ahead];
  Barrier inbox_is_full[2][Warps];  ///< two, since a neighbour may be an iteration ahead
};

enum class Edges_in { none, x, xz };

}  // namespace temporal

/// Rows end with full packs; at least as many rows as a tile.
template <class T, int Steps, int Rows, int Warps, int Cluster, int Ahead, int Unroll>
__global__ void __launch_bounds__(32 * Warps, 1)
    heat7_async_kernel(T* __restrict__ next, T rate, Grid grid, int chunk,
                       const __grid_constant__ BoxMap rows_map,
                       const __grid_constant__ BoxMap row_map) {
  using Tile = temporal::Tile<T, Steps, Rows, Warps * Cluster>;
  using Mail = temporal::Mail<T, Steps, Rows, Warps, Ahead>;
  using temporal::Edges_in;
  using Cells = Pack<T>;
  constexpr int n = Tile::n;
  constexpr unsigned row_bytes = sizeof(uint4) * 32;
  auto& mail = shared_memory<Mail>();

  const int lane = threadIdx.x, warp = __shfl_sync(all_lanes, static_cast<int>(threadIdx.y), 0);
  const int rank = Cluster > 1 ? static_cast<int>(cluster_rank()) : 0;
  const int tile_y = static_cast<int>(blockIdx.y) / Cluster;
  const int tiles_y = static_cast<int>(gridDim.y) / Cluster;
  const int x_tile = (static_cast<int>(blockIdx.x) * Tile::own_packs - 1) * n,
            x = x_tile + lane * n;
  const int y_tile = min(tile_y * Tile::own_rows, grid.ny - Tile::height);
  const int y0 = y_tile + (rank * Warps + warp) * Rows;
  const int z0 = static_cast<int>(blockIdx.z) * chunk, z1 = min(z0 + chunk, grid.nz);
  const int z_first = max(z0 - Steps, -1), z_last = z1 - 1 + Steps;

  // What this thread writes.
  const bool is_x_edge = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1;
  const int first_row = tile_y == 0 ? 0 : y_tile + Steps;
  const int last_row = tile_y == tiles_y - 1 ? grid.ny : y_tile + Tile::height - Steps;
  const int first_lane = blockIdx.x == 0 ? 1 : Tile::overlap_packs;
  const int last_lane = blockIdx.x == gridDim.x - 1 ? 32 : 32 - Tile::overlap_packs;
  const bool is_writer = x < grid.nx && lane >= first_lane && lane < last_lane;

  // The warps beside this one, ghost rows at the edges of the domain, or nothing.
  const bool has_south_block = Cluster > 1 && rank > 0;
  const bool has_north_block = Cluster > 1 && rank < Cluster - 1;
  const bool has_south = warp > 0 || has_south_block,
             has_north = warp < Warps - 1 || has_north_block;
  const bool south_is_ghost = y0 == 0, north_is_ghost = y0 + Rows == grid.ny;
  const int south = warp > 0 ? warp - 1 : Warps - 1, north = warp < Warps - 1 ? warp + 1 : 0;
  const bool is_neighbor_here = lane == 0 ? warp > 0 : warp < Warps - 1;
  const bool arrives = lane == 0 ? has_south : lane == 1 && has_north;

  if (lane == 0) {
    for (auto& barrier : mail.plane_is_here[warp]) initialize(barrier, 1);
    for (auto& barriers : mail.inbox_is_full) {
      initialize(barriers[warp], (has_south || south_is_ghost) + (has_north || north_is_ghost));
    }
    fence_barriers();
  }
  if constexpr (Cluster > 1) {
    cluster_barrier();
  } else {
    __syncthreads();
  }
  const auto fetch_plane = [&](int z, int slot) {
    if (!is_elected()) return;
    arrive_and_expect(mail.plane_is_here[warp][slot], Rows * row_bytes);
    copy_box(mail.planes[warp][slot], rows_map, x_tile + n, y0 + 1, z + 1,
             mail.plane_is_here[warp][slot]);
  };
  for (int k = 0; k < Ahead; ++k) {
    if (z_first + k <= z_last) fetch_plane(z_first + k, k);
  }

  Cells below[Steps][Rows], here[Steps][Rows];
#pragma unroll
  for (int t = 0; t < Steps; ++t) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) below[t][r] = here[t][r] = Cells{};
  }
  T* target = next + (z_first - Steps) * grid.plane + y0 * grid.pitch + x;
  int z = z_first, slot = 0;
  unsigned plane_parity = 0, parity = 0, inbox_phase = 1;

  // Takes in plane z.
  const auto iterate = [&]<Edges_in Edges>() {
    wait(mail.plane_is_here[warp][slot], plane_parity);
    Cells up[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) up[r] = load(&mail.planes[warp][slot][r][lane * n]);
    if (z > z_first) {
      if constexpr (Cluster > 1) {
        wait_in_cluster(mail.inbox_is_full[parity][warp], inbox_phase);
      } else {
        wait(mail.inbox_is_full[parity][warp], inbox_phase);
      }
    }
    inbox_phase ^= parity ^ 1;  // of the next iteration
#pragma unroll
    for (int t = 0; t < Steps; ++t) {
      // Makes plane z - t - 1 of level t + 1.
      const Cells from_south =
          load(reinterpret_cast<const T*>(&mail.inbox[parity][t][warp][0][lane]));
      const Cells from_north =
          load(reinterpret_cast<const T*>(&mail.inbox[parity][t][warp][1][lane]));
      const auto leave = [&](bool in_this_block, bool in_next_block, int next_rank, uint4& place,
                             const Cells& row) {
        if (in_this_block) {
          store(reinterpret_cast<T*>(&place), row);
        } else if (in_next_block) {
          uint4 words;
          __builtin_memcpy(&words, &row, sizeof(words));
          store_in_cluster(address_in_cluster(&place, next_rank), words);
        }
      };
      leave(warp > 0, has_south_block, rank - 1, mail.inbox[parity ^ 1][t][south][1][lane], up[0]);
      leave(warp < Warps - 1, has_north_block, rank + 1, mail.inbox[parity ^ 1][t][north][0][lane],
            up[Rows - 1]);
      if (t == Steps - 1) {
        __syncwarp();
        if (arrives) {
          Barrier& barrier = mail.inbox_is_full[parity ^ 1][lane == 0 ? south : north];
          if (is_neighbor_here) {
            arrive(barrier);
          } else {
            arrive_in_cluster(address_in_cluster(&barrier, lane == 0 ? rank - 1 : rank + 1));
          }
        }
        if (z + Ahead <= z_last) fetch_plane(z + Ahead, slot);
        if ((south_is_ghost || north_is_ghost) && z < z_last && is_elected()) {
          for (int side = 0; side < 2; ++side) {
            if (!(side == 0 ? south_is_ghost : north_is_ghost)) continue;
            arrive_and_expect(mail.inbox_is_full[parity ^ 1][warp], Steps * row_bytes);
            for (int level = 0; level < Steps; ++level) {
              copy_box(mail.inbox[parity ^ 1][level][warp][side], row_map, x_tile + n,
                       side == 0 ? 0 : grid.ny + 1, z - level + 1,
                       mail.inbox_is_full[parity ^ 1][warp]);
            }
          }
        }
      }
      const bool plane_changes = Edges != Edges_in::xz || (z - t - 1 >= 0 && z - t - 1 < grid.nz);
      Cells result[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const Cells& center = here[t][r];
        const T west = __shfl_up_sync(all_lanes, center.v[n - 1], 1);
        const T east = __shfl_down_sync(all_lanes, center.v[0], 1);
        result[r] = heat7_update(
            rate, center, west, east, r > 0 ? here[t][r > 0 ? r - 1 : 0] : from_south,
            r + 1 < Rows ? here[t][r + 1 < Rows ? r + 1 : 0] : from_north, below[t][r], up[r]);
        // Ghost cells keep their value; those that no cell reads may change.
        if constexpr (Edges != Edges_in::none) {
#pragma unroll
          for (int i = 0; i < n; ++i) {
            if constexpr (Edges == Edges_in::x) {
              if (i == n - 1 && x < 0) result[r].v[i] = center.v[i];
              if (i == 0 && x >= grid.nx) result[r].v[i] = center.v[i];
            } else {
              const bool changes = plane_changes && x + i >= 0 && x + i < grid.nx;
              if (!changes) result[r].v[i] = center.v[i];
            }
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
    if (is_writer && z - Steps >= z0) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (y0 + r < first_row || y0 + r >= last_row) continue;
        T* to = target + r * grid.pitch;
        stream(to, up[r]);
      }
    }
    target += grid.plane;
    parity ^= 1;
    if (++slot == Ahead) slot = 0, plane_parity ^= 1;
    ++z;
  };

  const int z_inside = min(grid.nz, z_last);  // the last plane that can come with none of z's edges
  while (z <= z_last) {
    if (z < Steps || z + Unroll - 1 > z_inside) {
      iterate.template operator()<Edges_in::xz>();
    } else if (is_x_edge) {
      do {
#pragma unroll
        for (int k = 0; k < Unroll; ++k) iterate.template operator()<Edges_in::x>();
      } while (z + Unroll - 1 <= z_inside);
    } else {
      do {
#pragma unroll
        for (int k = 0; k < Unroll; ++k) iterate.template operator()<Edges_in::none>();
      } while (z + Unroll - 1 <= z_inside);
    }
  }
  // What others leave here must not come after the end.
  if constexpr (Cluster > 1) cluster_barrier();
}

template <class T, int Steps, int Rows, int Warps, int Cluster, int Ahead = 3, int Unroll = 3>
struct Heat7Async {
  static constexpr int steps = Steps;
  static constexpr auto kernel = &heat7_async_kernel<T, Steps, Rows, Warps, Cluster, Ahead, Unroll>;

  static void run(const T* u, T* next, T r, const Grid& grid, cudaStream_t stream) {
    using Tile = temporal::Tile<T, Steps, Rows, Warps * Cluster>;
    if (grid.ny < Tile::height || grid.nx % Tile::n != 0) {
      return Heat7Temporal<T, Steps, 2, 16>::run(u, next, r, grid, stream);
    }
    const int tiles = 1 + divide_up(grid.ny - Tile::height, Tile::own_rows);
    Launch shape{dim3(Tile::count_x(grid), tiles * Cluster), dim3(32, Warps),
                 sizeof(temporal::Mail<T, Steps, Rows, Warps, Ahead>), Cluster};
    const int chunk = chunk_of_planes(kernel, shape, static_cast<int>(shape.blocks.x) * tiles,
                                      grid.nz, 2 * Steps);
    shape.blocks.z = divide_up(grid.nz, chunk);
    constexpr int width = 32 * Tile::n;
    launch(kernel, shape, stream, next, r, grid, chunk, box_map(u, grid, 1, width, Rows),
           box_map(u, grid, 1, width, 1));
  }
};

}  // namespace goban::cuda_twins
