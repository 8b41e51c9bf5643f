#pragma once
// What is shown of a flow and summed up.

#include "flow/step_visits.hpp"
#include "goban/stencil/curl.hpp"

namespace goban::flow {

template <int D, class T>
Program FlowStep<D, T>::observation() const {
  Program observe("observation");
  with_faces(faces, [&](const auto&... u) { observe.apply(Center<D>{}, in(u)..., out(velocity)); });
  const Real3 h = grid_.spacing();
  std::array<T, 3> scale;
  for (std::size_t a = 0; a < 3; ++a) scale[a] = static_cast<T>(1 / (2 * h[a]));
  observe.apply(Curl<T>{scale}, in(velocity), out(vorticity));
  add_eddies(observe);
  observe.apply(ShowPressure{model_.density}, in(projection_.phi), out(pressure),
                param(projection_.per_length));
  return observe;
}

template <int D, class T>
Program FlowStep<D, T>::balance() const {
  Program balance("balance");
  if (!push.empty()) add_eddies(balance);
  with_faces(faces, [&](const auto&... u) {
    const auto sum_up = [&](const auto& functor, Reduction reduction, const auto& target,
                            const auto&... more) {
      balance.reduce(functor, in(u)..., more..., reduction, into(target)).over(cells());
    };
    sum_up(CourantRate<D, T>{per_h<T>()}, maximum, courant_rate);
    sum_up(AbsoluteDivergence<D>{per_h<double>()}, maximum, divergence);
    sum_up(KineticEnergy<D>{}, sum, kinetic_energy);
    sum_up(Shear<D, T>{per_h<T>()}, sum, shear);
    if (subgrid) {
      sum_up(SubgridDissipation<D, T>{per_h<T>()}, sum, to_eddies, in(*squared_mixing_length_));
    }
    if (push.empty()) return;
    with_eddies([&](const auto&... eddies) {
      unroll<D>([&](auto a) {
        const PushSolid<all_axes[a], D, T> functor{static_cast<T>(model_.viscosity), per_h<T>()};
        sum_up(functor, sum, push[a], in(projection_.phi), in(*type), param(projection_.per_length),
               eddies...);
      });
    });
  });
  for (std::size_t n = 0; n < scalars.size(); ++n) {
    unroll<D>([&](auto a) {
      for (const Side side : both_sides) {
        if (model_.edges[a][0] == Edge::periodic) continue;
        balance
            .reduce(AcrossSide<all_axes[a]>{side == Side::high}, in(scalars[n]), sum,
                    into(across[n][a][index_of(side)]))
            .over(end_of(cells(), a, side));
      }
    });
  }
  return balance;
}

}  // namespace goban::flow
