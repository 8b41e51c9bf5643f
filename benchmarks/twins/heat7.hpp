#pragma once
// 7 points: next = u + r * (east + west + north + south + above + below - 6 u), added up in this
// order, x first, higher neighbour first:
//   next = u() + r * (u(1,0,0) + u(-1,0,0) + u(0,1,0) + u(0,-1,0) + u(0,0,1) + u(0,0,-1) - 6 * u())

#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/march.hpp"

namespace goban::twins {

/// The part of one sweep that belongs to `thread`; float or double. Moves 8 or 16 bytes a cell.
template <class T>
void heat7(const T* __restrict u, T* __restrict next, T r, const TwinGrid& grid, int thread,
           int threads) {
  constexpr Index n = lanes<T>;
  constexpr Lookahead look{8, 4, 16};
  const Index pitch = grid.pitch, plane = grid.plane;
  march<1>(u, grid, split_planes(grid, thread, threads), rows_that_fit<T>(grid, 4, 600 << 10), look,
           [=](Index offset, Index cells, const T* far) {
             const T* p = u + offset;
             T* q = next + offset;
             for (Index i = 0; i < cells; i += n) {
               fetch<Cache::second>(far + i);
               const Vector<T> here = load(p + i);
               const Vector<T> sum = load_shifted<1>(p + i) + load_shifted<-1>(p + i) +
                                     load(p + i + pitch) + load(p + i - pitch) +
                                     load(p + i + plane) + load(p + i - plane) - T(6) * here;
               stream(q + i, here + r * sum);
             }
           });
  _mm_sfence();
}

}  // namespace goban::twins
