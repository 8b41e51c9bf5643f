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

/// Of a face of a side along A, the cell inside of it.
template <Axis A>
GOBAN_FUNCTION auto behind(const auto& type, bool is_high) {
  return select(is_high, type.shift(A, -1)(), type());
}

/// du_A/dx_B + du_B/dx_A at the edge that the lower faces of a cell along A and B share, A != B.
template <Axis A, Axis B, class Real>
GOBAN_FUNCTION auto shear_rate(const auto& uA, const auto& uB, const std::array<Real, 3>& per_h) {
  return along<B>(per_h) * d<B, 2, Onto::face>(uA) + along<A>(per_h) * d<A, 2, Onto::face>(uB);
}

/// The slope of u_A along B at the edge that the lower faces of a cell along A and B share ends at
/// a solid, half a cell away.
template <Axis A, Axis B>
GOBAN_FUNCTION auto is_beside_wall(const auto& type) {
  return is_solid<A>(type) || is_solid<A>(type.shift(B, -1));
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
  /// - 2 nu S_AB, S = (grad u + its transpose) / 2: what they carry through a centre or an edge.
  template <Axis A, Axis B>
  GOBAN_FUNCTION auto stress(const auto& uA, const auto& uB) const {
    if constexpr (A == B) {
      return (-2 * along<A>(per_h)) * (nu() * d<A, 2, Onto::center>(uA));
    } else {
      const auto mean =
          (nu() + nu.shift(A, -1)()) + (nu.shift(B, -1)() + nu.shift(A, -1).shift(B, -1)());
      return Real(-0.25) * (mean * shear_rate<A, B>(uA, uB, per_h));
    }
  }
};

/// Of their viscosity, a field or NoEddies.
template <class Real>
GOBAN_FUNCTION auto eddies_of(const auto& nu, const std::array<Real, 3>& per_h) {
  using Field = std::decay_t<decltype(nu)>;
  if constexpr (std::is_same_v<Field, NoEddies>) {
    return nu;
  } else {
    return Eddies<Field, Real>{nu, per_h};
  }
}

