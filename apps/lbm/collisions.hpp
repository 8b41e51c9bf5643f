#pragma once
// What happens to the populations of one cell between two streamings.
//
// Lattice units: a cell, a step, the mean density 1. Populations are kept as their distance from
// rest, g_q = f_q - w_q: values near 0 instead of near w_q, so that single and half precision keep
// the digits that matter. rho = 1 + sum g_q, j = sum c_q g_q.

#include "goban/stencil/graph/trace.hpp"
#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "lbm/lattice.hpp"

namespace goban::lbm {

/// Sum over q of c_q,a g_q.
template <class Lattice, class Value>
GOBAN_FUNCTION Value momentum(const Value (&g)[Lattice::size], int a) {
  const int first = 2 * a + 1;
  Value sum = g[first];
  for (int q = first + 1; q < Lattice::size; ++q) {
    const int c = Lattice::velocity(q)[a];
    if (c > 0) sum = sum + g[q];
    if (c < 0) sum = sum - g[q];
  }
  return sum;
}

/// c_q . v without multiplications; q is not the rest.
template <class Lattice, class Value>
GOBAN_FUNCTION Value along(const Value (&v)[3], int q) {
  const Velocity c = Lattice::velocity(q);
  const int first = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2;
  Value sum = v[first];
  if (c[first] < 0) sum = -v[first];
  for (int a = first + 1; a < 3; ++a) {
    if (c[a] > 0) sum = sum + v[a];
    if (c[a] < 0) sum = sum - v[a];
  }
  return sum;
}

/// Density and velocity of a cell, and what every equilibrium needs of them.
template <class Value>
struct Moments {
  Value excess;  ///< rho - 1
  Value rho;
  Value u[3];
  Value uu;  ///< 3/2 u^2
};

/// Nothing drives the flow.
struct NoForce {
  static constexpr bool acts = false;
};

/// Force density F on all fluid, by Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308: u = (j + F /
/// 2) / rho, and every collision adds (1 - omega / 2) S_q,
///   S_q = w_q (3 (c_q - u) . F + 9 (c_q . u) (c_q . F)).
template <class Real>
struct BodyForce {
  static constexpr bool acts = true;
  std::array<Real, 3> density{};
};

/// The force of parameters, which may vary from step to step.
template <class X>
GOBAN_FUNCTION auto body_force(X x, X y, X z) {
  return BodyForce<std::remove_cvref_t<decltype(x())>>{{x(), y(), z()}};
}

/// What drives the flow and what bodies do to it, fields of forces (goban/particle/bodies.hpp).
template <class Value, class Real>
GOBAN_FUNCTION BodyForce<Value> force_at(auto field, const BodyForce<Real>& drive) {
  BodyForce<Value> all;
  for (int a = 0; a < 3; ++a) all.density[a] = field[a]() + drive.density[a];
  return all;
}

/// Whether populations are those before or after the collision, which adds F to j.
enum class Collided { no, yes };

template <class Lattice, Collided Done = Collided::no, class Value, class Force>
GOBAN_FUNCTION Moments<Value> moments(const Value (&g)[Lattice::size], const Force& force) {
  Moments<Value> m;
  m.excess = g[0];
  for (int q = 1; q < Lattice::size; ++q) m.excess = m.excess + g[q];
  m.rho = 1 + m.excess;
  const Value inverse = 1 / m.rho;
  m.u[2] = Value(0);
  for (int a = 0; a < Lattice::dimensions; ++a) {
    Value j = momentum<Lattice>(g, a);
    if constexpr (Force::acts) {
      j = Done == Collided::no ? j + force.density[a] / 2 : j - force.density[a] / 2;
    }
    m.u[a] = j * inverse;
    m.uu = a == 0 ? m.u[0] * m.u[0] : m.uu + m.u[a] * m.u[a];
  }
  m.uu = 1.5 * m.uu;
  return m;
}

/// f_q^eq - w_q, f_q^eq = w_q rho (1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2).
template <class Lattice, class Value>
GOBAN_FUNCTION Value equilibrium(const Moments<Value>& m, int q) {
  const double w = Lattice::weight(q);
  if (q == 0) return w * (m.excess - m.rho * m.uu);
  const Value cu = along<Lattice>(m.u, q);
  return w * (m.excess + m.rho * (3 * cu + 4.5 * cu * cu - m.uu));
}

/// F . u of a cell and w_q 3 F . c_q of a velocity.
template <class Lattice, class Value, class Real>
GOBAN_FUNCTION Value power(const Moments<Value>& m, const BodyForce<Real>& force) {
  Value sum = force.density[0] * m.u[0];
  for (int a = 1; a < Lattice::dimensions; ++a) sum = sum + force.density[a] * m.u[a];
  return sum;
}
template <class Lattice, class Real>
GOBAN_FUNCTION Real push(const BodyForce<Real>& force, int q) {
  const Velocity c = Lattice::velocity(q);
  return Real(3 * Lattice::weight(q)) *
         (Real(c[0]) * force.density[0] + Real(c[1]) * force.density[1] +
          Real(c[2]) * force.density[2]);
}

/// S_q of BodyForce.
template <class Lattice, class Value, class Real>
GOBAN_FUNCTION Value source(const Moments<Value>& m, const Value& work,
                            const BodyForce<Real>& force, int q) {
  const double w = Lattice::weight(q);
  if (q == 0) return -3 * w * work;
  return push<Lattice>(force, q) * (1 + 3 * along<Lattice>(m.u, q)) - 3 * w * work;
}

/// One rate for all: g_q -= omega (g_q - g_q^eq); omega = 1 / tau, nu = (tau - 1/2) / 3.
template <class Real>
struct Bgk {
  Real omega{};

  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION Real relaxation_time(const Value (&)[Lattice::size], const Moments<Value>&,
                                      const Force&) const {
    return 1 / omega;
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force) const {
    const Moments<Value> m = moments<Lattice>(g, force);
    for (int q = 0; q < Lattice::size; ++q) {
      g[q] = g[q] - omega * (g[q] - equilibrium<Lattice>(m, q));
    }
    if constexpr (Force::acts) {
      const Real part = 1 - omega / 2;
      const Value work = power<Lattice>(m, force);
      for (int q = 0; q < Lattice::size; ++q) {
        g[q] = g[q] + part * source<Lattice>(m, work, force, q);
      }
    }
  }
};

/// Relaxes the sums of opposite populations with the rate `even` and their differences with `odd`.
template <class Lattice, class Value, class Rate, class Force>
GOBAN_FUNCTION void collide_pairs(Value (&g)[Lattice::size], const Moments<Value>& m,
                                  const Rate& even, const Rate& odd, const Force& force) {
  Value work(0);
  if constexpr (Force::acts) work = power<Lattice>(m, force);
  g[0] = g[0] - even * (g[0] - equilibrium<Lattice>(m, 0));
  if constexpr (Force::acts) {
    g[0] = g[0] - (1 - even / 2) * (3 * Lattice::weight(0) * work);
  }
  for (int q = 1; q < Lattice::size; q += 2) {
    const double w = Lattice::weight(q);
    const Value cu = along<Lattice>(m.u, q);
    const Value sum = 0.5 * (g[q] + g[q + 1]), difference = 0.5 * (g[q] - g[q + 1]);
    Value s = even * (sum - w * (m.excess + m.rho * (4.5 * cu * cu - m.uu)));
    Value d = odd * (difference - (3 * w) * m.rho * cu);
    if constexpr (Force::acts) {
      const auto forward = push<Lattice>(force, q);
      s = s - (1 - even / 2) * (3 * forward * cu - 3 * w * work);
      d = d - (1 - odd / 2) * forward;
    }
    g[q] = g[q] - (s + d);
    g[q + 1] = g[q + 1] - (s - d);
  }
}

/// Two rates (Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427): `even`, which
/// sets the viscosity as omega of Bgk does, for the sums and `odd` for the differences of opposite
/// populations. What walls do depends on (1/even - 1/2) (1/odd - 1/2) alone, the magic parameter;
/// 3/16 puts them half-way between the cells exactly.
template <class Real>
struct Trt {
  Real even{}, odd{};

  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION Real relaxation_time(const Value (&)[Lattice::size], const Moments<Value>&,
                                      const Force&) const {
    return 1 / even;
  }
  /// The odd rate of a cell with this relaxation time.
  template <class Value>
  GOBAN_FUNCTION Real odd_rate(const Value&) const {
    return odd;
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force) const {
    collide_pairs<Lattice>(g, moments<Lattice>(g, force), even, odd, force);
  }
  /// The same with another relaxation time and the same magic parameter.
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Moments<Value>& m, const Value& tau,
                              const Force& force) const {
    const Real magic = (1 / even - Real(0.5)) * (1 / odd - Real(0.5));
    collide_pairs<Lattice>(g, m, Value(1 / tau), Value(1 / (magic / (tau - Real(0.5)) + Real(0.5))),
                           force);
  }
};

