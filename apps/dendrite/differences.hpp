#pragma once
// Differences of the order parameter over 19 points (9 in the plane) and the surface energy of a
// cubic crystal, on unit spacing.
//
// First derivatives and the Laplacian are isotropic: their errors of second order are h^2/6 d_i Lap
// and h^2/12 Lap Lap, which do not know the axes of the grid. Second derivatives are means over the
// row of the cell and those beside it,
//
//   d_a d_a u = (1 - m/12) row + 1/12 sum over the m rows beside,   m = 4 (plane: 2)
//
// and their sum is the Laplacian, in the plane that of space for a u that does not depend on z.
// Stiffness beyond the Laplacian needs such means: with those of the cell's row alone, checkers in
// a plane that faces an axis grow from an anisotropy of 0.0435 on, as the Laplacian hardly sees
// them. Differences vanish to the last bit where u is uniform. What is mirrored, or in the plane
// transposed, gives the same bits: products of different axes are added, not fused.

#include "goban/base/macros.hpp"
#include "goban/stencil/pack.hpp"
#include "goban/stencil/trace.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::dendrite {

/// Neighbours along axis a (i) and axis b (j).
template <int A, int B>
GOBAN_FUNCTION auto beside(const auto& u, int i, int j) {
  constexpr auto part = [](int axis, int n, int m) { return axis == A ? n : axis == B ? m : 0; };
  return u(part(0, i, j), part(1, i, j), part(2, i, j));
}

/// Calls f(a, b) for the planes of Dims axes, a < b; both are constants.
template <int Dims, class F>
GOBAN_FUNCTION void for_planes(F&& f) {
  using std::integral_constant;
  f(integral_constant<int, 0>{}, integral_constant<int, 1>{});
  if constexpr (Dims == 3) {
    f(integral_constant<int, 0>{}, integral_constant<int, 2>{});
    f(integral_constant<int, 1>{}, integral_constant<int, 2>{});
  }
}

/// What the neighbours say of the derivatives of a field at a cell.
template <int Dims, class Value>
struct Derivatives {
  Value here;
  Value gradient[Dims];               ///< 12 times
  Value second[Dims];                 ///< d_a d_a
  Value mixed[Dims == 2 ? 1 : Dims];  ///< 4 d_a d_b at a + b - 1
};

template <int Dims>
GOBAN_FUNCTION auto derivatives(const auto& u) {
  using Value = decltype(u());
  Derivatives<Dims, Value> d;
  d.here = u();
  const Value here = d.here;
  // Neighbours less the cell: along each axis, and at the edges, once for each axis of an edge.
  Value row[Dims], edges[Dims], rows(0);
  unroll<Dims>([&](auto a) {
    constexpr Axis axis = all_axes[a];
    const Value upper = u.shift(axis, 1)(), lower = u.shift(axis, -1)();
    d.gradient[a] = (Dims == 2 ? 4 : 2) * (upper - lower);
    row[a] = fma(-2, here, upper + lower);
    rows = rows + row[a];
    edges[a] = Value(0);
  });
  for_planes<Dims>([&](auto a, auto b) {
    const Value pp = beside<a, b>(u, 1, 1), mm = beside<a, b>(u, -1, -1);
    const Value pm = beside<a, b>(u, 1, -1), mp = beside<a, b>(u, -1, 1);
    const Value even = pp + mm, odd = pm + mp, rise = pp - mm, fall = pm - mp;
    d.gradient[a] = d.gradient[a] + (rise + fall);
    d.gradient[b] = d.gradient[b] + (rise - fall);
    d.mixed[a + b - 1] = even - odd;
    const Value around = fma(-4, here, even + odd);
    edges[a] = edges[a] + around;
    edges[b] = edges[b] + around;
  });
  // The rows beside that of axis a hold its edges, less twice the neighbours along other axes.
  constexpr double own = Dims == 2 ? 1 : 5.0 / 6;
  unroll<Dims>(
      [&](auto a) { d.second[a] = fma(own, row[a], (1.0 / 12) * fma(-2, rows, edges[a])); });
  return d;
}

template <int Dims, class Value>
GOBAN_FUNCTION auto laplacian_of(const Derivatives<Dims, Value>& d) {
  Value sum(0);
  unroll<Dims>([&](auto a) { sum = sum + d.second[a]; });
  return sum;
}

