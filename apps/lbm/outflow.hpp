#pragma once
// Where fluid leaves, or comes and goes: the populations of the layers of cells there.

#include <array>

#include "lbm/cell.hpp"
#include "lbm/collisions.hpp"

namespace goban::lbm {

template <class Lattice>
GOBAN_FUNCTION auto moments_at(const auto& f) {
  using Value = std::remove_cvref_t<decltype(f[0]())>;
  Value g[Lattice::size];
  for (int q = 0; q < Lattice::size; ++q) g[q] = f[q]();
  return moments<Lattice>(g, NoForce{});
}

/// A step of the cells of an outflow or of a side that holds a pressure. They hold the equilibrium
/// of a density and a velocity of their own, and what the cell inside has beside its equilibrium
/// (Guo, Zheng, Shi, Chin. Phys. 11 (2002) 366). Density and velocity follow the waves that arrive
/// there (Poinsot, Lele, J. Comput. Phys. 101 (1992) 104); n points outward, t along the side, c^2
/// = 1/3, p = c^2 (rho - 1):
///   dp/dt   = -(L+ + L-) / 2 - T_p             T_p = sum over t of u_t dp/dt' + rho c^2 du_t/dt'
///   du_n/dt = -(L+ - L-) / (2 rho c) - T_n + A_n       T_n = sum over t of u_t du_n/dt'
///   du_t/dt = -u_n du_t/dn - sum u_t' du_t/dt' - dp/dt / rho + A_t
///   L+ = (u_n + c) (dp/dn + rho c du_n/dn)     leaves
///   L- = K (p - P) - (1 - outflow_mach) (T_p - rho c T_n) - rho c A_n
/// A is what viscosity (along the side) and the body force do. L- would come in. Its first term
/// leads the pressure to P, of an outflow slowly, so that waves leave. The second lets vortices
/// through (Yoo, Im, Combust. Theory Modelling 11 (2007) 259): without it each of them sends sound
/// back. The third is that of a channel or a weight, whose gradient of pressure, -A_n, is no wave:
/// where nothing changes any more p is P whatever A_n is. What flows in, b = max(-u_n, 0), has no
/// speed along the side: u_n du_t/dn = b u_t. Into an outflow it comes from fluid at rest, to which
/// L- leads pressure and speed, by (K + b) (p + rho c b). Differences are of first order, along the
/// side central with the viscosity of upwind ones.
inline constexpr double outflow_relaxation = 0.002;
inline constexpr double pressure_relaxation = 0.2;
inline constexpr double outflow_mach = 0.1;

template <class Lattice, class Real>
struct LetOut {
  Axis normal{};
  bool is_high{};         ///< the side
  bool holds_pressure{};  ///< in and out, instead of letting waves leave
  Real viscosity{};

