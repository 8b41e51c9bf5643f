#pragma once
// Several steps of a star-shaped functor of reach 1 in one pass through memory; nothing stops a
// whole block.
//
// A warp covers 32 packs of a row and Rows rows, its block Rows * Warps rows. Every iteration takes
// in one plane of level 0 (the field as it is) and makes one plane of every level t (the field t
// steps later), each one plane behind the level before it:
//
//   z ->   level 0   . . . . b h o      o comes in this iteration, and needs of the level before
//          level 1   . . . b h o        the planes b below, h here and o above it; b and h
//          level 2   . . b h o          are in registers
//
// Input planes come by the copy engine, every warp's rows to its own slots, Ahead planes early. In
// the row neighbours come by shuffles. What a warp needs of the rows beside its own lies in its
// inbox: the warps below and above leave it there and arrive at the warp's barrier; where a tile
// ends with the cells that change, the copy engine leaves ghost rows there. So a warp waits for its
// two neighbours only, with the last level's work as slack. All of this for every field that
// marches.
//
// What tiles do not know at their edges is lost level by level, so they overlap. A block works
// through whole columns of tiles first, then through its even share of those that are left.

#include "goban/backend/cuda/march_star.cuh"

namespace goban::cuda {

inline constexpr StarReach one_cell{1, 1, 1};

/// Cells of a tile that do not change or are not to be written.
enum class TileEdges {
  none,
  row_ends,  ///< whole packs at the ends of rows
  any
};

/// How tiles of several steps lie.
template <int Steps, int N, int Rows, int Warps>
struct StepsTile {
  static constexpr int height = Rows * Warps;
  static constexpr int overlap_packs = (Steps + N - 1) / N;
  static constexpr int own_packs = 32 - 2 * overlap_packs;
  static constexpr int own_rows = height - 2 * Steps;
  static_assert(own_packs > 0 && own_rows > 0);
};

/// Columns of tiles. The first begins, the last ends where no more cells change or count.
struct StepsColumns {
  int tiles, columns;    ///< along a row; in all
  int first, first_row;  ///< cells of the first tile
  int last_row;          ///< first row of the last tiles
};

template <int Steps, int N, int Rows, int Warps, class Arguments>
StepsColumns steps_columns(const Arguments& a) {
  using Tile = StepsTile<Steps, N, Rows, Warps>;
  const auto tiles = [](int size, int length, int own) {
    return size <= length ? 1 : 1 + (size - length + own - 1) / own;
  };
  const auto pack = [](int cell) { return static_cast<int>(round_down(cell, N)) / N; };
  const int first_pack =
      std::max(pack(a.low[0]) - Tile::overlap_packs, pack(a.changing_low[0] - 1));
  const int last_pack =
      std::min(pack(a.high[0] - 1) + Tile::overlap_packs, pack(a.changing_high[0]));
  const int begin = std::max(a.low[1] - Steps, a.changing_low[1]);
  const int end = std::min(a.high[1] + Steps, a.changing_high[1]);
  StepsColumns columns{};
  columns.tiles = tiles(last_pack + 1 - first_pack, 32, Tile::own_packs);
  columns.columns = columns.tiles * tiles(end - begin, Tile::height, Tile::own_rows);
  columns.first = first_pack * N;
  columns.first_row = begin;
  columns.last_row = std::max(begin, end - Tile::height);
  return columns;
}

template <int Pairs, int Steps, int Rows, int Warps, int Ahead>
struct StepsMemory {
  uint4 planes[Warps][Ahead][Pairs][Rows][32];
  uint4 inbox[2][Steps][Pairs][Warps][2][32];  ///< by parity of the iteration: row below, above
  CopyBarrier plane_is_here[Warps][Ahead];
  CopyBarrier inbox_is_full[2][Warps];  ///< two, since a neighbour may be an iteration ahead
};

/// Of each field that marches.
template <int Pairs>
struct StepsMaps {
  BoxMap rows[Pairs], row[Pairs];
};

template <class F, int Steps, int N, int Rows, int Warps, int Ahead, int Pairs, Axis Unit,
          class... P>
__global__ void __launch_bounds__(32 * Warps, 1)
    steps_kernel(const __grid_constant__ MarchArguments<F, sizeof...(P), Steps, Pairs> a,
                 const __grid_constant__ StepsColumns columns,
                 const __grid_constant__ StepsMaps<Pairs> maps) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using Tile = StepsTile<Steps, N, Rows, Warps>;
  using Memory = StepsMemory<Pairs, Steps, Rows, Warps, Ahead>;
  using Functor = StarFunctor<F, N, Unit, P...>;
  using T = typename Functor::T;
  using Value = Pack<T, N>;
  static_assert(sizeof(Value) == 16);
  constexpr unsigned row_bytes = 32 * sizeof(uint4);
  auto& memory = shared_memory<Memory>();
  let_next_launch();
  wait_for_turn();

