#pragma once
// The physics: what one sweep does to one cell and its lower faces.
//
// Symbols: u velocity [m/s], on the faces of the axis it points along; h edge lengths of a cell
// [m]; nu viscosity [m2/s]; s a scalar [K], in cells; phi = p dt^2 / density [m2], in cells. Means
// of two and central differences of second order, in divergence form (Harlow, Welch, Phys. Fluids 8
// (1965) 2182): what leaves a cell enters its neighbour.
//
// Where cells are not all alike a byte says what each is (cell.hpp). A face is open between two
// cells of fluid; others keep what they hold: 0 at solids, the profile of an inflow. Along a solid
// the wall lies half-way between the velocity beside it and the 0 inside, which doubles the
// difference. The type of cells is the last field of a functor, or it is left out.

#include <array>
#include <tuple>
#include <type_traits>

#include "flow/cell.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::flow {

/// Of a tuple of velocities, or of what has one value for each, that along an axis.
template <Axis A>
GOBAN_FUNCTION const auto& along(const auto& faces) {
  return std::get<static_cast<std::size_t>(index_of(A))>(faces);
}

/// term(0) + ... + term(Count - 1); the argument is a constant.
template <int Count, class Term>
GOBAN_FUNCTION auto sum_over(const Term& term) {
  constexpr std::integral_constant<int, Count - 1> last{};
  if constexpr (last == 0) {
    return term(last);
  } else {
    return sum_over<Count - 1>(term) + term(last);
  }
}

/// The lower face of a cell along A lies between two cells of fluid.
template <Axis A>
GOBAN_FUNCTION auto is_open(const auto& type) {
  return type() == cell::fluid && type.shift(A, -1)() == cell::fluid;
}
/// It bounds a solid cell.
template <Axis A>
GOBAN_FUNCTION auto is_solid(const auto& type) {
  return type() == cell::solid || type.shift(A, -1)() == cell::solid;
}

/// Of a face of a side along A, the cell inside of it.
template <Axis A>
GOBAN_FUNCTION auto behind(const auto& type, bool is_high) {
  return select(is_high, type.shift(A, -1)(), type());
}

/// `value`, or 0 on closed faces along A.
template <Axis A>
GOBAN_FUNCTION auto where_open(const auto& value, const auto&... type) {
  if constexpr (sizeof...(type) == 0) {
    return value;
  } else {
    return select(is_open<A>(type...), value, 0);
  }
}

