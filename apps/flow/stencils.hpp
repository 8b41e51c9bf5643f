#pragma once
// The physics: what one sweep does to one cell and its lower faces.
//
// Symbols: u velocity [m/s], on the faces of the axis it points along; h edge lengths of a cell
// [m]; nu viscosity [m2/s]; s a scalar [K], in cells; phi = p dt^2 / density [m2], in cells. Means
// of two and central differences of second order, in divergence form (Harlow, Welch, Phys. Fluids 8
// (1965) 2182): what leaves a cell enters its neighbour.
//
// Where cells are not all alike a byte says what each is (stencil/staggered.hpp). Closed faces keep
// what they hold: 0 at solids, the profile of an inflow. Along a solid the wall lies half-way
// between the velocity beside it and the 0 inside, which doubles the difference. Functors without a
// field of types take all cells for fluid.

#include <array>
#include <tuple>
#include <type_traits>

#include "goban/solver/implicit_diffusion.hpp"
#include "goban/stencil/staggered.hpp"

namespace goban::flow {

using namespace staggered;  // NOLINT: what the functors here are made of

/// The type of the cell inside of a face at a side of the grid, across this axis.
GOBAN_FUNCTION auto behind(const auto& type, Axis axis, bool is_high) {
  return select(is_high, type.shift(axis, -1)(), type());
}

/// Two axes.
struct Pair {
  int a, b;  ///< their numbers
  GOBAN_FUNCTION Axis first() const { return all_axes[a]; }
  GOBAN_FUNCTION Axis second() const { return all_axes[b]; }
};

/// du_a/dx_b + du_b/dx_a at the edge that the lower faces of a cell along a and b share, a != b.
template <class Real>
GOBAN_FUNCTION auto shear_rate(Pair axes, const auto& ua, const auto& ub,
                               const std::array<Real, 3>& per_h) {
  return per_h[axes.b] * d<2, Onto::face>(ua, axes.second()) +
         per_h[axes.a] * d<2, Onto::face>(ub, axes.first());
}

/// The slope of u_a along b at the edge that the lower faces of a cell along a and b share ends at
/// a solid, half a cell away.
GOBAN_FUNCTION auto is_beside_wall(Pair axes, const auto& type) {
  return is_solid(type, axes.first()) || is_solid(type.shift(axes.second(), -1), axes.first());
}

/// What eddies that the grid does not resolve add to the viscosity [m2/s], in cells: none ...
struct NoEddies {
  GOBAN_FUNCTION NoEddies shift(Axis, int) const { return {}; }
};
/// ... or a field.
template <class Field, class Real>
struct Eddies {
  Field nu;
  std::array<Real, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto shift(Axis axis, int n) const {
    const auto there = nu.shift(axis, n);
    return Eddies<std::decay_t<decltype(there)>, Real>{there, per_h};
  }
  /// - 2 nu S_ab, S = (grad u + its transpose) / 2: what they carry through a centre or an edge.
  GOBAN_FUNCTION auto stress(Pair axes, const auto& ua, const auto& ub) const {
    const Axis a = axes.first(), b = axes.second();
    if (a == b) return (-2 * per_h[axes.a]) * (nu() * d<2, Onto::center>(ua, a));
    const auto mean =
        (nu() + nu.shift(a, -1)()) + (nu.shift(b, -1)() + nu.shift(a, -1).shift(b, -1)());
    return Real(-0.25) * (mean * shear_rate(axes, ua, ub, per_h));
  }
};

/// Makes the eddies of a viscosity: `nu` is its field, or NoEddies, which stays what it is.
template <class Real>
GOBAN_FUNCTION auto eddies_of(const auto& nu, const std::array<Real, 3>& per_h) {
  using Field = std::decay_t<decltype(nu)>;
  if constexpr (std::is_same_v<Field, NoEddies>) {
    return nu;
  } else {
    return Eddies<Field, Real>{nu, per_h};
  }
}

/// u_a u_b - nu du_a/dx_b: momentum along a that flows along b, through the centre of the cell for
/// a = b, else through the edge that its lower faces along a and b share; and what eddies carry,
/// nothing at solids.
template <class Real>
GOBAN_FUNCTION auto momentum_flux(Pair axes, const auto& ua, const auto& ub, Real nu_per_h,
                                  const auto& eddies, const auto& type) {
  const Axis a = axes.first(), b = axes.second();
  const auto with_eddies = [&](const auto& flux) {
    if constexpr (std::is_same_v<std::decay_t<decltype(eddies)>, NoEddies>) {
      return flux;
    } else {
      return flux + eddies.stress(axes, ua, ub);
    }
  };
  if (a == b) {
    const auto mean = average<Onto::center>(ua, a);
    return with_eddies(mean * mean - nu_per_h * d<2, Onto::center>(ua, a));
  }
  const auto carried = average<Onto::face>(ub, a) * average<Onto::face>(ua, b);
  const auto slope = nu_per_h * d<2, Onto::face>(ua, b);
  if constexpr (has_types<decltype(type)>) {
    return select(is_beside_wall(axes, type), carried - 2 * slope, with_eddies(carried - slope));
  } else {
    return with_eddies(carried - slope);
  }
}

/// What a scalar does to the fluid that carries it.
template <class Real>
struct Buoyancy {
  std::array<Real, 3> lift{};  ///< m/(s2 K): -expansion times gravity
  Real reference{};            ///< K

