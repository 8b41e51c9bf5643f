#pragma once
// One step of a star-shaped functor of any reach up to a pack: tiles that march through the planes.
//
// Planes of a tile and what lies beside it come by the copy engine to a ring in shared memory,
// where rows and packs beside a thread's own are read; the planes above and below its own cells are
// in registers. Memory is read nearly once: a tile's edges alone are read by two. No barrier stops
// the block: warps wait for planes to come, and whoever's turn it is to have the next plane copied,
// for all warps to be done with the one it replaces, Slack iterations ago.

#include "star.cuh"

namespace goban::device {

struct TileRing {
  static constexpr int beside = fast_reach > 0 ? 1 : 0;  ///< packs
  static constexpr int width = 32 + 2 * beside;
  static constexpr int height = tile_rows * warps + 2 * middle_reach;
  static constexpr int slots = slow_reach + 1 + ahead;
  static constexpr int slack = ahead > 3 ? 2 : 1;
  static constexpr int window_planes = 2 * slow_reach + 1;
  struct alignas(128) Plane {
    uint4 rows[height][width];
  };
  static constexpr unsigned plane_bytes = height * width * sizeof(uint4);
  Plane planes[slots];
  CopyBarrier is_full[slots], is_empty[slots];
  static_assert(ahead >= slack);
};

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(32 * goban::device::warps, goban::device::blocks)
    goban_kernel(const __grid_constant__ goban::device::Arguments a,
                 const __grid_constant__ goban::device::BoxMap map) {
  using namespace goban::device;
  constexpr int N = pack_width;
  using Memory = TileRing;
  constexpr int window_planes = Memory::window_planes, slots = Memory::slots;
  constexpr int slow = slow_reach, around = middle_reach;
  const MarchCommon& c = a.common;
  const FieldView& target_field = a.field[march_out[0]];
  auto& ring = shared_memory<Memory>();
  let_next_launch();
  wait_for_launch_before();

  const int lane = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.y), 0);
  const int x_tile = c.first + static_cast<int>(blockIdx.x) * 32 * N, x = x_tile + lane * N;
  const int y_tile = c.low[1] + static_cast<int>(blockIdx.y) * tile_rows * warps;
  const int y = y_tile + warp * tile_rows;
  const int z_begin = c.low[2] + static_cast<int>(blockIdx.z) * c.planes;
  const int z_end = min(z_begin + c.planes, c.high[2]);
  const int z_first = z_begin - slow, count = z_end - z_begin + 2 * slow;

  const auto fetch_plane = [&](int p, int slot) {
    arrive_and_expect(ring.is_full[slot], Memory::plane_bytes);
    copy_box(ring.planes[slot].rows, map,
             ((x_tile - c.readable[0].first_pack) / N - Memory::beside) * 4,
             y_tile - around - c.readable[0].low[1], z_first + p - c.readable[0].low[2],
             ring.is_full[slot]);
  };
  if (warp == 0 && lane == 0) {
    for (auto& barrier : ring.is_full) initialize(barrier, 1);
    for (auto& barrier : ring.is_empty) initialize(barrier, warps);
    fence_barriers();
  }
  __syncthreads();
  if (warp == 0 && is_elected()) {
    for (int p = 0; p < min(slots, count); ++p) fetch_plane(p, p);
  }

  Value column[tile_rows][window_planes];
  unroll<tile_rows>([&](auto r) {
    unroll<window_planes>([&](auto k) { column[r][k] = all<Scalar, N>(Scalar(0)); });
  });
  const int low = c.low[0] - x, high = c.high[0] - x;
  const bool is_full_pack = low <= 0 && high >= N;
  const int rows_inside = high > 0 ? c.high[1] - y : 0;
  Scalar* target = reinterpret_cast<Scalar*>(target_field.write) + z_begin * target_field.slow +
                   y * static_cast<Index>(target_field.middle) + x;

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
    using At = Window<window_planes, turn>;
    const int replaced = p - slow - Memory::slack;
    if (replaced >= 0 && replaced + slots < count && warp == turn_of && is_elected()) {
      wait(ring.is_empty[oldest], oldest_parity);
      fetch_plane(replaced + slots, oldest);
    }
    wait(ring.is_full[newest], newest_parity);
    const auto own = [&](int slot, int row, int pack) -> const uint4& {
      return ring.planes[slot].rows[warp * tile_rows + row + around][lane + pack + Memory::beside];
    };
    unroll<tile_rows>(
        [&](auto r) { column[r][At::at(window_planes - 1)] = load_row(own(newest, r, 0)); });
    if (p >= 2 * slow) {
      if (rows_inside > 0) {
        const int z = z_first + p - slow;
        Value result[tile_rows];
        unroll<tile_rows>([&](auto r) {
          Star stars[1];
          Star& star = stars[0];
          star.center = column[r][At::at(slow)];
          unroll<window_planes>([&](auto k) { star.slow[k] = column[r][At::at(k)]; });
          if constexpr (Memory::beside > 0) {
            star.before = load_row(own(middle, r, -1));
            star.after = load_row(own(middle, r, 1));
          }
          unroll<2 * around + 1>([&](auto j) {
            constexpr int row = decltype(r)::value + decltype(j)::value - around;
            if constexpr (row >= 0 && row < tile_rows) {
              star.middle[j] = column[row][At::at(slow)];
            } else {
              star.middle[j] = load_row(own(middle, row, 0));
            }
          });
          Value made[1];
          evaluate(a, 0, needed_place(c, x, y + r, z), stars, made);
          result[r] = made[0];
        });
        unroll<tile_rows>([&](auto r) {
          if (r >= rows_inside) return;
          Scalar* to = target + r * static_cast<Index>(target_field.middle);
          if (is_full_pack) {
            goban::device::store(to, result[r]);
          } else {
            store_lanes(to, result[r], low, high);
          }
        });
      }
      target += target_field.slow;
    }
    __syncwarp();
    if (p >= slow && lane == 0) arrive(ring.is_empty[middle]);
    if (next(newest)) newest_parity ^= 1;
    if (next(oldest)) oldest_parity ^= 1;
    next(middle);
    if (++turn_of == warps) turn_of = 0;
    ++p;
  };
  while (p < count) {
    unroll<window_planes>([&](auto turn) {
      if (p < count) iterate(turn);
    });
  }
}
