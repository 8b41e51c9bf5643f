#pragma once
// The physics: what one sweep does to one cell.
//
// Symbols: phi order parameter (alloy: 0 melt, 1 solid; thermal: -1, 1), c concentration and
// u = c_L - c_0 that of the melt less that of the alloy [percent by weight], U dimensionless
// temperature, h edge length of a cell.

#include "dendrite/differences.hpp"
#include "dendrite/model.hpp"
#include "goban/stencil/operators.hpp"

namespace goban::dendrite {

// How far below the liquidus of the alloy a cell is [K], whatever its own concentration.

/// The same everywhere.
template <class Real>
struct Isothermal {
  Real undercooling{};
  GOBAN_FUNCTION auto operator()() const { return undercooling; }
};

/// Frozen: undercooling - G s + R t, s along the growth axis, the undercooling at the low end that
/// of the step. `shifted` counts the cells by which the frame has moved.
template <class Real>
struct Frozen {
  Axis axis = Axis::z;
  double step{};  ///< G h
  double rate{};  ///< R

  GOBAN_FUNCTION auto operator()(auto site, auto shifted, auto undercooling) const {
    const auto lowest = undercooling() - step * (shifted() + 0.5) + rate * site.time();
    return convert<Real>(lowest) - static_cast<Real>(step) * convert<Real>(site.index(axis));
  }
};

/// Frozen with fluctuations, uniform in -amplitude ... amplitude and new in every cell and step.
template <class Real>
struct FrozenWithNoise {
  Frozen<Real> mean;
  Real amplitude{};

  GOBAN_FUNCTION auto operator()(auto site, auto shifted, auto undercooling) const {
    return fma(2 * amplitude, site.template random<Real>(),
               mean(site, shifted, undercooling) - amplitude);
  }
};

/// One step of an alloy, forward Euler:
///   phi' = phi + dt M [div(a^2 grad phi) + sum_i d_i(a da/dphi_i |grad phi|^2)
///                      + dS (T_liquidus(c_L) - T) p'(phi) - W q'(phi)]
///   c'   = c + dt div[D_S phi grad c_S + D_L (1 - phi) grad c_L]
/// with p' = 30 phi^2 (1 - phi)^2, q' = 2 phi (1 - phi) (1 - 2 phi), c = phi c_S + (1 - phi) c_L
/// and c_S = k c_L, hence c = (c_0 + u) (1 - (1 - k) phi). The undercooling is
/// T_liquidus(c_0) - T - |m| u: growth where the melt is colder than its liquidus.
///
/// What is stored is u, and phi' - phi is that of the stored values, so that no solute is lost to
/// rounding. The flux through a face is (alpha + beta (phi + phi+)) (u+ - u), equal for
/// both of its cells, and c' = c + inflow becomes
///   u' = u + [inflow + (1 - k) (c_0 + u) (phi' - phi)] / (1 - (1 - k) phi')
/// with one reciprocal where c itself would need seven; u is exactly 0 far from any solid. Reads 19
/// (plane: 9) values of phi and 7 (5) of u.
template <int Dims, class Real, class Undercooling>
struct GrowInAlloy {
  Real anisotropy{};
  Real smoothing{};    ///< M a_0^2 dt / (12 h^2)
  Real barrier{};      ///< 2 M W dt
  Real driving{};      ///< 30 M dS dt, 1/K
  Real slope{};        ///< |m|
  Real alpha{};        ///< D_L dt / h^2
  Real beta{};         ///< (k D_S - D_L) / 2 dt / h^2
  Real composition{};  ///< c_0
  Real rejection{};    ///< 1 - k
  Undercooling undercooling{};

  static GrowInAlloy with(const Alloy& alloy, double spacing, double dt,
                          const Undercooling& undercooling) {
    const double m = alloy.mobility() * dt, square = spacing * spacing;
    const double a = alloy.gradient_coefficient();
    const double d_l = alloy.liquid_diffusivity * dt / square;
    const double d_s = alloy.solid_diffusivity * dt / square;
    return {static_cast<Real>(alloy.anisotropy),
            static_cast<Real>(m * a * a / (12 * square)),
            static_cast<Real>(2 * m * alloy.barrier()),
            static_cast<Real>(30 * m * alloy.entropy),
            static_cast<Real>(alloy.liquidus_slope),
            static_cast<Real>(d_l),
            static_cast<Real>((alloy.partition * d_s - d_l) / 2),
            static_cast<Real>(alloy.composition),
            static_cast<Real>(1 - alloy.partition),
            undercooling};
  }