  /// `excess`: 3 P.
  GOBAN_FUNCTION void operator()(auto f, auto type, auto next, auto excess, auto force_x,
                                 auto force_y, auto force_z) const {
    const int n = index_of(normal);
    constexpr Real c = 0.57735026918962576;
    const Real outward = is_high ? 1 : -1;
    const auto force = body_force(force_x, force_y, force_z);
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    const Moments<Value> here = moments_at<Lattice>(f);
    const State<Value> own = state_of(here);
    const State<Value> inner =
        either(beside(f, type, normal, -1, own), beside(f, type, normal, 1, own));
    const Value rho = here.rho;

    Value along_p(0), divergence(0);  // u_t dp/dt', du_t/dt'
    std::array<Value, 3> along{Value(0), Value(0), Value(0)}, push = along, gain = along;
    for (int a = 0; a < Lattice::dimensions; ++a) gain[a] = force.density[a] / rho;
    for (int t = 0; t < Lattice::dimensions; ++t) {
      if (t == n) continue;
      const State<Value> above = beside(f, type, all_axes[t], 1, own);
      const State<Value> below = beside(f, type, all_axes[t], -1, own);
      const Value u = own.u[t], half = 0.5 * abs(u);
      const auto carried = [&](const Value& low, const Value& mid, const Value& high) {
        return 0.5 * u * (high - low) - half * (high - 2 * mid + low);
      };
      along_p = along_p + carried(below.p, own.p, above.p);
      divergence = divergence + 0.5 * (above.u[t] - below.u[t]);
      push[t] = 0.5 * (above.p - below.p) / rho;
      for (int a = 0; a < Lattice::dimensions; ++a) {
        along[a] = along[a] + carried(below.u[a], own.u[a], above.u[a]);
        gain[a] = gain[a] + viscosity * (above.u[a] - 2 * own.u[a] + below.u[a]);
      }
    }

    const Value un = outward * own.u[n];
    const Value across_p = along_p + rho * divergence / 3, across_u = outward * along[n];
    const Value leaves = (un + c) * ((own.p - inner.p) + rho * c * (un - outward * inner.u[n]));
    const Value back = max(-un, Value(0));
    const Value off = own.p - excess() / 3;
    const Value led = holds_pressure ? Real(pressure_relaxation) * off
                                     : (Real(outflow_relaxation) + back) * (off + rho * c * back);
    const Value enters = led - Real(1 - outflow_mach) * (across_p - rho * c * across_u) -
                         rho * c * (outward * gain[n]);
    Moments<Value> m;
    m.excess = here.excess - 3 * (0.5 * (leaves + enters) + across_p);
    m.rho = 1 + m.excess;
    m.u[2] = Value(0);
    m.uu = Value(0);
    for (int a = 0; a < Lattice::dimensions; ++a) {
      if (a == n) {
        m.u[a] = own.u[a] - outward * ((leaves - enters) / (2 * rho * c) + across_u);
      } else {
        const Value carried = select(un > 0, un * (own.u[a] - inner.u[a]), -un * own.u[a]);
        m.u[a] = own.u[a] - (carried + along[a] + push[a]);
      }
      m.u[a] = m.u[a] + gain[a];
      m.uu = m.uu + 1.5 * m.u[a] * m.u[a];
    }
    // Stress, as it is in the cell inside.
    const auto low = f.shift(normal, -1), high = f.shift(normal, 1);
    const auto kind = select(is_high, type.shift(normal, -1)(), type.shift(normal, 1)());
    const auto flows = kind == cell::fluid || kind == cell::outflow;
    Value g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) {
      g[q] = select(flows, select(is_high, low[q](), high[q]()), 0);
    }
    const Moments<Value> inside = moments<Lattice>(g, NoForce{});
    const auto is_open = type() == cell::outflow;
    for (int q = 0; q < Lattice::size; ++q) {
      const Value rest = g[q] - equilibrium<Lattice>(inside, q);
      next[q] = select(is_open, equilibrium<Lattice>(m, q) + rest, f[q]());
    }
  }

 private:
  template <class Value>
  struct State {
    Value p;  ///< less that at rest
    std::array<Value, 3> u;
  };

  template <class Value>
  GOBAN_FUNCTION static State<Value> state_of(const Moments<Value>& m) {
    return {m.excess / 3, {m.u[0], m.u[1], m.u[2]}};
  }

  template <class Value>
  GOBAN_FUNCTION State<Value> either(const State<Value>& below, const State<Value>& above) const {
    State<Value> state = below;
    state.p = select(is_high, below.p, above.p);
    for (int a = 0; a < 3; ++a) state.u[a] = select(is_high, below.u[a], above.u[a]);
    return state;
  }

  /// The state of the cell `steps` further. Walls lie half-way; what lies beyond the grid is like
  /// the cell.
  template <class Value>
  GOBAN_FUNCTION static State<Value> beside(const auto& f, const auto& type, Axis axis, int steps,
                                            const State<Value>& own) {
    const auto there = f.shift(axis, steps);
    const auto kind = type.shift(axis, steps)();
    const Moments<Value> m = moments_at<Lattice>(there);
    const auto flows = kind == cell::fluid || kind == cell::outflow;
    const auto is_beyond = kind == cell::beyond;
    State<Value> state = state_of(m);
    state.p = select(flows, state.p, own.p);
    for (int a = 0; a < 3; ++a) {
      // Populations of walls sum to 2 u_wall, with a density of 1.
      const Value mirrored = m.u[a] * m.rho - own.u[a];
      state.u[a] = select(flows, state.u[a], select(is_beyond, own.u[a], mirrored));
    }
    return state;
  }
};

}  // namespace goban::lbm