  const int lane = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.y), 0);
  const int south = warp > 0 ? warp - 1 : 0, north = warp < Warps - 1 ? warp + 1 : warp;
  const bool is_first_warp = warp == 0, is_last_warp = warp == Warps - 1;
  const bool arrives = lane == 0 ? !is_first_warp : lane == 1 && !is_last_warp;

  if (lane == 0) {
    for (auto& barrier : memory.plane_is_here[warp]) initialize(barrier, 1);
    for (auto& barriers : memory.inbox_is_full) initialize(barriers[warp], 2);
    fence_barriers();
  }
  __syncthreads();

  // Of the iteration; slots and phases go on from one column to the next.
  int slot = 0;
  unsigned plane_parity = 0, parity = 0, inbox_phase = 0;

  const bool has_whole_packs =
      ((a.low[0] | a.high[0] | a.changing_low[0] | a.changing_high[0]) & (N - 1)) == 0;

  // Of the column: its first cell and row, and the planes it writes.
  int x_tile = 0, y_tile = 0, z_begin = 0, z_end = 0;
  int z = 0, z_last = 0;

  const auto tell_neighbors = [&](CopyBarrier(&barriers)[Warps], bool ghosts_follow) {
    if (arrives) arrive(barriers[lane == 0 ? south : north]);
    if ((is_first_warp || is_last_warp) && is_elected()) {
      // Beyond the tile the warp tells itself, where there are ghost rows with them.
      const int y0 = y_tile + warp * Rows;
      for (int side = 0; side < 2; ++side) {
        if (!(side == 0 ? is_first_warp : is_last_warp)) continue;
        const int row = side == 0 ? y0 - 1 : y0 + Rows;
        const bool is_ghost = side == 0 ? row < a.changing_low[1] : row == a.changing_high[1];
        if (!ghosts_follow || !is_ghost) {
          arrive(barriers[warp]);
          continue;
        }
        arrive_and_expect(barriers[warp], Pairs * Steps * row_bytes);
        for (int level = 0; level < Steps; ++level) {
          unroll<Pairs>([&](auto k) {
            const ReadableCells& cells = a.readable[k];
            copy_box(memory.inbox[parity ^ 1][level][k][warp][side], maps.row[k],
                     (x_tile - cells.first_pack) / N * 4, row - cells.low[1],
                     z - level - cells.low[2], barriers[warp]);
          });
        }
      }
    }
  };
  tell_neighbors(memory.inbox_is_full[0], false);

  Value below[Steps][Rows][Pairs], here[Steps][Rows][Pairs];
  unroll<Steps * Rows * Pairs>([&](auto i) {
    constexpr int t = i / (Rows * Pairs), r = i / Pairs % Rows, k = i % Pairs;
    below[t][r][k] = here[t][r][k] = Value(T(0));
  });

  const auto work_through = [&](int column) {
    const int tile = column % columns.tiles, row_of_tiles = column / columns.tiles;
    x_tile = columns.first + tile * Tile::own_packs * N;
    y_tile = min(columns.first_row + row_of_tiles * Tile::own_rows, columns.last_row);
    const int x = x_tile + lane * N, y0 = y_tile + warp * Rows;
    z = max(z_begin - Steps, a.changing_low[2] - 1);
    z_last = z_end - 1 + Steps;

    // What this thread writes.
    const int tile_rows = row_of_tiles == 0 ? a.low[1] : y_tile + Steps;
    const int first_row = max(tile_rows, a.low[1]);
    const int last_row =
        y_tile == columns.last_row ? a.high[1] : min(y_tile + Tile::height - Steps, a.high[1]);
    const bool is_last_tile = tile == columns.tiles - 1;
    const int low = a.low[0] - x, high = a.high[0] - x;
    const bool is_writer = (tile == 0 || lane >= Tile::overlap_packs) &&
                           (is_last_tile || lane < 32 - Tile::overlap_packs) && low < N && high > 0;
    const bool has_row_ends = x_tile < a.changing_low[0] || x_tile + 32 * N > a.changing_high[0] ||
                              x_tile < a.low[0] || x_tile + 32 * N > a.high[0];
    const bool has_other_edges =
        (has_row_ends && !has_whole_packs) || y_tile + Tile::height > a.changing_high[1];
    const bool is_before = x < a.changing_low[0], is_after = x >= a.changing_high[0];

    const auto fetch_plane = [&](int plane, int to) {
      if (!is_elected()) return;
      arrive_and_expect(memory.plane_is_here[warp][to], Pairs * Rows * row_bytes);
      unroll<Pairs>([&](auto k) {
        const ReadableCells& cells = a.readable[k];
        copy_box(memory.planes[warp][to][k], maps.rows[k], (x_tile - cells.first_pack) / N * 4,
                 y0 - cells.low[1], plane - cells.low[2], memory.plane_is_here[warp][to]);
      });
    };
    for (int k = 0; k < Ahead; ++k) {
      const int to = slot + k < Ahead ? slot + k : slot + k - Ahead;
      if (z + k <= z_last) fetch_plane(z + k, to);
    }
    T* target[Pairs];
    unroll<Pairs>([&](auto k) {
      const FieldView& f = a.field[Functor::out(k)];
      target[k] = reinterpret_cast<T*>(f.write) + (z - Steps) * f.slow +
                  y0 * static_cast<Index>(f.middle) + x;
    });

    // Takes in plane z.
    const auto iterate = [&]<TileEdges Edges>(std::integral_constant<TileEdges, Edges>) {
      wait(memory.plane_is_here[warp][slot], plane_parity);
      Value up[Rows][Pairs];
      unroll<Rows * Pairs>([&](auto i) {
        constexpr int r = i / Pairs, k = i % Pairs;
        up[r][k] = load_row<N, T>(memory.planes[warp][slot][k][r][lane]);
      });
      wait(memory.inbox_is_full[parity][warp], inbox_phase);
      inbox_phase ^= parity;  // of the next iteration
      unroll<Steps>([&](auto t) {
        // Makes plane z - t - 1 of level t + 1.
        Value from_south[Pairs], from_north[Pairs];
        unroll<Pairs>([&](auto k) {
          auto& now = memory.inbox[parity][t][k];
          auto& next = memory.inbox[parity ^ 1][t][k];
          from_south[k] = load_row<N, T>(now[warp][0][lane]);
          from_north[k] = load_row<N, T>(now[warp][1][lane]);
          if (!is_first_warp) store_row(next[south][1][lane], up[0][k]);
          if (!is_last_warp) store_row(next[north][0][lane], up[Rows - 1][k]);
        });
        if constexpr (t == Steps - 1) {
          __syncwarp();
          tell_neighbors(memory.inbox_is_full[parity ^ 1], z < z_last);
          if (z + Ahead <= z_last) fetch_plane(z + Ahead, slot);
        }
        const int plane = z - t - 1;
        Value result[Rows][Pairs];
        unroll<Rows>([&](auto r) {
          Star<T, N, one_cell> stars[Pairs];
          unroll<Pairs>([&](auto k) {
            Star<T, N, one_cell>& star = stars[k];
            star.center = here[t][r][k];
            star.before = shuffled(star.center, N - 1, 1, true);
            star.after = shuffled(star.center, 0, 1, false);
            star.middle[1] = star.slow[1] = star.center;
            if constexpr (r > 0) {
              star.middle[0] = here[t][r - 1][k];
            } else {
              star.middle[0] = from_south[k];
            }
            if constexpr (r + 1 < Rows) {
              star.middle[2] = here[t][r + 1][k];
            } else {
              star.middle[2] = from_north[k];
            }
            star.slow[0] = below[t][r][k];
            star.slow[2] = up[r][k];
          });
          Functor::evaluate(a, t, needed_place<N>(a, x, y0 + r, plane), stars, result[r]);
          unroll<Pairs>([&](auto k) {
            const Value& center = here[t][r][k];
            if constexpr (Edges == TileEdges::row_ends) {
              // Of the packs beyond a row's ends the cell beside it alone is read by those that
              // count.
              if (is_before) result[r][k].set_lane(N - 1, center.lane(N - 1));
              if (is_after) result[r][k].set_lane(0, center.lane(0));
            } else if constexpr (Edges == TileEdges::any) {
              const bool row_changes = plane >= a.changing_low[2] && plane < a.changing_high[2] &&
                                       y0 + r < a.changing_high[1];
              unroll<N>([&](auto i) {
                const bool changes =
                    row_changes && x + i >= a.changing_low[0] && x + i < a.changing_high[0];
                if (!changes) result[r][k].set_lane(i, center.lane(i));
              });
            }
          });
        });
        unroll<Rows * Pairs>([&](auto i) {
          constexpr int r = i / Pairs, k = i % Pairs;
          below[t][r][k] = here[t][r][k];
          here[t][r][k] = up[r][k];
          up[r][k] = result[r][k];
        });
      });
      if (is_writer && z - Steps >= z_begin) {
        unroll<Rows>([&](auto r) {
          if (y0 + r < first_row || y0 + r >= last_row) return;
          unroll<Pairs>([&](auto k) {
            T* to = target[k] + r * static_cast<Index>(a.field[Functor::out(k)].middle);
            if (Edges != TileEdges::any || (low <= 0 && high >= N)) {
              store_streaming(to, up[r][k]);
            } else {
              store_lanes(to, up[r][k], low, high);
            }
          });
        });
      }
      unroll<Pairs>([&](auto k) { target[k] += a.field[Functor::out(k)].slow; });
      parity ^= 1;
      if (++slot == Ahead) slot = 0, plane_parity ^= 1;
      ++z;
    };
    // Planes that come with none of the ghosts beyond the first and last planes.
    const int z_inside = min(a.changing_high[2], z_last);
    const auto go_on_inside = [&](auto edges) {
      do {
        iterate(edges);
      } while (z <= z_inside);
    };
    while (z <= z_last) {
      if (has_other_edges || z < a.changing_low[2] + Steps || z > z_inside) {
        iterate(std::integral_constant<TileEdges, TileEdges::any>{});
      } else if (has_row_ends) {
        go_on_inside(std::integral_constant<TileEdges, TileEdges::row_ends>{});
      } else {
        go_on_inside(std::integral_constant<TileEdges, TileEdges::none>{});
      }
    }
  };

  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int planes = a.high[2] - a.low[2];
  const int rounds = columns.columns / blocks, left = columns.columns - rounds * blocks;
  const Index work = static_cast<Index>(left) * planes;
  int position = static_cast<int>(block * work / blocks);
  const int end = static_cast<int>((block + 1) * work / blocks);
  for (int round = 0; round < rounds || position < end; ++round) {
    int column = round * blocks + block;
    z_begin = a.low[2];
    z_end = a.high[2];
    if (round >= rounds) {
      column = rounds * blocks + position / planes;
      z_begin += position % planes;
      z_end = min(a.high[2], z_begin + end - position);
      position += z_end - z_begin;
    }
    work_through(column);
  }
