#pragma once
// A plane that turns, and a map of an earth that does.

#include <tuple>

#include "atmosphere/advection.hpp"

namespace goban::atmosphere {

/// dU/dt += f (V - V_b), dV/dt -= f (U - U_b): the Coriolis force on what the wind differs from
/// the geostrophic wind (u_b, v_b [m/s] on their faces; that of the base state unless the case says
/// another), which is in balance with the gradient of a pressure that the model does not hold.
/// `mass`: G rho of the base state.
template <class Real>
struct Turn {
  Real f;  ///< 1/s

  GOBAN_FUNCTION void operator()(auto U, auto V, auto mass, auto base_u, auto base_v, auto rate_U,
                                 auto rate_V) const {
    rate_U += f * beside<Axis::x, Axis::y>(V, base_v, mass);
    rate_V += -f * beside<Axis::y, Axis::x>(U, base_u, mass);
  }

 private:
  /// The mean over the four faces along B around a face along A.
  template <Axis A, Axis B>
  GOBAN_FUNCTION static auto beside(const auto& momentum, const auto& base, const auto& mass) {
    const auto excess = [&](int a, int b) {
      const auto m = mass.shift(A, a).shift(B, b);
      return momentum.shift(A, a).shift(B, b)() -
             base.shift(A, a).shift(B, b)() * average<B, Onto::face>(m);
    };
    return 0.25 * ((excess(0, 0) + excess(0, 1)) + (excess(-1, 0) + excess(-1, 1)));
  }
};

/// The same on a map. With velocities on the map, u = U / r of all mass r [m/s], f and mu = d(log
/// m) [1/m] in cells, z = f + u mu_y - v mu_x:
///   dU/dt += z V + u (U mu_x + V mu_y) - f V_b,  dV/dt -= z U - v (U mu_x + V mu_y) - f U_b,
/// means of two cells.
struct TurnOnMap {
  GOBAN_FUNCTION void operator()(auto U, auto V, auto mass, auto base_u, auto base_v, auto u,
                                 auto v, auto f, auto mu_x, auto mu_y, auto rate_U,
                                 auto rate_V) const {
    const auto gain = [&](Axis axis, int n) {  // of U and V, in the cell n further
      const auto center = [&]<Axis A>(const auto& q) {
        return average<A, Onto::center>(q.shift(axis, n));
      };
      const auto x = [&](const auto& q) { return center.template operator()<Axis::x>(q); };
      const auto y = [&](const auto& q) { return center.template operator()<Axis::y>(q); };
      const auto grow_x = mu_x.shift(axis, n)(), grow_y = mu_y.shift(axis, n)();
      const auto turn = f.shift(axis, n)(), turning_mass = turn * mass.shift(axis, n)();
      const auto z = turn + x(u) * grow_y - y(v) * grow_x, grow = x(U) * grow_x + y(V) * grow_y;
      return std::tuple{z * y(V) + x(u) * grow - turning_mass * y(base_v),
                        y(v) * grow - z * x(U) + turning_mass * x(base_u)};
    };
    rate_U += 0.5 * (std::get<0>(gain(Axis::x, 0)) + std::get<0>(gain(Axis::x, -1)));
    rate_V += 0.5 * (std::get<1>(gain(Axis::y, 0)) + std::get<1>(gain(Axis::y, -1)));
  }
};

}  // namespace goban::atmosphere
