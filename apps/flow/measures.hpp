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

/// du_a/dx_b at the edge that the lower faces of a cell along a and b share, 1/s.
template <class Real>
GOBAN_FUNCTION auto slope_at_edge(Pair axes, const std::array<Real, 3>& per_h, const auto& u,
                                  const auto& type) {
  const auto slope = per_h[axes.b] * d<2, Onto::face>(u, axes.second());
  if constexpr (has_types<decltype(type)>) {
    return select(is_beside_wall(axes, type), 2 * slope, slope);
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
    const auto u = of_axes<D>(all);
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      if (a < D && b < D) {
        const auto at = [&](int n, int m) {
          const auto place = [&](const auto& what) {
            return what.shift(all_axes[a], n).shift(all_axes[b], m);
          };
          return slope_at_edge(Pair{b, a}, per_h, place(u[b]), place(type)) -
                 slope_at_edge(Pair{a, b}, per_h, place(u[a]), place(type));
        };
        vorticity[c] = Real(0.25) * ((at(0, 0) + at(0, 1)) + (at(1, 0) + at(1, 1)));
      } else {
        vorticity[c] = 0;
      }
    }
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
    const auto faces = of_axes<D>(all);
    return sum_over(D, [&](int a) {
      return sum_over(D, [&](int b) {
        const Axis A = all_axes[a], B = all_axes[b];
        if (a == b) return square(per_h[b] * d<2, Onto::center>(faces[a], A));
        // A quarter for each of the differences beside the two faces. Half a cell beside a solid
        // has twice the slope.
        const auto beside = [&](int n, int m) {
          const auto u = faces[a].shift(A, n).shift(B, m);
          return (per_h[b] * d<2, Onto::face>(u, B)) *
                 slope_at_edge(Pair{a, b}, per_h, u, type.shift(A, n).shift(B, m));
        };
        return 0.25 * ((beside(0, 0) + beside(0, 1)) + (beside(1, 0) + beside(1, 1)));
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
    const auto square = strain_squared<D>(of_axes<D>(all), per_h);
    return std::get<D>(all)() * (square * sqrt(square));
  }
};

/// Velocity along an axis, the mean of a cell's two faces.
struct MeanAlong {
  Axis axis{};
  GOBAN_FUNCTION auto operator()(auto u) const { return average<Onto::center>(u, axis); }
};

struct Value {
  GOBAN_FUNCTION auto operator()(auto value) const { return value(); }
};

/// Force along an axis on solids at the lower face of a cell, per density and volume of a cell
/// [m/s2]: pressure and momentum that flow into them, friction along them. The pressure at a solid
/// is that of the cell before it and what forces make of it over half a cell. Arguments:
/// velocities, phi, the type of cells, 1/dt, the acceleration along the axis [m/s2], with HasScalar
/// a scalar, with HasEddies their viscosity.
template <int D, bool HasScalar, bool HasEddies, class Real>
struct PushSolid {
  Axis axis{};
  Real viscosity;
  std::array<Real, 3> per_h;  ///< 1/m
  Buoyancy<Real> buoyancy;

  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const int at = index_of(axis);
    const auto own = of_axes<D>(all)[at];
    const auto& phi = std::get<D>(all);
    const auto& type = std::get<D + 1>(all);
    const auto per_dt = std::get<D + 2>(all)();
    // From the centre of the cell on the low side or the high side.
    const auto eddies =
        eddies_of(argument_or<HasEddies, D + 4 + HasScalar>(all, NoEddies{}), per_h);
    const auto acceleration = std::get<D + 3>(all)();
    const auto lifted = [&](int n) {
      if constexpr (HasScalar) {
        return convert<double>(acceleration + buoyancy(at, std::get<D + 4>(all).shift(axis, n)()));
      } else {
        return convert<double>(acceleration);
      }
    };
    const auto pressed = [&](int n) {
      const auto flux = momentum_flux(Pair{at, at}, own.shift(axis, n), own.shift(axis, n),
                                      viscosity * per_h[at], eddies.shift(axis, n), AllFluid{});
      return (per_dt * per_dt) * phi.shift(axis, n)() + convert<double>(flux);
    };
    const auto low = type.shift(axis, -1)(), high = type();
    const auto is_before = low == cell::fluid && high == cell::solid;
    const auto is_behind = low == cell::solid && high == cell::fluid;
    const auto onto = select(is_before, pressed(-1), 0.0) - select(is_behind, pressed(0), 0.0);
    const auto part = [](const auto& mask) { return convert<double>(select(mask, 0.5, 0.0)); };
    const auto half = lifted(-1) * part(is_before) + lifted(0) * part(is_behind);
    const auto rubbed = sum_over(D, [&](int b) {
      if (b == at) return convert<double>(0 * own());
      const auto drag = convert<double>((2 * viscosity * per_h[b] * per_h[b]) * own());
      return select(is_solid(type.shift(all_axes[b], 1), axis), drag, 0.0) +
             select(is_solid(type.shift(all_axes[b], -1), axis), drag, 0.0);
    });
    return double(per_h[at]) * onto + half + select(is_open(type, axis), rubbed, 0.0);
  }
};

/// Difference of a scalar across the end of an axis, in the cells there that are fluid: the cell
/// less its ghost. Cells that are not all fluid come with their type.
struct AcrossSide {
  Axis axis{};
  bool is_high{};
  GOBAN_FUNCTION auto operator()(auto s) const {
    return s() - select(is_high, s.shift(axis, 1)(), s.shift(axis, -1)());
  }
  GOBAN_FUNCTION auto operator()(auto s, auto type) const {
    return where_fluid(type, (*this)(s), 0);
  }
};

}  // namespace goban::flow
