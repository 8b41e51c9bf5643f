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
// inbox: the warps below and above leave it there and arrive at the warp's barrier. So a warp waits
// for its two neighbours only, with the last level's work as slack. Where a tile ends with the
// cells that change, the ghost row beside it comes with its plane and stays until the last level
// has read it. All of this for every field that marches.
//
// What tiles do not know at their edges is lost level by level, so they overlap. A block works
// through whole columns of tiles first, then through its even share of those that are left.

#include "star.cuh"

namespace goban::device {

/// Cells of a tile that do not change or are not to be written.
enum class TileEdges {
  none,
  row_ends,  ///< whole packs at the ends of rows
  any
};

template <TileEdges E>
struct Edge {
  static constexpr TileEdges value = E;
};

/// How tiles of several steps lie.
struct StepsTile {
  static constexpr int height = tile_rows * warps;
  static constexpr int overlap_packs = (steps + pack_width - 1) / pack_width;
  static constexpr int own_packs = 32 - 2 * overlap_packs;
  static constexpr int own_rows = height - 2 * steps;
  static_assert(own_packs > 0 && own_rows > 0);
};

/// Planes of a field that marches which are stored a second time, in halos of others; see Output.
template <class A, class Put>
GOBAN_DEVICE void for_each_sent(const A& a, int pair, int plane, const Scalar* cells,
                                const Put& put) {
  if constexpr (sends_planes) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const SendView& view = a.planes_sent[march_out[pair]][side];
      if (plane < view.first || plane >= view.last) continue;
      put(reinterpret_cast<Scalar*>(reinterpret_cast<unsigned char*>(const_cast<Scalar*>(cells)) +
                                    view.shift));
    }
  }
}

/// Planes before `to` and from `from` on may be sent.
template <class A>
GOBAN_DEVICE void find_sent(const A& a, int& to, int& from) {
  if constexpr (sends_planes) {
    unroll<pairs>([&](auto k) {
      for (const SendView& view : a.planes_sent[march_out[k]]) {
        if (view.components == 0) continue;
        if (view.first <= a.common.low[2]) {
          to = max(to, view.last);
        } else {
          from = min(from, view.first);
        }
      }
    });
  }
}