  GOBAN_FUNCTION void operator()(auto phi, auto u, auto phi_next, auto u_next,
                                 auto... where) const {
    const auto d = derivatives<Dims>(phi);
    const auto p = d.here, here = u();
    const auto mixed = p * (1 - p);
    const auto pull = fma(-driving * slope, here, driving * undercooling(where...));
    const auto reaction = mixed * fma(mixed, pull, fma(2 * barrier, p, -barrier));
    const auto solid = p + fma(smoothing, smoothed(d, surface_of(d, anisotropy)), reaction);
    phi_next = solid;

    decltype(u()) through[Dims];
    unroll<Dims>([&](auto a) {
      constexpr Axis axis = all_axes[a];
      const auto upper = u.shift(axis, 1)(), lower = u.shift(axis, -1)();
      const auto face = [&](int side) { return fma(beta, p + phi.shift(axis, side)(), alpha); };
      through[a] = face(1) * (upper - here) - face(-1) * (here - lower);
    });
    const auto rejected = fma(rejection, here, rejection * composition);
    const auto inflow = fma(rejected, solid - p, sum_of(through));
    u_next = fma(inflow, reciprocal(fma(-rejection, solid, Real(1))), here);
  }
};

/// No fluctuations of U.
struct Quiet {
  GOBAN_FUNCTION int operator()() const { return 0; }
};
/// Uniform in -amplitude ... amplitude, new in every cell and step.
template <class Real>
struct Noisy {
  Real amplitude{};
  GOBAN_FUNCTION auto operator()(auto site) const {
    return fma(2 * amplitude, site.template random<Real>(), -amplitude);
  }
};

/// One step of a pure melt, forward Euler (Karma, Rappel 1998):
///   tau phi' = tau phi + dt { [phi - lambda U (1 - phi^2)] (1 - phi^2)
///                             + div(W^2 grad phi) + sum_i d_i(W dW/dphi_i |grad phi|^2) }
///   U' = U + dt D Lap U + (phi' - phi) / 2
/// with W = W_0 a, tau = tau_0 a^2, a the anisotropy of differences.hpp.
template <int Dims, class Real, class Fluctuation>
struct GrowInMelt {
  Real anisotropy{};
  Real rate{};       ///< dt / tau_0
  Real smoothing{};  ///< W_0^2 dt / (12 tau_0 h^2)
  Real coupling{};   ///< lambda
  Real spreading{};  ///< D dt / (6 h^2)
  Fluctuation fluctuation{};

  static GrowInMelt with(const Thermal& thermal, double spacing, double dt,
                         const Fluctuation& fluctuation) {
    const double square = spacing * spacing, rate = dt / thermal.relaxation_time;
    return {static_cast<Real>(thermal.anisotropy),
            static_cast<Real>(rate),
            static_cast<Real>(rate * thermal.width * thermal.width / (12 * square)),
            static_cast<Real>(thermal.coupling),
            static_cast<Real>(thermal.diffusivity * dt / (6 * square)),
            fluctuation};
  }

  GOBAN_FUNCTION void operator()(auto phi, auto u, auto phi_next, auto u_next,
                                 auto... where) const {
    const auto d = derivatives<Dims>(phi);
    const auto s = surface_of(d, anisotropy);
    const auto p = d.here, here = u();
    const auto mixed = fma(-p, p, Real(1));
    const auto pull = coupling * (here + fluctuation(where...));
    const auto reaction = rate * (mixed * fma(-pull, mixed, p));
    const auto change = fma(smoothing, smoothed(d, s), reaction);
    const auto solid = fma(change, reciprocal(s.a * s.a), p);
    phi_next = solid;
    u_next = here + fma(spreading, isotropic_laplacian<Dims>(u), Real(0.5) * (solid - p));
  }
};

/// All values one cell further down the growth axis; melt that has seen no solid comes in on top.
template <Axis A, class Real>
struct MoveDown {
  std::int32_t last{};  ///< index of the highest cell
  Real melt{};          ///< phi there
  Real fresh{};         ///< u or U there