/// du_A/dx_B + du_B/dx_A at the edge that the lower faces of a cell along A and B share, A != B.
template <Axis A, Axis B, class Real>
GOBAN_FUNCTION auto shear_rate(const auto& uA, const auto& uB, const std::array<Real, 3>& per_h) {
  return along<B>(per_h) * d<B, 2, Onto::face>(uA) + along<A>(per_h) * d<A, 2, Onto::face>(uB);
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

/// u_A u_B - nu du_A/dx_B: momentum along A that flows along B, through the centre of the cell for
/// A = B, else through the edge that its lower faces along A and B share; and what eddies carry,
/// nothing at solids.
template <Axis A, Axis B, class Real>
GOBAN_FUNCTION auto momentum_flux(const auto& uA, const auto& uB, Real nu_per_h, const auto& eddies,
                                  const auto&... type) {
  constexpr bool has_eddies = !std::is_same_v<std::decay_t<decltype(eddies)>, NoEddies>;
  const auto with_eddies = [&](const auto& flux) {
    if constexpr (has_eddies) {
      return flux + eddies.template stress<A, B>(uA, uB);
    } else {
      return flux;
    }
  };
  if constexpr (A == B) {
    const auto mean = average<A, Onto::center>(uA);
    return with_eddies(mean * mean - nu_per_h * d<A, 2, Onto::center>(uA));
  } else {
    const auto carried = average<A, Onto::face>(uB) * average<B, Onto::face>(uA);
    const auto slope = nu_per_h * d<B, 2, Onto::face>(uA);
    if constexpr (sizeof...(type) == 0) {
      return with_eddies(carried - slope);
    } else {
      const auto beside_wall = is_solid<A>(type...) || is_solid<A>(type.shift(B, -1)...);
      return select(beside_wall, carried - 2 * slope, with_eddies(carried - slope));
    }
  }
}

/// What makes the fluid move beside its own momentum.
template <class Real>
struct Forces {
  std::array<Real, 3> acceleration{};  ///< m/s2
  std::array<Real, 3> lift{};          ///< m/(s2 K), of a scalar: -expansion times gravity
  Real reference{};                    ///< K, of the scalar
};

/// One stage of the time scheme, the pressure left out:
///   rate' = -div(u u) + nu Lap u + forces,   u* = u + now rate' + before rate.
/// Arguments: velocities, rates, u*, with HasScalar a scalar, with the type of cells if they have
/// one, with HasEddies their viscosity; now and before [s]. D: dimensions.
template <int D, bool HasScalar, bool HasType, bool HasEddies, class Real>
struct Accelerate {
  std::array<Real, 3> viscosity;  ///< of what diffuses along each axis
  std::array<Real, 3> per_h;      ///< 1/m
  Forces<Real> forces;

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto u = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tie(std::get<I>(all)...);
    }
    (std::make_index_sequence<D>{});
    constexpr std::size_t more = 3 * D, type = more + HasScalar, eddy = type + HasType,
                          numbers = eddy + HasEddies;
    const auto eddies = [&] {
      if constexpr (HasEddies) {
        return Eddies<std::decay_t<decltype(std::get<eddy>(all))>, Real>{std::get<eddy>(all),
                                                                         per_h};
      } else {
        return NoEddies{};
      }
    }();
    unroll<D>([&](auto a) {
      constexpr Axis A = all_axes[a];
      const auto& rate = std::get<D + a>(all);
      const auto& next = std::get<2 * D + a>(all);
      const auto& now = std::get<numbers>(all);
      const auto& before = std::get<numbers + 1>(all);
      auto sum = force_along<A>(all, std::integral_constant<std::size_t, more>{});
      if constexpr (HasType) {
        const auto inner = sum + gain<A>(u, eddies, std::get<type>(all));
        const auto moved = along<A>(u)() + (now() * inner + before() * rate());
        const auto open = is_open<A>(std::get<type>(all));
        next = select(open, moved, along<A>(u)());
        rate = select(open, inner, 0);
      } else {
        const auto inner = sum + gain<A>(u, eddies);
        next = along<A>(u)() + (now() * inner + before() * rate());
        rate = inner;
      }
    });
  }

 private:
  template <Axis A, std::size_t At>
  GOBAN_FUNCTION auto force_along(const auto& all, std::integral_constant<std::size_t, At>) const {
    constexpr auto a = static_cast<std::size_t>(index_of(A));
    if constexpr (HasScalar) {
      return forces.acceleration[a] +
             forces.lift[a] * (average<A, Onto::face>(std::get<At>(all)) - forces.reference);
    } else {
      return forces.acceleration[a];
    }
  }
  /// -div of the momentum along A.
  template <Axis A>
  GOBAN_FUNCTION auto gain(const auto& u, const auto& eddies, const auto&... type) const {
    const auto net = [&](auto b) {
      constexpr Axis B = all_axes[b];
      constexpr auto at = static_cast<std::size_t>(b);
      constexpr int lower = A == B ? -1 : 0;
      const auto flux = [&](int n) {
        return momentum_flux<A, B>(along<A>(u).shift(B, n), along<B>(u).shift(B, n),
                                   viscosity[at] * per_h[at], eddies.shift(B, n),
                                   type.shift(B, n)...);
      };
      return per_h[at] * (flux(lower) - flux(lower + 1));
    };
    return sum_over<D>(net);
  }
};

/// The same of a scalar: rate' = -div(u s) + div(diffusivity grad s) + source. Nothing goes through
/// the sides of solids.
template <int D, bool HasType, bool HasEddies, class Real>
struct Transport {
  std::array<Real, 3> diffusivity;  ///< along each axis
  std::array<Real, 3> per_h;        ///< 1/m
  Real source;                      ///< K/s
  Real of_eddies{};                 ///< diffusivity of eddies over their viscosity

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& s = std::get<D>(all);
    const auto& rate = std::get<D + 1>(all);
    const auto& next = std::get<D + 2>(all);
    const auto& now = std::get<D + 3 + HasType + HasEddies>(all);
    const auto& before = std::get<D + 4 + HasType + HasEddies>(all);
    const auto gain = source + sum_over<D>([&](auto b) {
                        constexpr auto at = static_cast<std::size_t>(b);
                        const auto flux = [&](int n) { return through<all_axes[at]>(all, n); };
                        return per_h[at] * (flux(0) - flux(1));
                      });
    if constexpr (HasType) {
      const auto is_fluid = std::get<D + 3>(all)() == cell::fluid;
      next = select(is_fluid, s() + (now() * gain + before() * rate()), s());
      rate = select(is_fluid, gain, 0);
    } else {
      next = s() + (now() * gain + before() * rate());
      rate = gain;
    }
  }

 private:
  /// Through the lower face along B of the cell n further.
  template <Axis B>
  GOBAN_FUNCTION auto through(const auto& all, int n) const {
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
      return carried - select(is_solid<B>(std::get<D + 3>(all).shift(B, n)), 0, slope);
    } else {
      return carried - slope;
    }
  }
};

/// Diffusion along the axis N, at the beginning and the end of a stage alike (Crank, Nicolson): for
/// what a stage makes of u without it, u*, finds v with
///   v = u* + length nu / 2 (d^2 u + d^2 v), d^2 the second difference along N.
/// v - u is what is solved for, whose ghosts are `low` and `high` times what they mirror. OnFaces:
/// u lies on the faces along N, of which the first and the last keep what they hold. With a
/// pressure its gradient along A belongs to what diffuses: that of phi / length is taken off before
/// and returned after. Arguments: site, u, u* which becomes v, length [s], phi and 1/length if
/// there is a pressure, scratch.
template <Axis N, bool OnFaces, class Real>
struct DiffuseAlong {
  Real share;  ///< nu / (2 h^2), 1/s
  Real low, high;
  std::int32_t last;  ///< index of the last level