struct StepsMemory {
  uint4 planes[warps][ahead][pairs][tile_rows][32];
  uint4 inbox[2][steps][pairs][warps][2][32];  ///< by parity of the iteration: row below, above
  uint4 ghosts[2][steps + ahead][pairs][32];   ///< rows below and above the tile, by plane
  CopyBarrier plane_is_here[warps][ahead];
  CopyBarrier inbox_is_full[2][warps];  ///< two, since a neighbour may be an iteration ahead
};

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(32 * goban::device::warps, 1)
    goban_kernel(const __grid_constant__ goban::device::Arguments a,
                 const __grid_constant__ goban::device::StepsColumns columns,
                 const __grid_constant__ goban::device::StepsMaps maps) {
  using namespace goban::device;
  constexpr int N = pack_width;
  using Tile = StepsTile;
  using Memory = StepsMemory;
  constexpr unsigned row_bytes = 32 * sizeof(uint4);
  const MarchCommon& c = a.common;
  auto& memory = shared_memory<Memory>();
  let_next_launch();
  wait_for_launch_before();

  const int lane = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.y), 0);
  const int south = warp > 0 ? warp - 1 : 0, north = warp < warps - 1 ? warp + 1 : warp;
  const bool is_first_warp = warp == 0, is_last_warp = warp == warps - 1;
  const bool arrives = lane == 0 ? !is_first_warp : lane == 1 && !is_last_warp;
  static_assert(warps > 1);

  if (lane == 0) {
    for (auto& barrier : memory.plane_is_here[warp]) initialize(barrier, 1);
    const int neighbors = is_first_warp || is_last_warp ? 1 : 2;
    for (auto& barriers : memory.inbox_is_full) initialize(barriers[warp], neighbors);
    fence_barriers();
  }
  __syncthreads();

  // The state of the iteration: slots and phases go on from one column to the next.
  constexpr int ghost_planes = steps + ahead;
  int slot = 0, ghost_slot = 0;
  unsigned plane_parity = 0, parity = 0, inbox_phase = 0;

  const bool has_whole_packs =
      ((c.low[0] | c.high[0] | c.changing_low[0] | c.changing_high[0]) & (N - 1)) == 0;

  // Planes before sent_to and those from sent_from on are sent.
  int sent_to = c.low[2], sent_from = c.high[2];
  find_sent(a, sent_to, sent_from);

  // The column at hand: its first cell and row, and the planes it writes.
  int x_tile = 0, y_tile = 0, z_begin = 0, z_end = 0;
  int z = 0, z_last = 0;

  const auto tell_neighbors = [&](CopyBarrier(&barriers)[warps]) {
    if (arrives) arrive(barriers[lane == 0 ? south : north]);
  };
  tell_neighbors(memory.inbox_is_full[0]);

  Value below[steps][tile_rows][pairs], here[steps][tile_rows][pairs];
  unroll<steps * tile_rows * pairs>([&](auto i) {
    constexpr int t = i / (tile_rows * pairs), r = i / pairs % tile_rows, k = i % pairs;
    below[t][r][k] = here[t][r][k] = all<Scalar, N>(Scalar(0));
  });

  const auto work_through = [&](int column) {
    const int tile = column % columns.tiles, row_of_tiles = column / columns.tiles;
    x_tile = columns.first + tile * Tile::own_packs * N;
    y_tile = min(columns.first_row + row_of_tiles * Tile::own_rows, columns.last_row);
    const int x = x_tile + lane * N, y0 = y_tile + warp * tile_rows;
    z = max(z_begin - steps, c.changing_low[2] - 1);
    z_last = z_end - 1 + steps;

    // What this thread writes.
    const int own_rows = row_of_tiles == 0 ? c.low[1] : y_tile + steps;
    const int first_row = max(own_rows, c.low[1]);
    const int last_row =
        y_tile == columns.last_row ? c.high[1] : min(y_tile + Tile::height - steps, c.high[1]);
    const bool is_last_tile = tile == columns.tiles - 1;
    const int low = c.low[0] - x, high = c.high[0] - x;
    const bool is_writer = (tile == 0 || lane >= Tile::overlap_packs) &&
                           (is_last_tile || lane < 32 - Tile::overlap_packs) && low < N && high > 0;
    const bool has_row_ends = x_tile < c.changing_low[0] || x_tile + 32 * N > c.changing_high[0] ||
                              x_tile < c.low[0] || x_tile + 32 * N > c.high[0];
    const bool has_other_edges =
        (has_row_ends && !has_whole_packs) || y_tile + Tile::height > c.changing_high[1];
    const bool is_before = x < c.changing_low[0], is_after = x >= c.changing_high[0];

    const bool has_ghosts[2] = {is_first_warp && y0 - 1 < c.changing_low[1],
                                is_last_warp && y0 + tile_rows == c.changing_high[1]};
    const auto fetch_plane = [&](int later) {
      if (!is_elected()) return;
      const int plane = z + later;
      const int to = slot + later < ahead ? slot + later : slot + later - ahead;
      const int ghosts_to = ghost_slot + later < ghost_planes ? ghost_slot + later
                                                              : ghost_slot + later - ghost_planes;
      CopyBarrier& barrier = memory.plane_is_here[warp][to];
      arrive_and_expect(barrier, pairs * (tile_rows + has_ghosts[0] + has_ghosts[1]) * row_bytes);
      unroll<pairs>([&](auto k) {
        const ReadableCells& cells = c.readable[k];
        const int word = (x_tile - cells.first_pack) / N * 4, row = y0 - cells.low[1];
        copy_box(memory.planes[warp][to][k], maps.rows[k], word, row, plane - cells.low[2],
                 barrier);
        for (int side = 0; side < 2; ++side) {
          if (!has_ghosts[side]) continue;
          copy_box(memory.ghosts[side][ghosts_to][k], maps.row[k], word,
                   side == 0 ? row - 1 : row + tile_rows, plane - cells.low[2], barrier);
        }
      });
    };
    for (int k = 0; k < ahead; ++k) {
      if (z + k <= z_last) fetch_plane(k);
    }
    Scalar* target[pairs];
    unroll<pairs>([&](auto k) {
      const FieldView& f = a.field[march_out[k]];
      target[k] = reinterpret_cast<Scalar*>(f.write) + (z - steps) * f.slow +
                  y0 * static_cast<Index>(f.middle) + x;
    });

    // Takes in plane z.
    const auto iterate = [&](auto edges) {
      constexpr TileEdges Edges = decltype(edges)::value;
      wait(memory.plane_is_here[warp][slot], plane_parity);
      Value up[tile_rows][pairs];
      unroll<tile_rows * pairs>([&](auto i) {
        constexpr int r = i / pairs, k = i % pairs;
        up[r][k] = load_row(memory.planes[warp][slot][k][r][lane]);
      });
      wait(memory.inbox_is_full[parity][warp], inbox_phase);
      inbox_phase ^= parity;  // of the next iteration
      unroll<steps>([&](auto t) {
        // Makes plane z - t - 1 of level t + 1.
        Value from_south[pairs], from_north[pairs];
        unroll<pairs>([&](auto k) {
          auto& now = memory.inbox[parity][t][k];
          auto& next = memory.inbox[parity ^ 1][t][k];
          from_south[k] = load_row(now[warp][0][lane]);
          from_north[k] = load_row(now[warp][1][lane]);
          if (!is_first_warp) store_row(next[south][1][lane], up[0][k]);
          if (!is_last_warp) store_row(next[north][0][lane], up[tile_rows - 1][k]);
        });
        if (has_ghosts[0] || has_ghosts[1]) {
          const int of_plane =
              ghost_slot > t ? ghost_slot - 1 - t : ghost_slot - 1 - t + ghost_planes;
          unroll<pairs>([&](auto k) {
            if (has_ghosts[0]) from_south[k] = load_row(memory.ghosts[0][of_plane][k][lane]);
            if (has_ghosts[1]) from_north[k] = load_row(memory.ghosts[1][of_plane][k][lane]);
          });
        }
        if constexpr (t == steps - 1) {
          __syncwarp();
          tell_neighbors(memory.inbox_is_full[parity ^ 1]);
          if (z + ahead <= z_last) fetch_plane(ahead);
        }
        const int plane = z - t - 1;
        Value result[tile_rows][pairs];
        unroll<tile_rows>([&](auto r) {
          Star stars[pairs];
          unroll<pairs>([&](auto k) {
            Star& star = stars[k];
            star.center = here[t][r][k];
            star.before = shuffled<N - 1, 1, true>(star.center);
            star.after = shuffled<0, 1, false>(star.center);
            star.middle[1] = star.slow[1] = star.center;
            if constexpr (decltype(r)::value > 0) {
              star.middle[0] = here[t][r - 1][k];
            } else {
              star.middle[0] = from_south[k];
            }
            if constexpr (decltype(r)::value + 1 < tile_rows) {
              star.middle[2] = here[t][r + 1][k];
            } else {
              star.middle[2] = from_north[k];
            }
            star.slow[0] = below[t][r][k];
            star.slow[2] = up[r][k];
          });
          evaluate(a, t, needed_place(c, x, y0 + r, plane), stars, result[r]);
          unroll<pairs>([&](auto k) {
            const Value& center = here[t][r][k];
            if constexpr (Edges == TileEdges::row_ends) {
              // Cells that count read only one cell of the packs beyond a row's ends: the cell
              // beside it.
              if (is_before) result[r][k].set(N - 1, center[N - 1]);
              if (is_after) result[r][k].set(0, center[0]);
            } else if constexpr (Edges == TileEdges::any) {
              const bool row_changes = plane >= c.changing_low[2] && plane < c.changing_high[2] &&
                                       y0 + r < c.changing_high[1];
              unroll<N>([&](auto i) {
                const bool changes =
                    row_changes && x + i >= c.changing_low[0] && x + i < c.changing_high[0];
                if (!changes) result[r][k].set(i, center[i]);
              });
            }
          });
        });
        unroll<tile_rows * pairs>([&](auto i) {
          constexpr int r = i / pairs, k = i % pairs;
          below[t][r][k] = here[t][r][k];
          here[t][r][k] = up[r][k];
          up[r][k] = result[r][k];
        });
      });
      if (is_writer && z - steps >= z_begin) {
        const bool is_sent = sends_planes && (z - steps < sent_to || z - steps >= sent_from);
        unroll<tile_rows>([&](auto r) {
          if (y0 + r < first_row || y0 + r >= last_row) return;
          unroll<pairs>([&](auto k) {
            Scalar* to = target[k] + r * static_cast<Index>(a.field[march_out[k]].middle);
            const auto put = [&](Scalar* cells) {
              if (Edges != TileEdges::any || (low <= 0 && high >= N)) {
                store_streaming(cells, up[r][k]);
              } else {
                store_lanes(cells, up[r][k], low, high);
              }
            };
            put(to);
            if (is_sent) for_each_sent(a, k, z - steps, to, put);
          });
        });
      }
      unroll<pairs>([&](auto k) { target[k] += a.field[march_out[k]].slow; });
      parity ^= 1;
      if (++slot == ahead) slot = 0, plane_parity ^= 1;
      if (++ghost_slot == ghost_planes) ghost_slot = 0;
      ++z;
    };
    // Planes that come with none of the ghosts beyond the first and last planes.
    const int z_inside = min(c.changing_high[2], z_last);
    const auto go_on_inside = [&](auto edges) {
      do {
        iterate(edges);
      } while (z <= z_inside);
    };
    while (z <= z_last) {
      if (has_other_edges || z < c.changing_low[2] + steps || z > z_inside) {
        iterate(Edge<TileEdges::any>{});
      } else if (has_row_ends) {
        go_on_inside(Edge<TileEdges::row_ends>{});
      } else {
        go_on_inside(Edge<TileEdges::none>{});
      }
    }
  };

  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int planes = c.high[2] - c.low[2];
  const int rounds = columns.columns / blocks, left = columns.columns - rounds * blocks;
  const Index work = static_cast<Index>(left) * planes;
  int position = static_cast<int>(block * work / blocks);
  const int end = static_cast<int>((block + 1) * work / blocks);
  for (int round = 0; round < rounds || position < end; ++round) {
    int column = round * blocks + block;
    z_begin = c.low[2];
    z_end = c.high[2];
    if (round >= rounds) {
      column = rounds * blocks + position / planes;
      z_begin += position % planes;
      z_end = min(c.high[2], z_begin + end - position);
      position += z_end - z_begin;
    }
    work_through(column);
  }
}
