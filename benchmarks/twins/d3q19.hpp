#pragma once
// Lattice Boltzmann, D3Q19, streaming by pull and BGK collision, two lattices. Velocities c_q in
// the order of d3q19_velocity; populations arrive as f_q = u_q(-c_q), then, sums from left to
// right,
//   rho = f_0 + f_1 + ... + f_18
//   j_a = sum over q with c_qa != 0, in order, of c_qa f_q
//   v_a = j_a * (1 / rho),   vv = 1.5 (v_x v_x + v_y v_y + v_z v_z)
//   cv  = c_qx v_x + c_qy v_y + c_qz v_z, terms that are zero left out
//   feq_q = w_q rho (1 + 3 cv + 4.5 cv cv - vv),   feq_0 = w_0 rho (1 - vv)
//   next_q = f_q - omega (f_q - feq_q)
// with products and sums in the order written; -1 times a number is a sign, not a product.

#include "benchmarks/twins/d3q19_lattice.hpp"
#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/vector.hpp"

namespace goban::twins {

namespace detail {

constexpr int populations = 19;
using Real = Vector<float>;

template <class F>
GOBAN_TWIN_INLINE void for_each_population(F f) {
  [&]<int... Q>(std::integer_sequence<int, Q...>) { (f(std::integral_constant<int, Q>{}), ...); }
  (std::make_integer_sequence<int, populations>{});
}

/// Sum over q of c_q[axis] f[q].
template <int Axis>
GOBAN_TWIN_INLINE Real momentum(const Real (&f)[populations]) {
  constexpr int first = Axis == 0 ? 1 : Axis == 1 ? 3 : 5;
  Real sum = f[first];
  for_each_population([&](auto q) {
    constexpr int c = d3q19_velocity[q][Axis];
    if constexpr (q > first && c > 0) sum = sum + f[q];
    if constexpr (q > first && c < 0) sum = sum - f[q];
  });
  return sum;
}

template <int Q>
GOBAN_TWIN_INLINE Real along(const Real (&v)[3]) {
  constexpr auto c = d3q19_velocity[Q];
  constexpr int first = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2;
  Real sum = c[first] > 0 ? v[first] : -v[first];
  if constexpr (first < 1 && c[1] != 0) sum = c[1] > 0 ? sum + v[1] : sum - v[1];
  if constexpr (first < 2 && c[2] != 0) sum = c[2] > 0 ? sum + v[2] : sum - v[2];
  return sum;
}

GOBAN_TWIN_INLINE void collide(Real (&f)[populations], float omega) {
  Real rho = f[0];
  for (int q = 1; q < populations; ++q) rho = rho + f[q];
  const Real inverse = 1.0f / rho;
  const Real v[3] = {momentum<0>(f) * inverse, momentum<1>(f) * inverse, momentum<2>(f) * inverse};
  const Real vv = 1.5f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for_each_population([&](auto q) {
    constexpr float w = d3q19_weight(q);
    Real equilibrium;
    if constexpr (q == 0) {
      equilibrium = w * rho * (1.0f - vv);
    } else {
      const Real cv = along<q>(v);
      equilibrium = w * rho * (1.0f + 3.0f * cv + 4.5f * cv * cv - vv);
    }
    f[q] = f[q] - omega * (f[q] - equilibrium);
  });
}

}  // namespace detail

/// The part of one step that belongs to `thread`; population q lies q * population elements behind
/// the first, a multiple of 64 bytes. Moves 152 bytes a cell.
///
/// Every population is read once, in its own stream: fetched two packs ahead, and no blocks.
/// Collecting rows in cache to write longer pieces at a time costs a third of the speed.
inline void d3q19(const float* __restrict u, float* __restrict next, Index population, float omega,
                  const TwinGrid& grid, int thread, int threads) {
  using namespace detail;
  constexpr Index n = lanes<float>;
  const Index pitch = grid.pitch, plane = grid.plane;
  const Rows rows = split_planes(grid, thread, threads);
  for (Index z = rows.z0; z < rows.z1; ++z) {
    for (Index y = rows.y0; y < rows.y1; ++y) {
      for (Index x = 0; x < grid.cells[0]; x += n) {
        const Index here = z * plane + y * pitch + x;
        Real f[populations];
        for_each_population([&](auto q) {
          constexpr auto c = d3q19_velocity[q];
          const float* from = u + q * population + here - c[2] * plane - c[1] * pitch - c[0];
          fetch<Cache::first>(from + 2 * n);
          f[q] = load(from);
        });
        collide(f, omega);
        for_each_population([&](auto q) { stream(next + q * population + here, f[q]); });
      }
    }
  }
  _mm_sfence();
}

}  // namespace goban::twins
