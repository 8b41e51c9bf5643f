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
// them. Differences vanish to the last bit where u is uniform. What is mirrored gives the same
// bits, and in the plane what is transposed: there products of different axes are added, not fused.

#include "goban/base/macros.hpp"
#include "goban/stencil/graph/trace.hpp"
#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/reciprocal.hpp"
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

/// x . y.
template <int Dims, class Value>
GOBAN_FUNCTION Value dot(const Value (&x)[Dims], const Value (&y)[Dims]) {
  Value sum = x[0] * y[0];
  unroll<Dims - 1>(
      [&](auto i) { sum = Dims == 2 ? sum + x[i + 1] * y[i + 1] : fma(x[i + 1], y[i + 1], sum); });
  return sum;
}

template <int Dims, class Value>
GOBAN_FUNCTION Value sum_of(const Value (&x)[Dims]) {
  Value sum = x[0];
  unroll<Dims - 1>([&](auto i) { sum = sum + x[i + 1]; });
  return sum;
}

/// What the neighbours say of the derivatives of a field at a cell; multiples, which cost less.
template <int Dims, class Value>
struct Derivatives {
  static constexpr int planes = Dims == 2 ? 1 : 3;
  Value here;
  Value gradient[Dims];  ///< 12 times
  Value second[Dims];    ///< 12 d_a d_a
  Value mixed[planes];   ///< 4 d_a d_b at a + b - 1
};

template <int Dims>
GOBAN_FUNCTION auto derivatives(const auto& u) {
  using Value = decltype(u());
  Derivatives<Dims, Value> d;
  d.here = u();
  // Neighbours less the cell: along each axis, and at the edges of each plane.
  Value row[Dims], edges[d.planes];
  unroll<Dims>([&](auto a) {
    constexpr Axis axis = all_axes[a];
    const Value upper = u.shift(axis, 1)(), lower = u.shift(axis, -1)();
    d.gradient[a] = upper - lower;
    row[a] = fma(-2, d.here, upper + lower);
  });
  for_planes<Dims>([&](auto a, auto b) {
    const Value pp = beside<a, b>(u, 1, 1), mm = beside<a, b>(u, -1, -1);
    const Value pm = beside<a, b>(u, 1, -1), mp = beside<a, b>(u, -1, 1);
    const auto add = [&](auto axis, bool is_first, const Value& slope) {
      Value& gradient = d.gradient[axis];
      gradient = is_first ? fma(Dims == 2 ? 4 : 2, gradient, slope) : gradient + slope;
    };
    const auto add_all = [&](Value along_a, Value along_b, Value twist, Value all) {
      add(a, b == 1, along_a);
      add(b, a == 0, along_b);
      d.mixed[a + b - 1] = twist;
      edges[a + b - 1] = fma(-4, d.here, all);
    };
    if constexpr (Dims == 2) {
      const Value even = pp + mm, odd = pm + mp, rise = pp - mm, fall = pm - mp;
      add_all(rise + fall, rise - fall, even - odd, even + odd);
    } else {  // neighbours have the same sums and differences along b
      const Value upper = pp + pm, lower = mp + mm, rise = pp - pm, fall = mp - mm;
      add_all(upper - lower, rise + fall, rise - fall, upper + lower);
    }
  });
  // The rows beside that of axis a hold the edges but those of the plane across, less twice the
  // neighbours along other axes.
  const Value beside_all = fma(-2, sum_of<Dims>(row), sum_of<d.planes>(edges));
  unroll<Dims>([&](auto a) {
    if constexpr (Dims == 2) {
      d.second[a] = fma(12, row[a], beside_all);
    } else {
      d.second[a] = fma(10, row[a], beside_all - edges[2 - a]);
    }
  });
  return d;
}

/// Six times the Laplacian, without the rest.
template <int Dims>
GOBAN_FUNCTION auto isotropic_laplacian(const auto& u) {
  using Value = decltype(u());
  const Value here = u();
  Value row[Dims], edges[Dims == 2 ? 1 : 3];
  unroll<Dims>([&](auto a) {
    constexpr Axis axis = all_axes[a];
    row[a] = fma(-2, here, u.shift(axis, 1)() + u.shift(axis, -1)());
  });
  for_planes<Dims>([&](auto a, auto b) {
    const Value even = beside<a, b>(u, 1, 1) + beside<a, b>(u, -1, -1);
    const Value odd = beside<a, b>(u, 1, -1) + beside<a, b>(u, -1, 1);
    edges[a + b - 1] = fma(-4, here, even + odd);
  });
  return fma(Dims == 2 ? 4 : 2, sum_of(row), sum_of(edges));
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
  constexpr auto least = static_cast<Real>(144 * least_gradient * least_gradient);
  Surface<Dims, Value> s;
  unroll<Dims>([&](auto i) { s.n2[i] = d.gradient[i] * d.gradient[i]; });
  const Value square = sum_of(s.n2);
  s.strength = select(square > least, Value(16 * anisotropy), Value(0));
  s.inverse_square = reciprocal(max(square, least));
  unroll<Dims>([&](auto i) { s.n2[i] = s.n2[i] * s.inverse_square; });
  s.sum = dot(s.n2, s.n2);
  s.a = fma(s.strength, fma(Real(0.25), s.sum, Real(-0.1875)), Real(1));
  return s;
}

/// Twelve times div(a^2 grad u) + sum_i d_i(a da/du_i |grad u|^2) over a_0^2. With E(p) =
/// a^2 |p|^2 / 2 that is the sum over i, j of H_ij d_i d_j u, where with m_i = n_i^2, s = 16 e and
/// b = 2 a + s Q
///   H_ii = a^2 + s [-a Q + m_i (3 a + b Q) - 2 b m_i^2 + s m_i^3]
///   H_ij = s n_i n_j [s m_i m_j - b (m_i + m_j - Q)]
/// are the second derivatives of E.
template <int Dims, class Value>
GOBAN_FUNCTION auto smoothed(const Derivatives<Dims, Value>& d, const Surface<Dims, Value>& s) {
  const Value b = fma(s.strength, s.sum, s.a + s.a), b_q = b * s.sum;
  const Value linear = fma(3, s.a, b_q), quadratic = b + b, lowest = s.a * s.sum;
  Value along[Dims], across[d.planes];
  unroll<Dims>([&](auto i) {
    const Value m = s.n2[i];
    along[i] = fma(m, fma(m, fma(s.strength, m, -quadratic), linear), -lowest);
  });
  for_planes<Dims>([&](auto i, auto j) {
    const Value rest = fma(-b, s.n2[i] + s.n2[j], b_q);
    across[i + j - 1] = d.gradient[i] * d.gradient[j] * fma(s.strength, s.n2[i] * s.n2[j], rest);
  });
  const Value bent = fma(6 * s.inverse_square, dot(across, d.mixed), dot(along, d.second));
  return fma(s.a * s.a, sum_of(d.second), s.strength * bent);
}

}  // namespace goban::dendrite
