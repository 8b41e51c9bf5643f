#pragma once
// One step of a star-shaped functor of any reach up to a pack: tiles that march through the planes.
//
// Planes of a tile and what lies beside it come by the copy engine to a ring in shared memory,
// where rows and packs beside a thread's own are read; the planes above and below its own cells are
// in registers. Memory is read nearly once: a tile's edges alone are read by two. No barrier stops
// the block: warps wait for planes to come, and whoever's turn it is to have the next plane copied,
// for all warps to be done with the one it replaces, Slack iterations ago.

#include "goban/backend/cuda/march_star.cuh"

namespace goban::cuda {

template <int Rows, int Warps, int Ahead, StarReach Reach>
struct TileRing {
  static constexpr int beside = Reach.fast > 0 ? 1 : 0;  ///< packs
  static constexpr int width = 32 + 2 * beside;
  static constexpr int height = Rows * Warps + 2 * Reach.middle;
  static constexpr int slots = Reach.slow + 1 + Ahead;
  static constexpr int slack = Ahead > 3 ? 2 : 1;
  static constexpr int window = 2 * Reach.slow + 1;
  struct alignas(128) Plane {
    uint4 rows[height][width];
  };
  static constexpr unsigned plane_bytes = height * width * sizeof(uint4);
  Plane planes[slots];
  CopyBarrier is_full[slots], is_empty[slots];
  static_assert(Ahead >= slack);
};

template <class F, int N, int Rows, int Warps, int Ahead, int Blocks, Axis Unit, int In, int Out,
          class... P>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    ring_kernel(const __grid_constant__ MarchArguments<F, sizeof...(P), 1> a,
                const __grid_constant__ BoxMap map) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr StarReach reach = KernelShape<F, Unit, P...>::star();
  using Memory = TileRing<Rows, Warps, Ahead, reach>;
  using Functor = StarFunctor<F, N, Unit, P...>;
  using T = typename Functor::T;
  using Value = Pack<T, N>;
  constexpr int window = Memory::window, slots = Memory::slots;
  constexpr int slow = reach.slow, around = reach.middle;
  auto& ring = shared_memory<Memory>();
  let_next_launch();
  wait_for_turn();

