#pragma once
// Star-shaped functors on tiles that march through the planes, one step or several in one pass:
// where the copy engine cannot be used (steps.cuh, ring.cuh).
//
// A warp covers 32 packs of a row and Rows rows, its block Rows * Warps rows. Every iteration takes
// in one plane of level 0 (the field as it is) and makes one plane of every level t (the field t
// steps later), each Reach planes behind the level before it. A thread keeps the planes of its own
// cells in registers; neighbours in the row come by shuffles, those in other warps' rows through
// shared memory, where each plane is left one iteration before it is needed: one barrier a plane.
//
// What a tile does not know at its edges is lost level by level, so tiles of several steps overlap.
// Tiles of one step load what lies beside them instead.

//
// A plane is left for the neighbours an iteration early, so that slow_reach is at least 1.

#include "star.cuh"

namespace goban::device {

/// How the tiles of a march lie.
struct MarchTile {
  static constexpr int height = tile_rows * warps;
  static constexpr int overlap_packs = steps > 1 ? (steps* fast_reach + pack_width - 1) / pack_width
                                                 : 0;
  static constexpr int overlap_rows = steps > 1 ? steps* middle_reach : 0;
  static constexpr int own_packs = 32 - 2 * overlap_packs;
  static constexpr int own_rows = height - 2 * overlap_rows;
  static constexpr int beside_rows = steps > 1 ? 0 : 2 * middle_reach;  ///< loaded, not computed
  static constexpr int window = 2 * slow_reach + 1;                     ///< planes
  static constexpr int lead = steps * slow_reach;
  static_assert(own_packs > 0 && own_rows > 0 && fast_reach <= pack_width);
  static_assert(beside_rows <= warps);
};

/// Parts of the block's shared memory, in packs of 16 bytes.
struct MarchMemory {
  using Tile = MarchTile;
  static constexpr int slots = slow_reach + 1;  ///< from a plane's arrival to its use
  uint4 center[2][steps][Tile::height][32];
  uint4 beside[slots + 1][Tile::beside_rows > 0 ? Tile::beside_rows : 1][32];
  uint4 ends[slots][steps > 1 ? 1 : Tile::height][2];
};

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(32 * goban::device::warps)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  constexpr int N = pack_width;
  using Tile = MarchTile;
  using Memory = MarchMemory;
  constexpr int fast = fast_reach, middle = middle_reach, slow = slow_reach;
  constexpr int window_planes = Tile::window, newest = Tile::window - 1;
  const MarchCommon& c = a.common;
  auto& memory = shared_memory<Memory>();
  let_next_launch();
  wait_for_launch_before();

  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x =
      c.first + (static_cast<int>(blockIdx.x) * Tile::own_packs + lane - Tile::overlap_packs) * N;
  const int tile_y = c.low[1] + static_cast<int>(blockIdx.y) * Tile::own_rows - Tile::overlap_rows;
  const int y = tile_y + warp * tile_rows;
  const int z_begin = c.low[2] + static_cast<int>(blockIdx.z) * c.planes;
  const int z_end = min(z_begin + c.planes, c.high[2]);
  const int z_first = z_begin - Tile::lead, z_last = z_end - 1 + Tile::lead;

  const FieldView& source = a.field[march_in[0]];
  const Scalar* const cells = reinterpret_cast<const Scalar*>(source.read);
  const auto inside = [&](int axis, int i) {
    return min(max(i, c.readable[0].low[axis]), c.readable[0].high[axis] - 1);
  };
  // Packs beside those that hold readable cells may be loaded, too.
  const int x_read = min(max(x, c.readable[0].first_pack), c.readable[0].last_pack);
  Index offset[tile_rows];
  unroll<tile_rows>(
      [&](auto r) { offset[r] = inside(1, y + r) * static_cast<Index>(source.middle) + x_read; });
  const auto load_plane = [&](int z, Value(&to)[tile_rows]) {
    const Scalar* plane = cells + inside(2, z) * source.slow;
    unroll<tile_rows>([&](auto r) { to[r] = load_constant<N>(plane + offset[r]); });
  };
  // Tiles of one step: rows above and below the tile, packs beside it.
  constexpr bool is_single = steps == 1;
  const bool loads_row = is_single && warp < Tile::beside_rows;
  const int row_beside =
      warp < middle ? tile_y - middle + warp : tile_y + Tile::height + warp - middle;
  const Index offset_beside = inside(1, row_beside) * static_cast<Index>(source.middle) + x_read;
  const bool loads_end = is_single && fast > 0 && (lane == 0 || lane == 31);
  const int to_end = lane == 0 ? -N : N;

  Value column[steps][tile_rows][window_planes], coming[tile_rows], coming_beside,
      coming_end[tile_rows];
  unroll<steps>([&](auto t) {
    unroll<tile_rows>([&](auto r) {
      unroll<window_planes>([&](auto k) { column[t][r][k] = all<Scalar, N>(Scalar(0)); });
    });
  });
  const auto load_coming = [&](int z) {
    load_plane(z, coming);
    if constexpr (is_single) {
      const Scalar* plane = cells + inside(2, z) * source.slow;
      if (loads_row) coming_beside = load_constant<N>(plane + offset_beside);
      if (loads_end) {
        unroll<tile_rows>(
            [&](auto r) { coming_end[r] = load_constant<N>(plane + offset[r] + to_end); });
      }
    }
  };
  load_coming(z_first);