/// u_A u_B - nu du_A/dx_B: momentum along A that flows along B, through the centre of the cell for
/// A = B, else through the edge that its lower faces along A and B share; and what eddies carry,
/// nothing at solids.
template <Axis A, Axis B, class Real>
GOBAN_FUNCTION auto momentum_flux(const auto& uA, const auto& uB, Real nu_per_h, const auto& eddies,
                                  const auto& type) {
  const auto with_eddies = [&](const auto& flux) {
    if constexpr (std::is_same_v<std::decay_t<decltype(eddies)>, NoEddies>) {
      return flux;
    } else {
      return flux + eddies.template stress<A, B>(uA, uB);
    }
  };
  if constexpr (A == B) {
    const auto mean = average<A, Onto::center>(uA);
    return with_eddies(mean * mean - nu_per_h * d<A, 2, Onto::center>(uA));
  } else {
    const auto carried = average<A, Onto::face>(uB) * average<B, Onto::face>(uA);
    const auto slope = nu_per_h * d<B, 2, Onto::face>(uA);
    if constexpr (has_types<decltype(type)>) {
      return select(is_beside_wall<A, B>(type), carried - 2 * slope, with_eddies(carried - slope));
    } else {
      return with_eddies(carried - slope);
    }
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
  std::array<Real, 3> viscosity;  ///< of what diffuses along each axis
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
    unroll<D>([&](auto a) {
      constexpr Axis A = all_axes[a];
      const auto& u = std::get<a>(all);
      const auto& rate = std::get<D + a>(all);
      const auto& next = std::get<2 * D + a>(all);
      const auto force = [&] {
        const auto acceleration = std::get<numbers + a>(all)();
        if constexpr (HasScalar) {
          return acceleration + buoyancy(a, average<A, Onto::face>(std::get<scalar>(all)));
        } else {
          return acceleration;
        }
      }();
      const auto inner = force + gain<A>(all, eddies, type);
      const auto moved = u() + (now() * inner + before() * rate());
      next = where_open<A>(type, moved, u());
      rate = where_open<A>(type, inner, 0);
    });
  }

 private:
  /// -div of the momentum along A.
  template <Axis A>
  GOBAN_FUNCTION auto gain(const auto& u, const auto& eddies, const auto& type) const {
    return sum_over<D>([&](auto b) {
      constexpr Axis B = all_axes[b];
      constexpr auto at = static_cast<std::size_t>(b);
      constexpr int lower = A == B ? -1 : 0;
      const auto flux = [&](int n) {
        return momentum_flux<A, B>(along<A>(u).shift(B, n), along<B>(u).shift(B, n),
                                   viscosity[at] * per_h[at], eddies.shift(B, n), type.shift(B, n));
      };
      return per_h[at] * (flux(lower) - flux(lower + 1));
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
    const auto gain = sum_over<D>([&](auto b) {
      constexpr auto at = static_cast<std::size_t>(b);
      const auto flux = [&](int n) {
        return through<all_axes[at]>(all, type.shift(all_axes[at], n), n);
      };
      return per_h[at] * (flux(0) - flux(1));
    });
    const auto moved = s() + (now() * gain + before() * rate());
    next = where_fluid(type, moved, s());
    rate = where_fluid(type, gain, 0);
  }

 private:
  /// Through the lower face along B of the cell n further, of this type.
  template <Axis B>
  GOBAN_FUNCTION auto through(const auto& all, const auto& type, int n) const {
    constexpr auto b = static_cast<std::size_t>(index_of(B));
    const auto s = std::get<D>(all).shift(B, n);
    const auto carried = along<B>(all).shift(B, n)() * average<B, Onto::face>(s);
    const auto spread = [&] {
      if constexpr (HasEddies) {
        const auto nu = std::get<D + 3 + HasType>(all).shift(B, n);
        return per_h[b] * (diffusivity[b] + of_eddies * average<B, Onto::face>(nu));
      } else {
        return diffusivity[b] * per_h[b];
      }
    }();
    const auto slope = spread * d<B, 2, Onto::face>(s);
    if constexpr (HasType) {
      return carried - select(is_solid<B>(type), 0, slope);
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
  return sum_over<D>([&](auto a) {
    return sum_over<D>([&](auto b) {
      constexpr Axis A = all_axes[a], B = all_axes[b];
      if constexpr (A == B) {
        return 2 * square(per_h[a] * d<A, 2, Onto::center>(along<A>(u)));
      } else {  // each pair of axes comes twice
        const auto at = [&](int n, int m) {
          return square(shear_rate<A, B>(along<A>(u).shift(A, n).shift(B, m),
                                         along<B>(u).shift(A, n).shift(B, m), per_h));
        };
        return Real(0.125) * ((at(0, 0) + at(0, 1)) + (at(1, 0) + at(1, 1)));
      }
    });
  });
}

/// nu = l^2 |S| (Smagorinsky, Mon. Weather Rev. 91 (1963) 99). Arguments: velocities, l^2 [m2], nu.
template <int D, class Real>
struct SubgridViscosity {
  std::array<Real, 3> per_h;  ///< 1/m
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    std::get<D + 1>(all) = std::get<D>(all)() * sqrt(strain_squared<D>(all, per_h));
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
template <Axis A>
struct RestAtSolids {
  GOBAN_FUNCTION void operator()(auto type, auto u) const { u = select(is_solid<A>(type), 0, u()); }
};

/// Convective outflow through the faces of one side: u* = u - dt speed du/dn, the speed being that
/// of the mean flow.
template <Axis A, class Real>
struct LetOut {
  bool is_high{};
  Real per_h;  ///< 1/m

  GOBAN_FUNCTION void operator()(auto u, auto type, auto next, auto speed, auto dt) const {
    const auto inner = select(is_high, u.shift(A, -1)(), u.shift(A, 1)());
    const auto out = u() - (per_h * speed() * dt()) * (u() - inner);
    next = select(behind<A>(type, is_high) == cell::fluid, out, next());
  }
};

/// Faces of an inflow get `velocity`, along A, times its profile.
template <Axis A, class Real>
struct LetIn {
  bool is_high{};
  std::array<Real, 3> per_cell{};  ///< 1 / cells, of axes along which the profile is a parabola

  GOBAN_FUNCTION void operator()(auto site, auto type, auto next, auto velocity) const {
    const auto part = [&](Axis axis) {
      const Real scale = per_cell[static_cast<std::size_t>(index_of(axis))];
      const auto s = scale * (convert<Real>(site.index(axis)) + Real(0.5));
      return select(scale > 0, 4 * s * (1 - s), Real(1));
    };
    const auto in = velocity() * (part(Axis::x) * part(Axis::y) * part(Axis::z));
    next = select(behind<A>(type, is_high) == cell::fluid, in, 0);
  }
};

/// What the pressure that a side holds does to the velocity through it, in a stage: `push` [m/s]
/// along the axis. Arguments: u*, the type of cells if they have one, push.
template <Axis A, bool HasType>
struct PressSide {
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto type = argument_or<HasType, 1>(all, AllFluid{});
    const auto& next = std::get<0>(all);
    next = where_open<A>(type, next() + std::get<1 + HasType>(all)(), next());
  }
};

/// Velocity through the faces of a side that lie at fluid, outward.
template <Axis A>
struct ThroughSide {
  bool is_high{};
  GOBAN_FUNCTION auto operator()(auto u, auto type) const {
    const auto outward = select(is_high, u(), -u());
    return select(behind<A>(type, is_high) == cell::fluid, outward, 0);
  }
};

/// Adds to them what flows out too little.
template <Axis A, class Real>
struct BalanceSide {
  bool is_high{};
  GOBAN_FUNCTION void operator()(auto type, auto u, auto more) const {
    const Real outward = is_high ? 1 : -1;
    u = select(behind<A>(type, is_high) == cell::fluid, u() + outward * more(), u());
  }
};

}  // namespace goban::flow