  GOBAN_FUNCTION void forward(auto site, auto u, auto next, auto length, auto s) const {
    sweep(site, next() - u(), u, length, s);
  }
  GOBAN_FUNCTION void backward(auto, auto u, auto next, auto, auto s) const {
    next = u() + substitute(s);
  }

 protected:
  GOBAN_FUNCTION void sweep(const auto& site, const auto& change, const auto& u, const auto& length,
                            const auto& s) const {
    const auto a = share * length();
    const auto is_low = site.index(N) == 0, is_high = site.index(N) == last;
    const auto bend = u.shift(N, 1)() - 2 * u() + u.shift(N, -1)();
    const auto below = s[0].before();
    const auto ends = select(is_low, a * low, 0) + select(is_high, a * high, 0);
    const auto per_pivot = 1 / ((1 + 2 * a) - ends - a * below);
    const auto known = (change + 2 * a * bend + a * s[1].before()) * per_pivot;
    if constexpr (OnFaces) {
      const auto is_inside = site.index(N) > 0 && site.index(N) < last;
      s[0] = select(is_inside, a * per_pivot, 0);
      s[1] = select(is_inside, known, 0);
    } else {
      s[0] = a * per_pivot;
      s[1] = known;
    }
  }
  GOBAN_FUNCTION auto substitute(const auto& s) const {
    const auto change = s[1]() + s[0]() * s[1].before();
    s[1] = change;
    return change;
  }
};

/// The same of the velocity along A.
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
  /// What Project will take off, as far as it is known.
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

/// Net outflow of a cell per volume, 1/s, in double.
template <int D>
struct Diverge {
  std::array<double, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto of(const auto&... u) const {
    const auto all = std::tie(u...);
    return sum_over<D>([&](auto b) {
      constexpr auto a = static_cast<std::size_t>(b);
      const auto& faces = std::get<a>(all);
      return per_h[a] * (convert<double>(faces.shift(all_axes[a], 1)()) - convert<double>(faces()));
    });
  }
};

/// f = dt div u, the right-hand side of Lap phi = f.
template <int D>
struct Imbalance {
  Diverge<D> divergence;
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::get<D>(all) = std::get<D + 1>(all)() * divergence.of(std::get<I>(all)...);
    }
    (std::make_index_sequence<D>{});
  }
};

/// |div u|.
template <int D>
struct AbsoluteDivergence {
  Diverge<D> divergence;
  GOBAN_FUNCTION auto operator()(auto... u) const { return abs(divergence.of(u...)); }
};

/// u = u* - grad phi / dt. Arguments: velocities, phi, the type of cells if they have one, 1/dt.
template <int D, bool HasType, class Real>
struct Project {
  std::array<double, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& phi = std::get<D>(all);
    unroll<D>([&](auto a) {
      constexpr Axis A = all_axes[a];
      const auto step = (per_h[a] * std::get<D + 1 + HasType>(all)()) * d<A, 2, Onto::face>(phi);
      if constexpr (HasType) {
        std::get<a>(all) -= convert<Real>(where_open<A>(step, std::get<D + 1>(all)));
      } else {
        std::get<a>(all) -= convert<Real>(step);
      }
    });
  }
};

/// Conductances of lower faces: 1 where they are open.
struct Conduct {
  GOBAN_FUNCTION void operator()(auto type, auto x, auto y, auto z) const {
    x = select(is_open<Axis::x>(type), 1.0, 0.0);
    y = select(is_open<Axis::y>(type), 1.0, 0.0);
    z = select(is_open<Axis::z>(type), 1.0, 0.0);
  }
};

/// Nothing moves at solids.
template <Axis A>
struct RestAtSolids {
  GOBAN_FUNCTION void operator()(auto type, auto u) const { u = select(is_solid<A>(type), 0, u()); }
};

/// older = now phi + before older: the pressure of the next step, as its past suggests.
struct Extrapolate {
  GOBAN_FUNCTION void operator()(auto phi, auto older, auto now, auto before) const {
    older = now() * phi() + before() * older();
  }
};

/// Convective outflow through the faces of one side: u* = u - dt speed du/dn, the speed being that
/// of the mean flow.
template <Axis A, class Real>
struct LetOut {
  bool is_high{};
  Real share;  ///< speed / h, 1/s

  GOBAN_FUNCTION void operator()(auto u, auto type, auto next, auto dt) const {
    const auto inner = select(is_high, u.shift(A, -1)(), u.shift(A, 1)());
    const auto out = u() - (share * dt()) * (u() - inner);
    next = select(behind<A>(type, is_high) == cell::fluid, out, next());
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
    u += select(behind<A>(type, is_high) == cell::fluid, outward * more(), 0);
  }
};

}  // namespace goban::flow