  GOBAN_FUNCTION auto operator()(std::size_t axis, const auto& scalar) const {
    return lift[axis] * (scalar - reference);
  }
};

/// One stage of the time scheme, the pressure left out:
///   rate' = -div(u u) + nu Lap u + forces,   u* = u + now rate' + before rate.
/// Arguments: velocities, rates, u*, with HasScalar a scalar, with the type of cells if they have
/// one, with HasEddies their viscosity; the acceleration along each axis [m/s2]; now and before
/// [s]. D: dimensions.
template <int D, bool HasScalar, bool HasType, bool HasEddies, class Real>
struct Accelerate {
  std::array<Real, 3> viscosity;  ///< viscosity along each axis; 0 where diffusion is implicit
  std::array<Real, 3> per_h;      ///< 1/m
  Buoyancy<Real> buoyancy;

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    constexpr std::size_t scalar = 3 * D, kind = scalar + HasScalar, eddy = kind + HasType,
                          numbers = eddy + HasEddies;
    const auto type = argument_or<HasType, kind>(all, AllFluid{});
    const auto eddies = eddies_of(argument_or<HasEddies, eddy>(all, NoEddies{}), per_h);
    const auto& now = std::get<numbers + D>(all);
    const auto& before = std::get<numbers + D + 1>(all);
    const auto u = of_axes<D>(all);
    const auto rates = of_axes<D, D>(all);
    const auto nexts = of_axes<D, 2 * D>(all);
    const auto accelerations = of_axes<D, numbers>(all);
    for (int a = 0; a < D; ++a) {
      const Axis axis = all_axes[a];
      const auto force = [&] {
        const auto acceleration = accelerations[a]();
        if constexpr (HasScalar) {
          return acceleration + buoyancy(a, average<Onto::face>(std::get<scalar>(all), axis));
        } else {
          return acceleration;
        }
      }();
      const auto inner = force + gain(a, u, eddies, type);
      const auto moved = u[a]() + (now() * inner + before() * rates[a]());
      nexts[a] = where_open(type, axis, moved, u[a]());
      rates[a] = where_open(type, axis, inner, 0);
    }
  }

 private:
  /// -div of the momentum along axis a.
  GOBAN_FUNCTION auto gain(int a, const auto& u, const auto& eddies, const auto& type) const {
    return sum_over(D, [&](int b) {
      const Axis axis = all_axes[b];
      const int lower = a == b ? -1 : 0;
      const auto flux = [&](int n) {
        return momentum_flux(Pair{a, b}, u[a].shift(axis, n), u[b].shift(axis, n),
                             viscosity[b] * per_h[b], eddies.shift(axis, n), type.shift(axis, n));
      };
      return per_h[b] * (flux(lower) - flux(lower + 1));
    });
  }
};