/// Bgk with the viscosity of unresolved eddies (Hou, Sterling, Chen, Doolen 1996): with Pi = sum
/// c_q c_q (f_q - f_q^eq) and Q = Pi:Pi,
///   tau = 1/2 (tau0 + sqrt(tau0^2 + 18 sqrt(2) C^2 sqrt(Q) / rho)).
template <class Real>
struct Smagorinsky {
  Real tau{};   ///< relaxation time of the fluid itself
  Real eddy{};  ///< 18 sqrt(2) C^2

  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION Value relaxation_time(const Value (&g)[Lattice::size], const Moments<Value>& m,
                                       const Force&) const {
    Value rest[Lattice::size];
    return tau_and_rest<Lattice>(g, m, rest);
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force) const {
    const Moments<Value> m = moments<Lattice>(g, force);
    Value rest[Lattice::size];  // distance from equilibrium
    const Value omega = 1 / tau_and_rest<Lattice>(g, m, rest);
    for (int q = 0; q < Lattice::size; ++q) g[q] = g[q] - omega * rest[q];
    if constexpr (Force::acts) {
      const Value part = 1 - 0.5 * omega;
      const Value work = power<Lattice>(m, force);
      for (int q = 0; q < Lattice::size; ++q) {
        g[q] = g[q] + part * source<Lattice>(m, work, force, q);
      }
    }
  }

 private:
  template <class Lattice, class Value>
  GOBAN_FUNCTION Value tau_and_rest(const Value (&g)[Lattice::size], const Moments<Value>& m,
                                    Value (&rest)[Lattice::size]) const {
    for (int q = 0; q < Lattice::size; ++q) rest[q] = g[q] - equilibrium<Lattice>(m, q);
    Value square(0);
    for (int a = 0; a < Lattice::dimensions; ++a) {
      for (int b = 0; b <= a; ++b) {
        Value pi(0);
        for (int q = 0; q < Lattice::size; ++q) {
          const int cc = Lattice::velocity(q)[a] * Lattice::velocity(q)[b];
          if (cc > 0) pi = pi + rest[q];
          if (cc < 0) pi = pi - rest[q];
        }
        square = square + (a == b ? 1 : 2) * (pi * pi);
      }
    }
    return 0.5 * (tau + sqrt(tau * tau + eddy * sqrt(square) / m.rho));
  }
};

}  // namespace goban::lbm
