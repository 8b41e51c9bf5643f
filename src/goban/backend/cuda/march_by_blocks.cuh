#pragma once
// Star-shaped functors on tiles that march through the planes, one step or several in one pass:
// where the copy engine cannot be used (march_steps.cuh, march_sweep.cuh).
//
// A warp covers 32 packs of a row and Rows rows, its block Rows * Warps rows. Every iteration takes
// in one plane of level 0 (the field as it is) and makes one plane of every level t (the field t
// steps later), each Reach planes behind the level before it. A thread keeps the planes of its own
// cells in registers; neighbours in the row come by shuffles, those in other warps' rows through
// shared memory, where each plane is left one iteration before it is needed: one barrier a plane.
//
// What a tile does not know at its edges is lost level by level, so tiles of several steps overlap.
// Tiles of one step load what lies beside them instead.

#include "goban/backend/cuda/march_star.cuh"

namespace goban::cuda {

/// How the tiles of a march lie.
template <int Steps, int N, int Rows, int Warps, StarReach Reach>
struct MarchTile {
  static constexpr int height = Rows * Warps;
  static constexpr int overlap_packs = Steps > 1 ? (Steps* Reach.fast + N - 1) / N : 0;
  static constexpr int overlap_rows = Steps > 1 ? Steps* Reach.middle : 0;
  static constexpr int own_packs = 32 - 2 * overlap_packs;
  static constexpr int own_rows = height - 2 * overlap_rows;
  static constexpr int beside_rows = Steps > 1 ? 0 : 2 * Reach.middle;  ///< loaded, not computed
  static constexpr int window = 2 * Reach.slow + 1;                     ///< planes
  static constexpr int lead = Steps * Reach.slow;
  static_assert(own_packs > 0 && own_rows > 0 && Reach.fast <= N);
  static_assert(beside_rows <= Warps);
};

/// Parts of the block's shared memory, in packs of 16 bytes.
template <int Steps, int N, int Rows, int Warps, StarReach Reach>
struct MarchMemory {
  using Tile = MarchTile<Steps, N, Rows, Warps, Reach>;
  static constexpr int slots = Reach.slow + 1;  ///< from a plane's arrival to its use
  uint4 center[2][Steps][Tile::height][32];
  uint4 beside[slots + 1][Tile::beside_rows > 0 ? Tile::beside_rows : 1][32];
  uint4 ends[slots][Steps > 1 ? 1 : Tile::height][2];
};

/// A plane is left for the neighbours an iteration early, so that at least one must be between.
template <class F, Axis Unit, class... P>
constexpr StarReach reach_by_blocks() {
  StarReach reach = KernelShape<F, Unit, P...>::star();
  reach.slow = std::max(reach.slow, 1);
  return reach;
}

template <class F, int Steps, int N, int Rows, int Warps, Axis Unit, int In, int Out, class... P>
__global__ void __launch_bounds__(32 * Warps)
    march_kernel(const __grid_constant__ MarchArguments<F, sizeof...(P), Steps> a) {
#ifdef __CUDA_ARCH__
  constexpr StarReach reach = reach_by_blocks<F, Unit, P...>();
  using Tile = MarchTile<Steps, N, Rows, Warps, reach>;
  using Memory = MarchMemory<Steps, N, Rows, Warps, reach>;
  using Functor = StarFunctor<F, N, Unit, P...>;
  constexpr int fast = reach.fast, middle = reach.middle, slow = reach.slow;
  using T = typename Functor::T;
  using Value = Pack<T, N>;
  static_assert(sizeof(Value) == 16);
  constexpr int window_planes = Tile::window, newest = Tile::window - 1;
  auto& memory = shared_memory<Memory>();
  let_next_launch();
  wait_for_turn();

  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x =
      a.first + (static_cast<int>(blockIdx.x) * Tile::own_packs + lane - Tile::overlap_packs) * N;
  const int tile_y = a.low[1] + static_cast<int>(blockIdx.y) * Tile::own_rows - Tile::overlap_rows;
  const int y = tile_y + warp * Rows;
  const int z_begin = a.low[2] + static_cast<int>(blockIdx.z) * a.planes;
  const int z_end = min(z_begin + a.planes, a.high[2]);
  const int z_first = z_begin - Tile::lead, z_last = z_end - 1 + Tile::lead;

  const FieldView& source = a.field[In];
  const T* const cells = reinterpret_cast<const T*>(source.read);
  const auto inside = [&](int axis, int i) {
    return min(max(i, a.readable[0].low[axis]), a.readable[0].high[axis] - 1);
  };
  // Packs beside those that hold readable cells may be loaded, too.
  const int x_read = min(max(x, a.readable[0].first_pack), a.readable[0].last_pack);
  Index offset[Rows];
  unroll<Rows>(
      [&](auto r) { offset[r] = inside(1, y + r) * static_cast<Index>(source.middle) + x_read; });
  const auto load_plane = [&](int z, Value(&to)[Rows]) {
    const T* plane = cells + inside(2, z) * source.slow;
    unroll<Rows>([&](auto r) { to[r] = load_constant<N>(plane + offset[r]); });
  };
  // Tiles of one step: rows above and below the tile, packs beside it.
  constexpr bool is_single = Steps == 1;
  const bool loads_row = is_single && warp < Tile::beside_rows;
  const int row_beside =
      warp < middle ? tile_y - middle + warp : tile_y + Tile::height + warp - middle;
  const Index offset_beside = inside(1, row_beside) * static_cast<Index>(source.middle) + x_read;
  const bool loads_end = is_single && fast > 0 && (lane == 0 || lane == 31);
  const int to_end = lane == 0 ? -N : N;

  Value column[Steps][Rows][window_planes], coming[Rows], coming_beside, coming_end[Rows];
  unroll<Steps>([&](auto t) {
    unroll<Rows>(
        [&](auto r) { unroll<window_planes>([&](auto k) { column[t][r][k] = Value(T(0)); }); });
  });
  const auto load_coming = [&](int z) {
    load_plane(z, coming);
    if constexpr (is_single) {
      const T* plane = cells + inside(2, z) * source.slow;
      if (loads_row) coming_beside = load_constant<N>(plane + offset_beside);
      if (loads_end) {
        unroll<Rows>([&](auto r) { coming_end[r] = load_constant<N>(plane + offset[r] + to_end); });
      }
    }
  };
  load_coming(z_first);

  // Evaluates one level of the plane in the middle of its window.
  const auto evaluate = [&](auto level, auto turn, int plane, int parity, int slot, int end_slot,
                            Value(&result)[Rows]) {
    constexpr int t = level;
    using At = Ring<window_planes, turn>;
    unroll<Rows>([&](auto r) {
      Star<T, N, reach> star;
      star.center = column[t][r][At::at(slow)];
      unroll<window_planes>([&](auto k) { star.slow[k] = column[t][r][At::at(k)]; });
      unroll<2 * middle + 1>([&](auto j) {
        constexpr int row = r + j - middle;
        if constexpr (row >= 0 && row < Rows) {
          star.middle[j] = column[t][row][At::at(slow)];
        } else {
          const int other = warp * Rows + row;
          const uint4* from;
          if constexpr (is_single) {
            from = other < 0               ? memory.beside[slot][other + middle]
                   : other >= Tile::height ? memory.beside[slot][other - Tile::height + middle]
                                           : memory.center[parity][t][other];
          } else {
            from = memory.center[parity][t][min(max(other, 0), Tile::height - 1)];
          }
          star.middle[j] = load<N>(reinterpret_cast<const T*>(from + lane));
        }
      });
      if constexpr (fast > 0) {
        star.before = shuffled(star.center, N - fast, fast, true);
        star.after = shuffled(star.center, 0, fast, false);
        if constexpr (is_single) {
          if (loads_end) {
            const Value end = load<N>(reinterpret_cast<const T*>(
                &memory.ends[end_slot][warp * Rows + r][lane == 0 ? 0 : 1]));
            (lane == 0 ? star.before : star.after) = end;
          }
        }
      }
      result[r] = Functor::evaluate(a, t, needed_place<N>(a, x, y + r, plane), star);
    });
  };

  const bool touches_ghosts = x < a.changing_low[0] || x + N > a.changing_high[0] ||
                              y < a.changing_low[1] || y + Rows > a.changing_high[1];
  const auto keep_ghosts = [&](int plane, const Value(&old)[Rows], Value(&result)[Rows]) {
    const bool is_out = plane < a.changing_low[2] || plane >= a.changing_high[2];
    if (!touches_ghosts && !is_out) return;
    unroll<Rows>([&](auto r) {
      const bool row_is_out = is_out || y + r < a.changing_low[1] || y + r >= a.changing_high[1];
      unroll<N>([&](auto i) {
        if (row_is_out || x + i < a.changing_low[0] || x + i >= a.changing_high[0]) {
          result[r].set_lane(i, old[r].lane(i));
        }
      });
    });
  };

  const bool is_writer =
      Steps == 1 || (lane >= Tile::overlap_packs && lane < 32 - Tile::overlap_packs);
  const int first_row = tile_y + Tile::overlap_rows;
  const int last_row = min(first_row + Tile::own_rows, a.high[1]);
  const FieldView& target = a.field[Out];
  const auto write = [&](int plane, const Value(&result)[Rows]) {
    if (!is_writer || plane < z_begin || plane >= z_end) return;
    const int low = a.low[0] - x, high = a.high[0] - x;
    if (high <= 0 || low >= N) return;
    T* to = reinterpret_cast<T*>(target.write) + plane * target.slow + x;
    unroll<Rows>([&](auto r) {
      if (y + r < first_row || y + r >= last_row) return;
      T* row = to + (y + r) * static_cast<Index>(target.middle);
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
    using At = Ring<window_planes, turn>;
    [[maybe_unused]] const int arriving = count % (Memory::slots + 1);
    const int slot = (count + (Memory::slots + 1) - slow) % (Memory::slots + 1);
    Value up[Rows];
    unroll<Rows>([&](auto r) { up[r] = coming[r]; });
    if constexpr (is_single) {
      if (loads_row)
        store(reinterpret_cast<T*>(&memory.beside[arriving][warp][lane]), coming_beside);
      if (loads_end) {
        unroll<Rows>([&](auto r) {
          store(reinterpret_cast<T*>(
                    &memory.ends[count % Memory::slots][warp * Rows + r][lane == 0 ? 0 : 1]),
                coming_end[r]);
        });
      }
    }
    load_coming(z + 1);
    unroll<Steps>([&](auto t) {
      const int plane = z - (t + 1) * slow;
      Value result[Rows], old[Rows];
      unroll<Rows>([&](auto r) {
        column[t][r][At::at(newest)] = up[r];
        old[r] = column[t][r][At::at(slow)];
      });
      evaluate(t, turn, plane, parity, slot, (count + 1) % Memory::slots, result);
      if constexpr (Steps > 1) keep_ghosts(plane, old, result);
      unroll<Rows>([&](auto r) {
        // The middle of the window when the next plane has come in.
        store(reinterpret_cast<T*>(&memory.center[parity ^ 1][t][warp * Rows + r][lane]),
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
#endif
}

template <class F, int Steps, int N, int Rows, int Warps, Axis Unit, int In, int Out, class... P>
void launch_by_blocks(const MarchCall& call) {
  constexpr StarReach reach = reach_by_blocks<F, Unit, P...>();
  using Tile = MarchTile<Steps, N, Rows, Warps, reach>;
  using Memory = MarchMemory<Steps, N, Rows, Warps, reach>;
  constexpr auto kernel = &march_kernel<F, Steps, N, Rows, Warps, Unit, In, Out, P...>;
  // Per process: the devices of a machine are taken to be alike.
  static const int at_once =
      blocks_at_once(reinterpret_cast<const void*>(kernel), 32 * Warps, sizeof(Memory));
  auto a = march_arguments<F, Steps, N, 1, Unit, P...>(call);
  dim3 blocks(blocks_of(a.high[0] - a.first, N * Tile::own_packs),
              blocks_of(a.high[1] - a.low[1], Tile::own_rows));
  const int planes = a.planes;
  a.planes = planes_per_block(at_once, static_cast<int>(blocks.x * blocks.y), planes, Tile::lead);
  blocks.z = blocks_of(planes, a.planes);
  launch_marching(kernel, blocks, dim3(32, Warps), sizeof(Memory), call.stream, a);
}

}  // namespace goban::cuda
