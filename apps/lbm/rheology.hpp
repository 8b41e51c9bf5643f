#pragma once
// Fluids whose viscosity depends on how fast they are sheared, as blood's does.

#include "lbm/collisions.hpp"

namespace goban::lbm {

/// sum over q of c_q,a c_q,b (f_q - f_q^eq) of populations before the collision, xx, yy, zz, xy,
/// xz, yz: -2 rho tau / 3 times the rate of strain. If there is a force, Guo's correction is added.
template <class Lattice, class Value, class Force>
GOBAN_FUNCTION std::array<Value, 6> strain_moments(const Value (&g)[Lattice::size],
                                                   const Moments<Value>& m, const Force& force) {
  constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  std::array<Value, 6> pi{Value(0), Value(0), Value(0), Value(0), Value(0), Value(0)};
  for (int n = 0; n < 6; ++n) {
    const int a = first[n], b = second[n];
    if (b >= Lattice::dimensions) continue;
    for (int q = 1; q < Lattice::size; ++q) {
      const int cc = Lattice::velocity(q)[a] * Lattice::velocity(q)[b];
      if (cc > 0) pi[n] = pi[n] + g[q];
      if (cc < 0) pi[n] = pi[n] - g[q];
    }
    pi[n] = pi[n] - m.rho * (m.u[a] * m.u[b]);
    if (a == b) pi[n] = pi[n] - m.excess / 3;
    if constexpr (Force::acts) {
      pi[n] = pi[n] + 0.5 * (m.u[a] * force.density[b] + m.u[b] * force.density[a]);
    }
  }
  return pi;
}

/// tau times the rate of shear sqrt(2 S:S), S the rate of strain.
template <class Value>
GOBAN_FUNCTION Value sheared(const std::array<Value, 6>& pi, const Value& rho) {
  const Value normal = pi[0] * pi[0] + pi[1] * pi[1] + pi[2] * pi[2];
  const Value across = pi[3] * pi[3] + pi[4] * pi[4] + pi[5] * pi[5];
  return 1.5 * sqrt(2 * (normal + 2 * across)) / rho;
}

/// nu = infinite + (zero - infinite) (1 + (time gamma)^power)^((exponent - 1) / power) at the rate
/// of shear gamma (Carreau, Trans. Soc. Rheol. 16 (1972) 99; Yasuda, Armstrong, Cohen, Rheol. Acta
/// 20 (1981) 163); exponent at most 1.
template <class Real>
struct CarreauYasuda {
  Real zero{}, infinite{}, time{}, power{}, exponent{};

  /// tau = 1/2 + 3 nu(sheared / tau), by three of Newton's steps from that at rest: within 1e-5
  /// of it up to tau = 10 at rest.
  template <class Value>
  GOBAN_FUNCTION Value relaxation_time(const Value& sheared) const {
    const Real least = Real(0.5) + 3 * infinite;
    Value tau(Real(0.5) + 3 * zero);
    for (int n = 0; n < 3; ++n) {
      const Value x = pow((time * sheared + Real(1e-30)) / tau, power);
      const Value thinned = (zero - infinite) * pow(1 + x, (exponent - 1) / power);
      const Value slope = (exponent - 1) * thinned * x / (1 + x);  // d nu / d ln gamma
      const Value off = tau - (least + 3 * thinned);
      tau = max(tau - off / (1 + 3 * slope / tau), Value(least));
    }
    return tau;
  }
};

/// sqrt(nu) = sqrt(viscosity) + sqrt(yield / gamma) (Casson 1959), at most a largest one: below the
/// yield stress, divided by the density, the fluid creeps with that.
template <class Real>
struct Casson {
  Real viscosity{}, yield{}, largest{};

  /// The root of a quadratic equation for sqrt(tau).
  template <class Value>
  GOBAN_FUNCTION Value relaxation_time(const Value& sheared) const {
    const Value part = yield / (sheared + Real(1e-30));
    const Value b = 3 * sqrt(viscosity * part), a = 1 - 3 * part;
    const Real c = Real(0.5) + 3 * viscosity, most = Real(0.5) + 3 * largest;
    const Value root = c / (sqrt(b * b + max(a, Value(0)) * c) - b);
    return select(a > 0 && root * root < most, root * root, Value(most));
  }
};

/// Trt whose even rate follows from the rate of shear in each cell, by a rheology; its odd rate
/// keeps the magic parameter, so that walls stay where they are.
template <class Rheology, class Real>
struct Rheological {
  Rheology rheology;
  Real magic{};

  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION Value relaxation_time(const Value (&g)[Lattice::size], const Moments<Value>& m,
                                       const Force& force) const {
    return rheology.relaxation_time(sheared(strain_moments<Lattice>(g, m, force), m.rho));
  }
  template <class Value>
  GOBAN_FUNCTION Value odd_rate(const Value& tau) const {
    return 1 / (magic / (tau - Real(0.5)) + Real(0.5));
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force) const {
    const Moments<Value> m = moments<Lattice>(g, force);
    collide<Lattice>(g, m, relaxation_time<Lattice>(g, m, force), force);
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Moments<Value>& m, const Value& tau,
                              const Force& force) const {
    collide_pairs<Lattice>(g, m, Value(1 / tau), odd_rate(tau), force);
  }
};

/// Keeps of what populations have beside the equilibrium their stress alone (Latt, Chopard, Math.
/// Comput. Simul. 72 (2006) 165): with Pi of strain_moments() and tau of `Collision`,
///   f_q = f_q^eq + (1 - 1 / tau) 9/2 w_q sum_ab (c_q,a c_q,b - delta_ab / 3) Pi_ab
/// and (1 - 1 / (2 tau)) S_q of BodyForce. Stable where cells are too coarse for two rates; where
/// walls lie depends on tau.
template <class Collision, class Real>
struct Regularized {
  Collision collision;

  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION auto relaxation_time(const Value (&g)[Lattice::size], const Moments<Value>& m,
                                      const Force& force) const {
    return collision.template relaxation_time<Lattice>(g, m, force);
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force) const {
    const Moments<Value> m = moments<Lattice>(g, force);
    collide<Lattice>(g, m, Value(relaxation_time<Lattice>(g, m, force)), force);
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Moments<Value>& m, const Value& tau,
                              const Force& force) const {
    constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    const std::array<Value, 6> pi = strain_moments<Lattice>(g, m, force);
    const Value kept = 1 - 1 / tau, trace = (pi[0] + pi[1] + pi[2]) / 3;
    Value work(0);
    if constexpr (Force::acts) work = power<Lattice>(m, force);
    for (int q = 0; q < Lattice::size; ++q) {
      Value sum = -trace;
      for (int n = 0; n < 6; ++n) {
        const Velocity c = Lattice::velocity(q);
        const int cc = (n < 3 ? 1 : 2) * c[first[n]] * c[second[n]];
        if (cc != 0) sum = sum + Real(cc) * pi[n];
      }
      g[q] = equilibrium<Lattice>(m, q) + Real(4.5 * Lattice::weight(q)) * kept * sum;
      if constexpr (Force::acts) {
        g[q] = g[q] + (1 - 1 / (2 * tau)) * source<Lattice>(m, work, force, q);
      }
    }
  }
};

}  // namespace goban::lbm
