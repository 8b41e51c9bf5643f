#pragma once
// 25 points, order 8 in space: next = c0 u + sum over j = 1..4 of c_j times the sum of the six
// neighbours at distance j, added up in this order:
//   next = c[0] * u() + c[1] * (u(1,0,0) + u(-1,0,0) + u(0,1,0) + u(0,-1,0) + u(0,0,1) + u(0,0,-1))
//                     + c[2] * (u(2,0,0) + ...) + c[3] * (...) + c[4] * (...)

#include <algorithm>
#include <array>

#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/vector.hpp"

namespace goban::twins {

namespace detail {

/// Sum of the six neighbours at distance J.
template <int J>
GOBAN_TWIN_INLINE Vector<float> six_at(const float* p, Index pitch, Index plane) {
  return load_shifted<J>(p) + load_shifted<-J>(p) + load(p + J * pitch) + load(p - J * pitch) +
         load(p + J * plane) + load(p - J * plane);
}

}  // namespace detail

/// The part of one sweep that belongs to `thread`. Moves 8 bytes a cell. Threads share planes, so
/// that the planes of a group come from the common third-level cache.
inline void heat25(const float* __restrict u, float* __restrict next, const std::array<float, 5>& c,
                   const TwinGrid& grid, int thread, int threads) {
  constexpr int reach = 4;
  constexpr Index group = 4;    // planes updated together
  constexpr Index piece = 128;  // cells of a row: 44 pieces, all that a group reads, stay in L1
  constexpr Index ahead = 2;    // rows
  constexpr Index n = lanes<float>;
  const Index pitch = grid.pitch, plane = grid.plane;
  const Rows rows = split_rows(grid, thread, threads);
  const std::array<float, 5> k = c;
  for (Index z0 = rows.z0; z0 < rows.z1; z0 += group) {
    const Index z1 = std::min(z0 + group, rows.z1);
    for (Index x0 = 0; x0 < grid.cells[0]; x0 += piece) {
      const Index cells = std::min(piece, grid.cells[0] - x0);
      for (Index y = rows.y0; y < rows.y1; ++y) {
        const Index offset = y * pitch + x0;
        for (Index z = z0; z < z1; ++z) {
          // What row y + ahead is the first to need: one row of every plane of the group, and of
          // the planes beyond it, shared out over the group.
          const float* inner = u + offset + z * plane + (reach + ahead) * pitch;
          const Index other = 2 * (z - z0);
          const Index below = z0 - 1 - other, above = z1 + other - reach;
          const float* outer = u + offset + (other < reach ? below : above) * plane + ahead * pitch;
          const Index to_next = other < reach ? -plane : plane;
          const float* p = u + offset + z * plane;
          float* q = next + offset + z * plane;
          for (Index i = 0; i < cells; i += n) {
            fetch<Cache::first>(inner + i);
            fetch<Cache::first>(outer + i);
            fetch<Cache::first>(outer + to_next + i);
            stream(q + i, k[0] * load(p + i) + k[1] * detail::six_at<1>(p + i, pitch, plane) +
                              k[2] * detail::six_at<2>(p + i, pitch, plane) +
                              k[3] * detail::six_at<3>(p + i, pitch, plane) +
                              k[4] * detail::six_at<4>(p + i, pitch, plane));
          }
        }
      }
    }
  }
  _mm_sfence();
}

}  // namespace goban::twins