  // Evaluates one level of the plane in the middle of its window.
  const auto evaluate_level = [&](auto level, auto turn, int plane, int parity, int slot,
                                  int end_slot, Value(&result)[tile_rows]) {
    constexpr int t = level;
    using At = Window<window_planes, turn>;
    unroll<tile_rows>([&](auto r) {
      Star stars[1];
      Star& star = stars[0];
      star.center = column[t][r][At::at(slow)];
      unroll<window_planes>([&](auto k) { star.slow[k] = column[t][r][At::at(k)]; });
      unroll<2 * middle + 1>([&](auto j) {
        constexpr int row = decltype(r)::value + decltype(j)::value - middle;
        if constexpr (row >= 0 && row < tile_rows) {
          star.middle[j] = column[t][row][At::at(slow)];
        } else {
          const int other = warp * tile_rows + row;
          const uint4* from;
          if constexpr (is_single) {
            from = other < 0               ? memory.beside[slot][other + middle]
                   : other >= Tile::height ? memory.beside[slot][other - Tile::height + middle]
                                           : memory.center[parity][t][other];
          } else {
            from = memory.center[parity][t][min(max(other, 0), Tile::height - 1)];
          }
          star.middle[j] = load<N>(reinterpret_cast<const Scalar*>(from + lane));
        }
      });
      if constexpr (fast > 0) {
        star.before = shuffled<N - fast, fast, true>(star.center);
        star.after = shuffled<0, fast, false>(star.center);
        if constexpr (is_single) {
          if (loads_end) {
            const Value end = load<N>(reinterpret_cast<const Scalar*>(
                &memory.ends[end_slot][warp * tile_rows + r][lane == 0 ? 0 : 1]));
            (lane == 0 ? star.before : star.after) = end;
          }
        }
      }
      Value made[1];
      evaluate(a, t, needed_place(c, x, y + r, plane), stars, made);
      result[r] = made[0];
    });
  };

  const bool touches_ghosts = x < c.changing_low[0] || x + N > c.changing_high[0] ||
                              y < c.changing_low[1] || y + tile_rows > c.changing_high[1];
  const auto keep_ghosts = [&](int plane, const Value(&old)[tile_rows], Value(&result)[tile_rows]) {
    const bool is_out = plane < c.changing_low[2] || plane >= c.changing_high[2];
    if (!touches_ghosts && !is_out) return;
    unroll<tile_rows>([&](auto r) {
      const bool row_is_out = is_out || y + r < c.changing_low[1] || y + r >= c.changing_high[1];
      unroll<N>([&](auto i) {
        if (row_is_out || x + i < c.changing_low[0] || x + i >= c.changing_high[0]) {
          result[r].set(i, old[r][i]);
        }
      });
    });
  };

  const bool is_writer =
      steps == 1 || (lane >= Tile::overlap_packs && lane < 32 - Tile::overlap_packs);
  const int first_row = tile_y + Tile::overlap_rows;
  const int last_row = min(first_row + Tile::own_rows, c.high[1]);
  const FieldView& target = a.field[march_out[0]];
  const auto write = [&](int plane, const Value(&result)[tile_rows]) {
    if (!is_writer || plane < z_begin || plane >= z_end) return;
    const int low = c.low[0] - x, high = c.high[0] - x;
    if (high <= 0 || low >= N) return;
    Scalar* to = reinterpret_cast<Scalar*>(target.write) + plane * target.slow + x;
    unroll<tile_rows>([&](auto r) {
      if (y + r < first_row || y + r >= last_row) return;
      Scalar* row = to + (y + r) * static_cast<Index>(target.middle);
      if (low <= 0 && high >= N) {
        store_streaming(row, result[r]);
      } else {
        store_lanes(row, result[r], low, high);
      }
    });
  };

  // Takes in plane z, the turn-th since the window last lay as it began.
  const auto iterate = [&](auto turn, int z) {
    const int count = z - z_first, parity = count & 1;
    using At = Window<window_planes, turn>;
    [[maybe_unused]] const int arriving = count % (Memory::slots + 1);
    const int slot = (count + (Memory::slots + 1) - slow) % (Memory::slots + 1);
    Value up[tile_rows];
    unroll<tile_rows>([&](auto r) { up[r] = coming[r]; });
    if constexpr (is_single) {
      if (loads_row)
        goban::device::store(reinterpret_cast<Scalar*>(&memory.beside[arriving][warp][lane]),
                             coming_beside);
      if (loads_end) {
        unroll<tile_rows>([&](auto r) {
          goban::device::store(
              reinterpret_cast<Scalar*>(
                  &memory.ends[count % Memory::slots][warp * tile_rows + r][lane == 0 ? 0 : 1]),
              coming_end[r]);
        });
      }
    }
    load_coming(z + 1);
    unroll<steps>([&](auto t) {
      const int plane = z - (t + 1) * slow;
      Value result[tile_rows], old[tile_rows];
      unroll<tile_rows>([&](auto r) {
        column[t][r][At::at(newest)] = up[r];
        old[r] = column[t][r][At::at(slow)];
      });
      evaluate_level(t, turn, plane, parity, slot, (count + 1) % Memory::slots, result);
      if constexpr (steps > 1) keep_ghosts(plane, old, result);
      unroll<tile_rows>([&](auto r) {
        // The middle of the window when the next plane has come in.
        goban::device::store(
            reinterpret_cast<Scalar*>(&memory.center[parity ^ 1][t][warp * tile_rows + r][lane]),
            column[t][r][At::at(slow + 1)]);
        up[r] = result[r];
      });
    });
    write(z - Tile::lead, up);
    __syncthreads();
  };
  for (int z = z_first; z <= z_last; z += window_planes) {
    unroll<window_planes>([&](auto turn) {
      if (z + turn <= z_last) iterate(turn, z + turn);
    });
  }
}