/// The same of a scalar: rate' = -div(u s) + div(diffusivity grad s). Nothing goes through the
/// sides of solids.
template <int D, bool HasType, bool HasEddies, class Real>
struct Transport {
  std::array<Real, 3> diffusivity;  ///< along each axis
  std::array<Real, 3> per_h;        ///< 1/m
  Real of_eddies{};                 ///< diffusivity of eddies over their viscosity

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& s = std::get<D>(all);
    const auto& rate = std::get<D + 1>(all);
    const auto& next = std::get<D + 2>(all);
    const auto& now = std::get<D + 3 + HasType + HasEddies>(all);
    const auto& before = std::get<D + 4 + HasType + HasEddies>(all);
    const auto type = argument_or<HasType, D + 3>(all, AllFluid{});
    const auto u = of_axes<D>(all);
    const auto gain = sum_over(D, [&](int b) {
      const auto flux = [&](int n) { return through(b, u[b], all, type.shift(all_axes[b], n), n); };
      return per_h[b] * (flux(0) - flux(1));
    });
    const auto moved = s() + (now() * gain + before() * rate());
    next = where_fluid(type, moved, s());
    rate = where_fluid(type, gain, 0);
  }

 private:
  /// Through the lower face along axis b, where u is, of the cell n further, of this type.
  GOBAN_FUNCTION auto through(int b, const auto& u, const auto& all, const auto& type,
                              int n) const {
    const Axis axis = all_axes[b];
    const auto s = std::get<D>(all).shift(axis, n);
    const auto carried = u.shift(axis, n)() * average<Onto::face>(s, axis);
    const auto spread = [&] {
      if constexpr (HasEddies) {
        const auto nu = std::get<D + 3 + HasType>(all).shift(axis, n);
        return per_h[b] * (diffusivity[b] + of_eddies * average<Onto::face>(nu, axis));
      } else {
        return diffusivity[b] * per_h[b];
      }
    }();
    const auto slope = spread * d<2, Onto::face>(s, axis);
    if constexpr (HasType) {
      return carried - select(is_solid(type, axis), 0, slope);
    } else {
      return carried - slope;
    }
  }
};

/// DiffuseAlong of the velocity along A. The gradient of the pressure along A belongs to what
/// diffuses: that of phi / length is taken off before and returned after. Arguments: site, u, u*
/// which becomes v, length [s], phi, 1/length, scratch.
template <Axis A, Axis N, class Real>
struct DiffuseVelocityAlong : DiffuseAlong<N, A == N, Real> {
  double per_h;  ///< 1/m, along A

  GOBAN_FUNCTION void forward(auto site, auto u, auto next, auto length, auto phi, auto per_length,
                              auto s) const {
    this->sweep(site, (next() - u()) - pressed(phi, per_length), u, length, s);
  }
  GOBAN_FUNCTION void backward(auto, auto u, auto next, auto, auto phi, auto per_length,
                               auto s) const {
    next = u() + (this->substitute(s) + pressed(phi, per_length));
  }

 private:
  /// What the projection will take off, as far as it is known.
  GOBAN_FUNCTION auto pressed(const auto& phi, const auto& per_length) const {
    return convert<Real>((per_h * per_length()) * d<A, 2, Onto::face>(phi));
  }
};

/// |S|^2 = 2 S_ij S_ij of a cell [1/s2]; at its edges the mean of four.
template <int D, class Real>
GOBAN_FUNCTION auto strain_squared(const auto& u, const std::array<Real, 3>& per_h) {
  const auto square = [](const auto& x) { return x * x; };
  return sum_over(D, [&](int a) {
    return sum_over(D, [&](int b) {
      const Axis A = all_axes[a], B = all_axes[b];
      if (a == b) return 2 * square(per_h[a] * d<2, Onto::center>(u[a], A));
      const auto at = [&](int n, int m) {  // each pair of axes comes twice
        return square(shear_rate(Pair{a, b}, u[a].shift(A, n).shift(B, m),
                                 u[b].shift(A, n).shift(B, m), per_h));
      };
      return Real(0.125) * ((at(0, 0) + at(0, 1)) + (at(1, 0) + at(1, 1)));
    });
  });
}