  const int lane = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.y), 0);
  const int x_tile = a.first + static_cast<int>(blockIdx.x) * 32 * N, x = x_tile + lane * N;
  const int y_tile = a.low[1] + static_cast<int>(blockIdx.y) * Rows * Warps;
  const int y = y_tile + warp * Rows;
  const int z_begin = a.low[2] + static_cast<int>(blockIdx.z) * a.planes;
  const int z_end = min(z_begin + a.planes, a.high[2]);
  const int z_first = z_begin - slow, count = z_end - z_begin + 2 * slow;

  const auto fetch_plane = [&](int p, int slot) {
    arrive_and_expect(ring.is_full[slot], Memory::plane_bytes);
    copy_box(ring.planes[slot].rows, map,
             ((x_tile - a.readable[0].first_pack) / N - Memory::beside) * 4,
             y_tile - around - a.readable[0].low[1], z_first + p - a.readable[0].low[2],
             ring.is_full[slot]);
  };
  if (warp == 0 && lane == 0) {
    for (auto& barrier : ring.is_full) initialize(barrier, 1);
    for (auto& barrier : ring.is_empty) initialize(barrier, Warps);
    fence_barriers();
  }
  __syncthreads();
  if (warp == 0 && is_elected()) {
    for (int p = 0; p < min(slots, count); ++p) fetch_plane(p, p);
  }

  Value column[Rows][window];
  unroll<Rows>([&](auto r) { unroll<window>([&](auto k) { column[r][k] = Value(T(0)); }); });
  const int low = a.low[0] - x, high = a.high[0] - x;
  const bool is_full_pack = low <= 0 && high >= N;
  const int rows_inside = high > 0 ? a.high[1] - y : 0;
  T* target = reinterpret_cast<T*>(a.field[Out].write) + z_begin * a.field[Out].slow +
              y * static_cast<Index>(a.field[Out].middle) + x;

  // Plane p comes into `newest`, plane p - slow is in `middle` and updated, and the one that was
  // done with `slack` iterations ago, in `oldest`, is replaced.
  int p = 0, newest = 0, middle = slots - slow, oldest = slots - slow - Memory::slack, turn_of = 0;
  if (slow == 0) middle = 0;
  if (oldest < 0) oldest += slots;
  unsigned newest_parity = 0, oldest_parity = 1;
  const auto next = [](int& slot) {
    if (++slot == slots) slot = 0;
    return slot == 0;
  };
  const auto iterate = [&](auto turn) {
    using At = Ring<window, turn>;
    const int replaced = p - slow - Memory::slack;
    if (replaced >= 0 && replaced + slots < count && warp == turn_of && is_elected()) {
      wait(ring.is_empty[oldest], oldest_parity);
      fetch_plane(replaced + slots, oldest);
    }
    wait(ring.is_full[newest], newest_parity);
    const auto own = [&](int slot, int row, int pack) -> const uint4& {
      return ring.planes[slot].rows[warp * Rows + row + around][lane + pack + Memory::beside];
    };
    unroll<Rows>(
        [&](auto r) { column[r][At::at(window - 1)] = load_row<N, T>(own(newest, r, 0)); });
    if (p >= 2 * slow) {
      if (rows_inside > 0) {
        const int z = z_first + p - slow;
        Value result[Rows];
        unroll<Rows>([&](auto r) {
          Star<T, N, reach> star;
          star.center = column[r][At::at(slow)];
          unroll<window>([&](auto k) { star.slow[k] = column[r][At::at(k)]; });
          if constexpr (Memory::beside > 0) {
            star.before = load_row<N, T>(own(middle, r, -1));
            star.after = load_row<N, T>(own(middle, r, 1));
          }
          unroll<2 * around + 1>([&](auto j) {
            constexpr int row = r + j - around;
            if constexpr (row >= 0 && row < Rows) {
              star.middle[j] = column[row][At::at(slow)];
            } else {
              star.middle[j] = load_row<N, T>(own(middle, row, 0));
            }
          });
          result[r] = Functor::evaluate(a, 0, needed_place<N>(a, x, y + r, z), star);
        });
        unroll<Rows>([&](auto r) {
          if (r >= rows_inside) return;
          T* to = target + r * static_cast<Index>(a.field[Out].middle);
          if (is_full_pack) {
            goban::store(to, result[r]);
          } else {
            store_lanes(to, result[r], low, high);
          }
        });
      }
      target += a.field[Out].slow;
    }
    __syncwarp();
    if (p >= slow && lane == 0) arrive(ring.is_empty[middle]);
    if (next(newest)) newest_parity ^= 1;
    if (next(oldest)) oldest_parity ^= 1;
    next(middle);
    if (++turn_of == Warps) turn_of = 0;
    ++p;
  };
  while (p < count) {
    unroll<window>([&](auto turn) {
      if (p < count) iterate(turn);
    });
  }
#endif
}

/// False if the copy engine cannot do it.
template <class F, int N, int Rows, int Warps, int Ahead, int Blocks, Axis Unit, int In, int Out,
          class... P>
bool launch_ring(const MarchCall& call) {
  constexpr StarReach reach = KernelShape<F, Unit, P...>::star();
  using Memory = TileRing<Rows, Warps, Ahead, reach>;
  constexpr auto kernel = &ring_kernel<F, N, Rows, Warps, Ahead, Blocks, Unit, In, Out, P...>;
  const auto* function = reinterpret_cast<const void*>(kernel);
  // Per process: the devices of a machine are taken to be alike.
  static const bool is_possible = has_copy_engine(function);
  if (!is_possible) return false;
  static const int at_once = blocks_at_once(function, 32 * Warps, sizeof(Memory));
  auto a = march_arguments<F, 1, N, 1, Unit, P...>(call);
  BoxMap map;
  if (!make_box_map(map, copied_array(a.field[In], a.readable[0], N), 4 * Memory::width,
                    Memory::height))
    return false;
  dim3 blocks(blocks_of(a.high[0] - a.first, 32 * N),
              blocks_of(a.high[1] - a.low[1], Rows * Warps));
  const int planes = a.planes;
  a.planes = planes_per_block(at_once, static_cast<int>(blocks.x * blocks.y), planes, reach.slow);
  blocks.z = blocks_of(planes, a.planes);
  launch_marching(kernel, blocks, dim3(32, Warps), sizeof(Memory), call.stream, a, map);
  return true;
}

}  // namespace goban::cuda