/// The Laplacian alone.
template <int Dims>
GOBAN_FUNCTION auto isotropic_laplacian(const auto& u) {
  using Value = decltype(u());
  const Value here = u();
  Value rows(0), edges(0);
  unroll<Dims>([&](auto a) {
    constexpr Axis axis = all_axes[a];
    rows = rows + fma(-2, here, u.shift(axis, 1)() + u.shift(axis, -1)());
  });
  for_planes<Dims>([&](auto a, auto b) {
    const Value even = beside<a, b>(u, 1, 1) + beside<a, b>(u, -1, -1);
    const Value odd = beside<a, b>(u, 1, -1) + beside<a, b>(u, -1, 1);
    edges = edges + fma(-4, here, even + odd);
  });
  return fma(Dims == 2 ? 2.0 / 3 : 1.0 / 3, rows, (1.0 / 6) * edges);
}

/// Where the gradient is smaller (between neighbours, of an order parameter that changes by about
/// 1) the interface has no direction: a = a_0.
inline constexpr double least_gradient = 1e-5;

/// Surface energy a = a_0 (1 + e (4 Q - 3)), Q = (p_x^4 + p_y^4 + p_z^4) / |p|^4, p the gradient;
/// in the plane a_0 (1 + e cos 4 theta).
template <int Dims, class Value>
struct Surface {
  Value n2[Dims];        ///< p_i^2 / |p|^2
  Value inverse_square;  ///< 1 / (12 |p|)^2
  Value sum;             ///< Q
  Value strength;        ///< 16 e
  Value a;               ///< a / a_0
};

template <int Dims, class Value, class Real>
GOBAN_FUNCTION auto surface_of(const Derivatives<Dims, Value>& d, Real anisotropy) {
  constexpr double least = 144 * least_gradient * least_gradient;
  Surface<Dims, Value> s;
  Value square(0);
  unroll<Dims>([&](auto a) { square = square + d.gradient[a] * d.gradient[a]; });
  const auto has_direction = square > static_cast<Real>(least);
  s.inverse_square = 1 / select(has_direction, square, Value(1));
  s.strength = select(has_direction, Value(16 * anisotropy), Value(0));
  s.sum = Value(0);
  unroll<Dims>([&](auto a) {
    s.n2[a] = d.gradient[a] * d.gradient[a] * s.inverse_square;
    s.sum = s.sum + s.n2[a] * s.n2[a];
  });
  s.a = fma(s.strength, fma(Real(0.25), s.sum, Real(-0.1875)), Real(1));
  return s;
}

/// div(a^2 grad u) + sum_i d_i(a da/du_i |grad u|^2) over a_0^2. With E(p) = a^2 |p|^2 / 2 it is
/// the sum over i, j of H_ij d_i d_j u, where with q_i = n_i^2 - Q
///   H_ij = d2E / dp_i dp_j = delta_ij (a^2 + 16 e a (3 n_i^2 - Q))
///          - 32 e a n_i n_j (n_i^2 + n_j^2 - Q) + (16 e)^2 n_i n_j q_i q_j.
template <int Dims, class Value>
GOBAN_FUNCTION auto smoothed(const Derivatives<Dims, Value>& d, const Surface<Dims, Value>& s) {
  const Value first = s.strength * s.a, twice = s.strength * s.strength;
  Value q[Dims], sum(0);
  unroll<Dims>([&](auto i) {
    q[i] = s.n2[i] - s.sum;
    const Value linear = fma(Value(-2) * s.n2[i], s.n2[i] + q[i], fma(Value(2), s.n2[i], q[i]));
    const Value quadratic = s.n2[i] * q[i] * q[i];
    sum = sum + fma(first, linear, twice * quadratic) * d.second[i];
  });
  for_planes<Dims>([&](auto i, auto j) {
    const Value product = d.gradient[i] * d.gradient[j] * s.inverse_square;
    const Value weight = Value(0.5) * twice * (q[i] * q[j]) - first * (s.n2[i] + s.n2[j] - s.sum);
    sum = fma(product * weight, d.mixed[i + j - 1], sum);
  });
  return fma(s.a * s.a, laplacian_of(d), sum);
}

}  // namespace goban::dendrite
