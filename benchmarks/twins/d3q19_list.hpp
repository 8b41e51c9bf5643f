#pragma once
// The step of d3q19.hpp on a list of cells. Table q - 1 holds for every cell the number of the one
// at -c_q, or, negative, that there is a wall, from which the population opposite to q returns.

#include "benchmarks/twins/d3q19.hpp"

namespace goban::twins {

/// What arrives at the cells from `here` on.
GOBAN_TWIN_INLINE detail::Real arrived(const float* from, const float* opposite, const int* table,
                                       Index here) {
#ifdef __AVX512F__
  const __m512i there = _mm512_loadu_si512(table + here);
  const __mmask16 is_cell = _mm512_cmpge_epi32_mask(there, _mm512_setzero_si512());
  return (detail::Real)_mm512_mask_i32gather_ps(_mm512_loadu_ps(opposite + here), is_cell, there,
                                                from, 4);
#else
  detail::Real f;
  for (Index i = 0; i < lanes<float>; ++i) {
    const int there = table[here + i];
    f[i] = there < 0 ? opposite[here + i] : from[there];
  }
  return f;
#endif
}

/// The part of one step that belongs to `thread`; tables lie `table` elements behind each other,
/// and both arrays go on for a vector behind the last cell. Moves 224 bytes a cell.
inline void d3q19_list(const float* __restrict u, float* __restrict next, Index population,
                       const int* __restrict neighbors, Index table, Index cells, float omega,
                       int thread, int threads) {
  using namespace detail;
  constexpr Index n = lanes<float>;
  const Index packs = (cells + n - 1) / n;
  const Index first = packs * thread / threads * n, last = packs * (thread + 1) / threads * n;
  for (Index here = first; here < last; here += n) {
    Real f[populations];
    f[0] = load(u + here);
    for_each_population([&](auto q) {
      if constexpr (q > 0) {
        constexpr int opposite = q % 2 == 1 ? q + 1 : q - 1;
        f[q] = arrived(u + q * population, u + opposite * population, neighbors + (q - 1) * table,
                       here);
      }
    });
    collide(f, omega);
    for_each_population([&](auto q) { stream(next + q * population + here, f[q]); });
  }
  _mm_sfence();
}

}  // namespace goban::twins