  GOBAN_FUNCTION void operator()(auto site, auto phi, auto u, auto phi_next, auto u_next) const {
    const auto is_top = site.index(A) == last;
    phi_next = select(is_top, melt, phi.shift(A, 1)());
    u_next = select(is_top, fresh, u.shift(A, 1)());
  }
};
struct TakeOver {
  GOBAN_FUNCTION void operator()(auto phi, auto u, auto phi_next, auto u_next) const {
    phi_next = phi();
    u_next = u();
  }
};

// What is to be seen of a state; computed in double.

/// Where phi falls through `level` between this cell and the next along A, as the coordinate along
/// A; `lowest` elsewhere. Its maximum is the tip.
template <Axis A>
struct Interface {
  double level{};
  double lowest{};
  double spacing{};

  GOBAN_FUNCTION auto operator()(auto site, auto phi) const {
    const auto here = convert<double>(phi()), above = convert<double>(phi.shift(A, 1)());
    const auto is_here = here >= level && above < level;
    const auto part = (here - level) / select(is_here, here - above, 1.0);
    return select(is_here, fma(part, spacing, site.position(A)), lowest);
  }
};

/// Part of the cell that is solid.
struct Solid {
  double melt{};  ///< phi in the melt

  GOBAN_FUNCTION auto operator()(auto phi) const {
    return (convert<double>(phi()) - melt) / (1 - melt);
  }
};

/// c of a cell, in the fields' own precision or in double for the sum.
template <class Real>
struct Concentration {
  Real composition{};  ///< c_0
  Real rejection{};    ///< 1 - k

  GOBAN_FUNCTION auto operator()(auto phi, auto u) const {
    return (composition + convert<Real>(u())) * fma(-rejection, convert<Real>(phi()), Real(1));
  }
  GOBAN_FUNCTION void operator()(auto phi, auto u, auto c) const { c = (*this)(phi, u); }
};

/// a^2 |grad phi|^2 / a_0^2, differences between neighbours: those whose sum the scheme minimises.
template <int Dims>
struct SquaredGradient {
  double anisotropy{};
  double inverse_square{};  ///< 1 / h^2

  GOBAN_FUNCTION auto operator()(auto phi) const {
    const auto d = derivatives<Dims>(phi);
    const auto a = convert<double>(surface_of(d, anisotropy_of(d.here)).a);
    const auto here = convert<double>(d.here);
    auto sum = 0 * here;
    unroll<Dims>([&](auto i) {
      constexpr Axis axis = all_axes[i];
      const auto upper = convert<double>(phi.shift(axis, 1)()) - here;
      const auto lower = convert<double>(phi.shift(axis, -1)()) - here;
      sum = sum + (upper * upper + lower * lower);
    });
    return a * a * (0.5 * inverse_square) * sum;
  }

 private:
  template <class Value>
  GOBAN_FUNCTION auto anisotropy_of(const Value&) const {
    return static_cast<typename Value::Value>(anisotropy);
  }
};

/// Density of the interface energy of an alloy: a^2 |grad phi|^2 / 2 + W phi^2 (1 - phi)^2, J/m3.
template <int Dims>
struct InterfaceEnergy {
  SquaredGradient<Dims> gradient;
  double stiffness{};  ///< a_0^2
  double barrier{};    ///< W

  GOBAN_FUNCTION auto operator()(auto phi) const {
    const auto p = convert<double>(phi());
    const auto mixed = p * (1 - p);
    return fma(0.5 * stiffness, gradient(phi), barrier * (mixed * mixed));
  }
};

/// Density of the free energy of a pure melt (PFHub benchmark 3): W^2 |grad phi|^2 / 2 + f,
/// f = -phi^2/2 + phi^4/4 + lambda U phi (1 - 2/3 phi^2 + 1/5 phi^4).
template <int Dims>
struct FreeEnergy {
  SquaredGradient<Dims> gradient;
  double stiffness{};  ///< W_0^2
  double coupling{};   ///< lambda

  GOBAN_FUNCTION auto operator()(auto phi, auto u) const {
    const auto p = convert<double>(phi());
    const auto p2 = p * p;
    const auto well = p2 * fma(0.25, p2, -0.5);
    const auto tilt = coupling * convert<double>(u()) * p * fma(p2, fma(0.2, p2, -2.0 / 3), 1.0);
    return fma(0.5 * stiffness, gradient(phi), well + tilt);
  }
};

/// U - phi / 2: its sum is the heat, which no step changes.
struct Enthalpy {
  GOBAN_FUNCTION auto operator()(auto phi, auto u) const {
    return fma(-0.5, convert<double>(phi()), convert<double>(u()));
  }
};

}  // namespace goban::dendrite
