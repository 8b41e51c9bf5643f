#pragma once
// Layers before openings in which the fluid is more viscous, so that jets and vortices die out.

#include "blood/disc.hpp"
#include "lbm/collisions.hpp"

namespace goban::blood {

/// A collision whose viscosity rises towards an opening (Israeli, Orszag, J. Comput. Phys. 41
/// (1981) 115; in lattice Boltzmann by the relaxation time: Xu, Sagaut, J. Comput. Phys. 245 (2013)
/// 14): at a distance x < `length` from its plane it is that of `collision` times
///   1 + (ratio - 1) (1 - x / length)^2.
template <class Collision, class Real>
struct Sponge {
  Collision collision;
  Disc<Real> disc;
  Real length{};  ///< m
  Real ratio{};

  /// 1 at the opening, 0 from where the layer begins on; negative outside of it.
  GOBAN_FUNCTION auto depth(const auto& site) const {
    const auto at = [&](int a) {
      return site.template position<Real>(all_axes[a]) - disc.center[a];
    };
    auto before = -at(0) * disc.normal[0], square = at(0) * at(0);
    for (int a = 1; a < 3; ++a) {
      before = before - at(a) * disc.normal[a];
      square = square + at(a) * at(a);
    }
    const auto across = square - before * before;
    const Real widest = Real(reach * reach) * disc.radius * disc.radius;
    return select(across < widest && before > -disc.spacing, 1 - before / length, Real(-1));
  }
  template <class Lattice, class Value, class Force>
  GOBAN_FUNCTION void collide(Value (&g)[Lattice::size], const Force& force,
                              const auto& depth) const {
    const auto m = lbm::moments<Lattice>(g, force);
    const Value s = max(Value(depth), Value(0));
    const Value thin = Value(collision.template relaxation_time<Lattice>(g, m, force)) - Real(0.5);
    const Value tau = Real(0.5) + thin * (1 + (ratio - 1) * s * s);
    collision.template collide<Lattice>(g, m, tau, force);
  }

  static constexpr double reach =
      1.5;  ///< reach of the layer across the axis, in radii of the opening
};

template <class Collision>
inline constexpr bool has_sponge = false;
template <class Collision, class Real>
inline constexpr bool has_sponge<Sponge<Collision, Real>> = true;

}  // namespace goban::blood
