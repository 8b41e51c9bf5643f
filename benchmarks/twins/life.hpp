#pragma once
// Life in three dimensions, 26 neighbours, cells 0 or 1: with n living neighbours a living cell
// lives on if survive_low <= n <= survive_high, a dead one is born if born_low <= n <= born_high.

#include <cstdint>

#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/march.hpp"

namespace goban::twins {

struct LifeRule {
  std::uint8_t survive_low = 2, survive_high = 7, born_low = 5, born_high = 5;
};

namespace detail {

using Cell = std::uint8_t;
using Cells = Vector<Cell>;

GOBAN_TWIN_INLINE Cells row_sum(const Cell* p) {
  return load_shifted<-1>(p) + load(p) + load_shifted<1>(p);
}
/// Returns the sum of the 9 cells around p in its plane.
GOBAN_TWIN_INLINE Cells plane_sum(const Cell* p, Index pitch) {
  return row_sum(p - pitch) + row_sum(p) + row_sum(p + pitch);
}
/// 1 where low <= n <= low + width; unsigned numbers wrap below low.
GOBAN_TWIN_INLINE Cells within(Cells n, Cell low, Cell width) {
  return (Cells)(n - low <= width) & 1;
}

/// Sums of planes are shared by the planes that are updated together.
template <int Planes>
void sweep_life(const Cell* __restrict u, Cell* __restrict next, const LifeRule& rule,
                const TwinGrid& grid, Rows rows) {
  constexpr Index n = lanes<Cell>;
  constexpr Lookahead look{8, 2, 8};
  const Index pitch = grid.pitch, plane = grid.plane;
  const Cell survive = rule.survive_low, born = rule.born_low;
  const Cell survive_width = rule.survive_high - survive, born_width = rule.born_high - born;
  march<Planes>(u, grid, rows, rows_that_fit<Cell>(grid, Planes + 3, 600 << 10), look,
                [=](Index offset, Index cells, const Cell* far) {
                  for (Index i = 0; i < cells; i += n) {
                    const Cell* p = u + offset + i;
                    Cells sum[Planes + 2];
#pragma GCC unroll 16
                    for (int k = 0; k < Planes + 2; ++k) {
                      sum[k] = plane_sum(p + (k - 1) * plane, pitch);
                    }
#pragma GCC unroll 16
                    for (int k = 0; k < Planes; ++k) {
                      fetch<Cache::second>(far + i + k * plane);
                      const Cells here = load(p + k * plane);
                      const Cells count = sum[k] + sum[k + 1] + sum[k + 2] - here;
                      stream(next + offset + i + k * plane,
                             (within(count, survive, survive_width) & here) |
                                 (within(count, born, born_width) & (here ^ 1)));
                    }
                  }
                });
}

}  // namespace detail

/// The part of one sweep that belongs to `thread`. Moves 2 bytes a cell.
inline void life(const std::uint8_t* u, std::uint8_t* next, const LifeRule& rule,
                 const TwinGrid& grid, int thread, int threads) {
  constexpr int together = 8;
  Rows rows = split_planes(grid, thread, threads);
  Rows rest = rows;
  rest.z0 = rows.z1 = rows.z0 + (rows.z1 - rows.z0) / together * together;
  if (rows.z0 < rows.z1) detail::sweep_life<together>(u, next, rule, grid, rows);
  if (rest.z0 < rest.z1) detail::sweep_life<1>(u, next, rule, grid, rest);
  _mm_sfence();
}

}  // namespace goban::twins