/// nu = l^2 |S| (Smagorinsky, Mon. Weather Rev. 91 (1963) 99). Arguments: velocities, l^2 [m2], nu.
template <int D, class Real>
struct SubgridViscosity {
  std::array<Real, 3> per_h;  ///< 1/m
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    std::get<D + 1>(all) = std::get<D>(all)() * sqrt(strain_squared<D>(of_axes<D>(all), per_h));
  }
};

/// A source of a scalar, `shape` times `value` [K/s], in the same stage: added to its rate, too.
struct Release {
  GOBAN_FUNCTION void operator()(auto shape, auto rate, auto next, auto value, auto now) const {
    const auto source = value() * shape();
    next += now() * source;
    rate += source;
  }
};

struct Copy {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(); }
};

struct Clear {
  GOBAN_FUNCTION void operator()(auto sum) const { sum = 0; }
};

/// sum += weight (s - reference): what several scalars do to the density together.
template <class Real>
struct AddLightness {
  Real weight, reference;
  GOBAN_FUNCTION void operator()(auto s, auto sum) const { sum += weight * (s() - reference); }
};

/// Nothing moves at solids.
struct RestAtSolids {
  Axis axis{};  ///< along which u points
  GOBAN_FUNCTION void operator()(auto type, auto u) const {
    u = select(is_solid(type, axis), 0, u());
  }
};

/// Convective outflow through the faces of one side: u* = u - dt speed du/dn, the speed being that
/// of the mean flow.
template <class Real>
struct LetOut {
  Axis axis{};
  bool is_high{};
  Real per_h;  ///< 1/m

  GOBAN_FUNCTION void operator()(auto u, auto type, auto next, auto speed, auto dt) const {
    const auto inner = select(is_high, u.shift(axis, -1)(), u.shift(axis, 1)());
    const auto out = u() - (per_h * speed() * dt()) * (u() - inner);
    next = select(behind(type, axis, is_high) == cell::fluid, out, next());
  }
};

/// Faces of an inflow get `velocity`, along its axis, times its profile.
template <class Real>
struct LetIn {
  Axis axis{};
  bool is_high{};
  std::array<Real, 3> per_cell{};  ///< 1 / cells, of axes along which the profile is a parabola

  GOBAN_FUNCTION void operator()(auto site, auto type, auto next, auto velocity) const {
    const auto part = [&](Axis along) {
      const Real scale = per_cell[static_cast<std::size_t>(index_of(along))];
      const auto s = scale * (convert<Real>(site.index(along)) + Real(0.5));
      return select(scale > 0, 4 * s * (1 - s), Real(1));
    };
    const auto in = velocity() * (part(Axis::x) * part(Axis::y) * part(Axis::z));
    next = select(behind(type, axis, is_high) == cell::fluid, in, 0);
  }
};

/// What the pressure that a side holds does to the velocity through it, in a stage: `push` [m/s]
/// along the axis. Arguments: u*, the type of cells if they have one, push.
template <bool HasType>
struct PressSide {
  Axis axis{};
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto type = argument_or<HasType, 1>(all, AllFluid{});
    const auto& next = std::get<0>(all);
    next = where_open(type, axis, next() + std::get<1 + HasType>(all)(), next());
  }
};

/// Velocity through the faces of a side that lie at fluid, outward.
struct ThroughSide {
  Axis axis{};
  bool is_high{};
  GOBAN_FUNCTION auto operator()(auto u, auto type) const {
    const auto outward = select(is_high, u(), -u());
    return select(behind(type, axis, is_high) == cell::fluid, outward, 0);
  }
};

/// Adds to them what flows out too little.
template <class Real>
struct BalanceSide {
  Axis axis{};
  bool is_high{};
  GOBAN_FUNCTION void operator()(auto type, auto u, auto more) const {
    const Real outward = is_high ? 1 : -1;
    u = select(behind(type, axis, is_high) == cell::fluid, u() + outward * more(), u());
  }
};

}  // namespace goban::flow
