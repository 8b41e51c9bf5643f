#pragma once
// What is shown and summed up: functors of cells, read as in stencils.hpp.

#include "flow/stencils.hpp"

namespace goban::flow {

/// p = density phi / dt^2.
struct ShowPressure {
  double density;
  GOBAN_FUNCTION void operator()(auto phi, auto pressure, auto per_dt) const {
    pressure = (density * per_dt() * per_dt()) * phi();
  }
};

/// du_A/dx_B at the edge that the lower faces of a cell along A and B share, 1/s.
template <Axis A, Axis B, class Real>
GOBAN_FUNCTION auto slope_at_edge(const std::array<Real, 3>& per_h, const auto& u,
                                  const auto& type) {
  const auto slope = along<B>(per_h) * d<B, 2, Onto::face>(u);
  if constexpr (has_types<decltype(type)>) {
    return select(is_beside_wall<A, B>(type), 2 * slope, slope);
  } else {
    return slope;
  }
}

/// Vorticity of a cell, 1/s: along each axis the mean of its four edges. Arguments: velocities, the
/// type of cells if they have one, three components.
template <int D, bool HasType, class Real>
struct Vorticity {
  std::array<Real, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto type = argument_or<HasType, D>(all, AllFluid{});
    const auto& vorticity = std::get<D + HasType>(all);
    unroll<3>([&](auto c) {
      constexpr int a = (c + 1) % 3, b = (c + 2) % 3;
      if constexpr (a < D && b < D) {
        constexpr Axis A = all_axes[a], B = all_axes[b];
        const auto at = [&](int n, int m) {
          const auto place = [&](const auto& what) { return what.shift(A, n).shift(B, m); };
          return slope_at_edge<B, A>(per_h, place(along<B>(all)), place(type)) -
                 slope_at_edge<A, B>(per_h, place(along<A>(all)), place(type));
        };
        vorticity[c] = Real(0.25) * ((at(0, 0) + at(0, 1)) + (at(1, 0) + at(1, 1)));
      } else {
        vorticity[c] = 0;
      }
    });
  }
};

/// (grad u)^2 of a cell, 1/s2: viscosity times its sum is what friction takes from the kinetic
/// energy, exactly so where nothing flows through sides. Arguments: velocities, the type of cells
/// if they have one.
template <int D, bool HasType, class Real>
struct Shear {
  std::array<Real, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto type = argument_or<HasType, D>(all, AllFluid{});
    return sum_over<D>([&](auto a) {
      return sum_over<D>([&](auto b) {
        constexpr Axis A = all_axes[a], B = all_axes[b];
        const auto& own = std::get<a>(all);
        if constexpr (A == B) {
          return square(per_h[b] * d<A, 2, Onto::center>(own));
        } else {
          // A quarter for each of the differences beside the two faces. Half a cell beside a solid
          // has twice the slope.
          const auto beside = [&](int n, int m) {
            const auto u = own.shift(A, n).shift(B, m);
            return (along<B>(per_h) * d<B, 2, Onto::face>(u)) *
                   slope_at_edge<A, B>(per_h, u, type.shift(A, n).shift(B, m));
          };
          return 0.25 * ((beside(0, 0) + beside(0, 1)) + (beside(1, 0) + beside(1, 1)));
        }
      });
    });
  }

 private:
  GOBAN_FUNCTION static auto square(const auto& x) { return x * x; }
};

/// nu |S|^2 = l^2 |S|^3 of a cell, m2/s3: what eddies take from the kinetic energy. Arguments:
/// velocities, l^2.
template <int D, class Real>
struct SubgridDissipation {
  std::array<Real, 3> per_h;  ///< 1/m
  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto square = strain_squared<D>(all, per_h);
    return std::get<D>(all)() * (square * sqrt(square));
  }
};

/// Velocity along A, the mean of a cell's two faces.
template <Axis A>
struct MeanAlong {
  GOBAN_FUNCTION auto operator()(auto u) const { return average<A, Onto::center>(u); }
};

struct Value {
  GOBAN_FUNCTION auto operator()(auto value) const { return value(); }
};

/// Force along A on solids at the lower face of a cell, per density and volume of a cell [m/s2]:
/// pressure and momentum that flow into them, friction along them. The pressure at a solid is that
/// of the cell before it and what forces make of it over half a cell. Arguments: velocities, phi,
/// the type of cells, 1/dt, the acceleration along A [m/s2], with HasScalar a scalar, with
/// HasEddies their viscosity.
template <Axis A, int D, bool HasScalar, bool HasEddies, class Real>
struct PushSolid {
  Real viscosity;
  std::array<Real, 3> per_h;  ///< 1/m
  Buoyancy<Real> buoyancy;

  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    constexpr auto at = static_cast<std::size_t>(index_of(A));
    const auto& own = along<A>(all);
    const auto& phi = std::get<D>(all);
    const auto& type = std::get<D + 1>(all);
    const auto per_dt = std::get<D + 2>(all)();
    // From the centre of the cell on the low side or the high side.
    const auto eddies =
        eddies_of(argument_or<HasEddies, D + 4 + HasScalar>(all, NoEddies{}), per_h);
    const auto acceleration = std::get<D + 3>(all)();
    const auto lifted = [&](int n) {
      if constexpr (HasScalar) {
        return convert<double>(acceleration + buoyancy(at, std::get<D + 4>(all).shift(A, n)()));
      } else {
        return convert<double>(acceleration);
      }
    };
    const auto pressed = [&](int n) {
      const auto flux = momentum_flux<A, A>(own.shift(A, n), own.shift(A, n), viscosity * per_h[at],
                                            eddies.shift(A, n), AllFluid{});
      return (per_dt * per_dt) * phi.shift(A, n)() + convert<double>(flux);
    };
    const auto low = type.shift(A, -1)(), high = type();
    const auto is_before = low == cell::fluid && high == cell::solid;
    const auto is_behind = low == cell::solid && high == cell::fluid;
    const auto onto = select(is_before, pressed(-1), 0.0) - select(is_behind, pressed(0), 0.0);
    const auto part = [](const auto& mask) { return convert<double>(select(mask, 0.5, 0.0)); };
    const auto half = lifted(-1) * part(is_before) + lifted(0) * part(is_behind);
    const auto rubbed = sum_over<D>([&](auto b) {
      if constexpr (all_axes[b] == A) {
        return convert<double>(0 * own());
      } else {
        const auto drag = convert<double>((2 * viscosity * per_h[b] * per_h[b]) * own());
        return select(is_solid<A>(type.shift(all_axes[b], 1)), drag, 0.0) +
               select(is_solid<A>(type.shift(all_axes[b], -1)), drag, 0.0);
      }
    });
    return double(per_h[at]) * onto + half + select(is_open<A>(type), rubbed, 0.0);
  }
};

/// Difference of a scalar across the end of an axis, in the cells there that are fluid: the cell
/// less its ghost. Cells that are not all fluid come with their type.
template <Axis A>
struct AcrossSide {
  bool is_high{};
  GOBAN_FUNCTION auto operator()(auto s) const {
    return s() - select(is_high, s.shift(A, 1)(), s.shift(A, -1)());
  }
  GOBAN_FUNCTION auto operator()(auto s, auto type) const {
    return where_fluid(type, (*this)(s), 0);
  }
};

}  // namespace goban::flow
