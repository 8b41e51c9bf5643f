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

/// (grad u)^2 of a cell, 1/s2: viscosity times its sum is what friction takes from the kinetic
/// energy, exactly so where nothing flows through sides.
template <int D, class Real>
struct Shear {
  std::array<Real, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto operator()(auto... u) const {
    const auto all = std::tie(u...);
    return sum_over<D>([&](auto a) {
      return sum_over<D>([&](auto b) {
        constexpr Axis A = all_axes[a], B = all_axes[b];
        const auto& own = std::get<a>(all);
        if constexpr (A == B) {
          return square(per_h[b] * d<A, 2, Onto::center>(own));
        } else {
          // A quarter for each of the differences beside the two faces.
          const auto beside = [&](int n, int m) {
            return square(per_h[b] * d<B, 2, Onto::face>(own.shift(A, n).shift(B, m)));
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

struct Value {
  GOBAN_FUNCTION auto operator()(auto value) const { return value(); }
};

/// Force along A on solids at the lower face of a cell, per density and volume of a cell [m/s2]:
/// pressure and momentum that flow into them, friction along them. Arguments: velocities, phi, the
/// type of cells, 1/dt, the viscosity of eddies if there are any.
template <Axis A, int D, class Real>
struct PushSolid {
  Real viscosity;
  std::array<Real, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    constexpr auto at = static_cast<std::size_t>(index_of(A));
    const auto& own = along<A>(all);
    const auto& phi = std::get<D>(all);
    const auto& type = std::get<D + 1>(all);
    const auto per_dt = std::get<D + 2>(all)();
    // From the centre of the cell on the low side or the high side.
    constexpr bool has_eddies = sizeof...(arguments) > D + 3;
    const auto eddies = eddies_of(argument_or<has_eddies, D + 3>(all, NoEddies{}), per_h);
    const auto pressed = [&](int n) {
      const auto flux = momentum_flux<A, A>(own.shift(A, n), own.shift(A, n), viscosity * per_h[at],
                                            eddies.shift(A, n), AllFluid{});
      return (per_dt * per_dt) * phi.shift(A, n)() + convert<double>(flux);
    };
    const auto low = type.shift(A, -1)(), high = type();
    const auto onto = select(low == cell::fluid && high == cell::solid, pressed(-1), 0.0) -
                      select(low == cell::solid && high == cell::fluid, pressed(0), 0.0);
    const auto rubbed = sum_over<D>([&](auto b) {
      if constexpr (all_axes[b] == A) {
        return convert<double>(0 * own());
      } else {
        const auto drag = convert<double>((2 * viscosity * per_h[b] * per_h[b]) * own());
        return select(is_solid<A>(type.shift(all_axes[b], 1)), drag, 0.0) +
               select(is_solid<A>(type.shift(all_axes[b], -1)), drag, 0.0);
      }
    });
    return double(per_h[at]) * onto + select(is_open<A>(type), rubbed, 0.0);
  }
};

/// Difference of a scalar across the end of an axis, in the cells there: the cell less its ghost.
template <Axis A>
struct AcrossSide {
  bool is_high{};
  GOBAN_FUNCTION auto operator()(auto s) const {
    return s() - select(is_high, s.shift(A, 1)(), s.shift(A, -1)());
  }
};

}  // namespace goban::flow
