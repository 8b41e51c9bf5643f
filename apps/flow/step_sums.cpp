// What is shown of a flow and summed up.

#include "flow/step_visits.hpp"

namespace goban::flow {

template <int D, class T>
Program FlowStep<D, T>::observation() const {
  Program observe("observation");
  times_.add(observe, Moment::begin, 0);
  with_faces(faces, [&](const auto&... u) { observe.apply(Center<D>{}, in(u)..., out(velocity)); });
  with_type([&](const auto&... kind) {
    with_faces(faces, [&](const auto&... u) {
      observe.apply(Vorticity<D, sizeof...(kind) == 1, T>{per_h<T>()}, in(u)..., kind...,
                    out(vorticity));
    });
  });
  add_eddies(observe);
  observe.apply(ShowPressure{model_.density}, in(projection_.phi), out(pressure),
                param(projection_.per_length));
  return observe;
}

template <int D, class T>
Program FlowStep<D, T>::balance() const {
  Program balance("balance");
  times_.add(balance, Moment::begin, 0);
  if (!push.empty()) {
    add_eddies(balance);
    add_lightness(balance);
  }
  with_faces(faces, [&](const auto&... u) {
    const auto sum_up = [&](const auto& functor, Reduction reduction, const auto& target,
                            const auto&... more) {
      balance.reduce(functor, in(u)..., more..., reduction, into(target)).over(cells());
    };
    sum_up(CourantRate<D, T>{per_h<T>()}, maximum, courant_rate);
    sum_up(AbsoluteDivergence<D>{per_h<double>()}, maximum, divergence);
    sum_up(KineticEnergy<D>{}, sum, kinetic_energy);
    with_type([&](const auto&... kind) {
      sum_up(Shear<D, sizeof...(kind) == 1, T>{per_h<T>()}, sum, shear, kind...);
    });
    if (subgrid) {
      sum_up(SubgridDissipation<D, T>{per_h<T>()}, sum, to_eddies, in(*squared_mixing_length_));
    }
    if (push.empty()) return;
    with_buoyancy([&](const Buoyancy<T>& buoyancy, const auto&... scalar) {
      with_eddies([&](const auto&... eddies) {
        for (std::size_t a = 0; a < D; ++a) {
          const PushSolid<D, sizeof...(scalar) == 1, sizeof...(eddies) == 1, T> functor{
              all_axes[a], static_cast<T>(model_.viscosity), per_h<T>(), buoyancy};
          sum_up(functor, sum, push[a], in(projection_.phi), in(*type),
                 param(projection_.per_length), param(acceleration_[a]), scalar..., eddies...);
        }
      });
    });
  });
  for (std::size_t a = 0; a < D; ++a) {
    balance.reduce(MeanAlong{all_axes[a]}, in(faces[a]), sum, into(velocity_sums[a])).over(cells());
  }
  for (std::size_t n = 0; n < model_.planes.size(); ++n) {
    const FlowPlane& plane = model_.planes[n];
    const int axis = index_of(plane.axis);
    Box layer = cells();
    layer.lower[axis] = plane.index;
    layer.upper[axis] = plane.index + 1;
    balance.reduce(MeanAlong{plane.axis}, in(faces[axis]), sum, into(flow_rates[n])).over(layer);
  }
  for (std::size_t n = 0; n < scalars.size(); ++n) {
    for (std::size_t a = 0; a < D; ++a) {
      for (const Side side : both_sides) {
        if (model_.edges[a][0] == Edge::periodic) continue;
        with_type([&](const auto&... kind) {
          balance
              .reduce(AcrossSide{all_axes[a], side == Side::high}, in(scalars[n]), kind..., sum,
                      into(across[n][a][index_of(side)]))
              .over(end_of(cells(), static_cast<int>(a), side));
        });
      }
    }
  }
  return balance;
}

template class FlowStep<2, float>;
template class FlowStep<2, double>;
template class FlowStep<3, float>;
template class FlowStep<3, double>;

}  // namespace goban::flow