#endif
}

/// False if the copy engine cannot do it.
template <class F, int Steps, int N, int Rows, int Warps, int Ahead, int Pairs, Axis Unit,
          class... P>
bool launch_steps(const MarchCall& call) {
  using Memory = StepsMemory<Pairs, Steps, Rows, Warps, Ahead>;
  constexpr auto kernel = &steps_kernel<F, Steps, N, Rows, Warps, Ahead, Pairs, Unit, P...>;
  const auto* function = reinterpret_cast<const void*>(kernel);
  // Per process: the devices of a machine are taken to be alike.
  static const bool is_possible = has_copy_engine(function);
  if (!is_possible || call.box.empty()) return is_possible;
  static const int at_once = blocks_at_once(function, 32 * Warps, sizeof(Memory));
  const auto a = march_arguments<F, Steps, N, Pairs, Unit, P...>(call);
  StepsMaps<Pairs> maps;
  for (int k = 0; k < Pairs; ++k) {
    const int in = KernelShape<F, Unit, P...>::pairs()[static_cast<std::size_t>(k)].in;
    const CopiedArray array = copied_array(a.field[in], a.readable[k], N);
    if (!make_box_map(maps.rows[k], array, 128, Rows) ||
        !make_box_map(maps.row[k], array, 128, 1)) {
      return false;
    }
  }
  const StepsColumns columns = steps_columns<Steps, N, Rows, Warps>(a);
  // A block begins with planes that it does not write.
  const Index work = static_cast<Index>(columns.columns) * a.planes;
  const int blocks =
      static_cast<int>(std::min<Index>(at_once, (work + 4 * Steps - 1) / (4 * Steps)));
  launch_marching(kernel, dim3(static_cast<unsigned>(blocks)), dim3(32, Warps), sizeof(Memory),
                  call.stream, a, columns, maps);
  return true;
}

}  // namespace goban::cuda
