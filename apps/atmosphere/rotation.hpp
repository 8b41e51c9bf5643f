#pragma once
// A plane that turns.

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

}  // namespace goban::atmosphere
