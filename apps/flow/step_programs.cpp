// What a step does.

#include <cmath>

#include "flow/step_visits.hpp"

namespace goban::flow {

template <int D, class T>
Program FlowStep<D, T>::rate() const {
  Program rate("rate");
  times_.add(rate, Moment::begin, 0);
  add_eddies(rate);
  add_rate(rate);
  return rate;
}

/// Subgrid viscosity of the velocity as it is.
template <int D, class T>
void FlowStep<D, T>::add_eddies(Program& step) const {
  if (!subgrid) return;
  with_faces(faces, [&](const auto&... u) {
    step.apply(SubgridViscosity<D, T>{per_h<T>()}, in(u)..., in(*squared_mixing_length_),
               out(*subgrid));
  });
}

template <int D, class T>
void FlowStep<D, T>::add_rate(Program& step) const {
  with_faces(faces, [&](const auto&... u) {
    step.reduce(CourantRate<D, T>{per_h<T>()}, in(u)..., maximum, into(courant_rate)).over(cells());
  });
  if (subgrid) step.reduce(Value{}, in(*subgrid), maximum, into(largest_subgrid));
}

/// Model::largest_diffusive_step() with the subgrid viscosity as it is: how fast the mode that
/// decays fastest does, a quarter of it.
template <int D, class T>
Parameter<double> FlowStep<D, T>::add_decay(Program& step) const {
  const Parameter<double> fastest("fastest_decay");
  step.compute([](auto& rate) { rate = 0; }, out(fastest));
  const Real3 h = grid_.spacing();
  const auto add = [&](double diffusivity, double eddies_times, double eddies_over) {
    const Real3 part = model_.explicit_part(diffusivity);
    step.compute(
        [](auto x, auto y, auto z, auto hx, auto hy, auto hz, auto times, auto over, auto subgrid,
           auto& rate) {
          const auto of_eddies = times * subgrid / over;
          auto sum = (x + of_eddies) / (hx * hx) + (y + of_eddies) / (hy * hy);
          if constexpr (D == 3) sum = sum + (z + of_eddies) / (hz * hz);
          rate = max(rate, sum);
        },
        in(part[0]), in(part[1]), in(part[2]), in(h[0]), in(h[1]), in(h[2]), in(eddies_times),
        in(eddies_over), in(largest_subgrid), inout(fastest));
  };
  add(model_.viscosity, 2, 1);
  for (const Scalar& scalar : model_.scalars) {
    add(scalar.diffusivity, 1, model_.turbulent_prandtl);
  }
  return fastest;
}

/// dt, if it is not given: Model::time_step(), at most 1.5 times as long as the last, and so that a
/// whole number of steps reaches the limit.
template <int D, class T>
void FlowStep<D, T>::add_time_step(Program& step) const {
  if (model_.dt) return;
  add_rate(step);
  const Parameter<double> fastest = add_decay(step);
  step.compute(
      [](auto rate, auto least, auto courant, auto fastest, auto decay, auto stability, auto limit,
         auto& dt) {
        const auto stable = min(courant / max(rate, least), stability * (decay / (4 * fastest)));
        const auto longest = min(stable, 1.5 * dt);
        const auto steps = ceil(limit / longest * (1 - 1e-12));
        const auto is_finite = steps - steps == 0;
        dt = select(is_finite, limit / max(steps, 1.0), longest);
      },
      in(courant_rate), in(model_.least_rate(grid_.spacing())), in(model_.courant), in(fastest),
      in(largest_decay(model_.scheme)), in(model_.stability), in(dt_limit), inout(dt));
}

/// A stage with these weights, which begins at a part of the step; without any they are those of
/// AB2.
template <int D, class T>
void FlowStep<D, T>::add_stage(Program& step, const std::optional<StageWeights>& weights,
                               double begin) const {
  const double length = weights ? weights->length() : 1;
  times_.add(step, Moment::middle, begin + length / 2);
  times_.add(step, Moment::end, begin + length);
  const Parameter<double> weight_now("weight_now", weights ? weights->now : 0);
  const Parameter<double> weight_before("weight_before", weights ? weights->before : 0);
  if (!weights) {
    step.compute([](auto dt, auto last, auto& now,
                    auto& before) { ab2_weights(select(last > 0, dt / last, 0), now, before); },
                 in(dt), in(projection_.last_length), out(weight_now), out(weight_before));
  }
  step.compute(
      [](auto dt, auto of_now, auto of_before, auto& now, auto& before, auto& length,
         auto& short_length) {
        now = convert<T>(dt * of_now);
        before = convert<T>(dt * of_before);
        length = dt * (of_now + of_before);
        short_length = convert<T>(length);
      },
      in(dt), in(weight_now), in(weight_before), out(now_), out(before_), out(projection_.length),
      out(short_length_));
  projection_.add_length(step);
  add_motion(step);
  add_transport(step);
  add_inflows(step);
  add_pressures(step);
  add_sides(step, false);
  projection_.add_guess(step);
  add_implicit_diffusion(step);
  add_projection(step);
}

/// What several scalars do to the density.
template <int D, class T>
void FlowStep<D, T>::add_lightness(Program& step) const {
  if (!lightness_) return;
  step.apply(Clear{}, out(*lightness_));
  for (const std::size_t n : buoyant_) {
    const Scalar& scalar = model_.scalars[n];
    step.apply(AddLightness<T>{static_cast<T>(scalar.expansion), static_cast<T>(scalar.reference)},
               in(scalars[n]), inout(*lightness_));
  }
}

template <int D, class T>
void FlowStep<D, T>::add_motion(Program& step) const {
  add_lightness(step);
  with_buoyancy([&](const Buoyancy<T>& buoyancy, const auto&... scalar) {
    with_type([&](const auto&... kind) {
      with_eddies([&](const auto&... eddies) {
        const Accelerate<D, sizeof...(scalar) == 1, sizeof...(kind) == 1, sizeof...(eddies) == 1, T>
            functor{explicit_part(model_.viscosity), per_h<T>(), buoyancy};
        with_faces(faces, [&](const auto&... u) {
          with_faces(rates_, [&](const auto&... rate) {
            with_faces(next_, [&](const auto&... next) {
              with_faces(acceleration_, [&](const auto&... acceleration) {
                step.apply(functor, in(u)..., inout(rate)..., out(next)..., scalar..., kind...,
                           eddies..., param(acceleration)..., param(now_), param(before_));
              });
            });
          });
        });
      });
    });
  });
}

template <int D, class T>
void FlowStep<D, T>::add_transport(Program& step) const {
  for (std::size_t n = 0; n < scalars.size(); ++n) {
    const Scalar& scalar = model_.scalars[n];
    with_type([&](const auto&... kind) {
      with_eddies([&](const auto&... eddies) {
        const Transport<D, sizeof...(kind) == 1, sizeof...(eddies) == 1, T> functor{
            explicit_part(scalar.diffusivity), per_h<T>(),
            static_cast<T>(1 / model_.turbulent_prandtl)};
        with_faces(faces, [&](const auto&... u) {
          step.apply(functor, in(u)..., in(scalars[n]), inout(scalar_rates_[n]),
                     out(next_scalars_[n]), kind..., eddies..., param(now_), param(before_));
        });
      });
    });
    for (const ScalarSource& source : sources_) {
      if (source.scalar != n) continue;
      step.apply(Release{}, in(source.shape), inout(scalar_rates_[n]), inout(next_scalars_[n]),
                 param(source.now), param(now_));
    }
    with_implicit_axis([&](auto axis) { add_implicit_transport<axis>(step, n); });
    step.swap(scalars[n], next_scalars_[n]);
  }
}

template <int D, class T>
template <Axis N>
void FlowStep<D, T>::add_implicit_transport(Program& step, std::size_t n) const {
  const Scalar& scalar = model_.scalars[n];
  step.columns(N, diffuse_along<N, false, T>(scalar.diffusivity, scalar.boundary, *grid_.state()),
               site, in(scalars[n]), inout(next_scalars_[n]), param(short_length_), scratch<T, 2>);
}

/// Adds the implicit diffusion of the velocity; the pressure is as it is guessed.
template <int D, class T>
void FlowStep<D, T>::add_implicit_diffusion(Program& step) const {
  with_implicit_axis([&](auto axis) {
    constexpr Axis N = axis;
    unroll<D>([&](auto a) {
      constexpr Axis A = all_axes[a];
      const DiffuseVelocityAlong<A, N, T> diffuse{
          diffuse_along<N, A == N, T>(model_.viscosity, model_.velocity_boundary(A),
                                      *grid_.state()),
          1 / grid_.spacing()[a]};
      step.columns(N, diffuse, site, in(faces[a]), inout(next_[a]), param(short_length_),
                   in(projection_.phi), param(projection_.per_length), scratch<T, 2>);
    });
  });
}

/// What enters when the stage is over, and through inflows that vary.
template <int D, class T>
void FlowStep<D, T>::add_inflows(Program& step) const {
  if (inflows_.empty()) return;
  step.compute([](auto& inflow) { inflow = 0; }, out(inflow_));
  for (const Inflow& in_side : inflows_) {
    step.compute([](auto area, auto speed, auto& inflow) { inflow = inflow + area * speed; },
                 in(in_side.area), in(in_side.now), inout(inflow_));
    if (!in_side.speed.varies()) continue;
    const std::size_t a = in_side.axis;
    LetIn<T> let_in{all_axes[a], in_side.side == Side::high};
    for (std::size_t b = 0; b < 3; ++b) {
      if (in_side.is_parabolic[b]) let_in.per_cell[b] = T(1) / static_cast<T>(grid_.cells()[b]);
    }
    step.apply(let_in, site, in(*type), inout(next_[a]), param(in_side.now))
        .over(faces_of(a, in_side.side));
  }
}

/// What sides that hold a pressure do to the velocity through them; that of the cells behind them
/// is found then as if it were beside 0.
template <int D, class T>
void FlowStep<D, T>::add_pressures(Program& step) const {
  for (const HeldPressure& held : pressures_) {
    const double inward = held.side == Side::low ? 1 : -1;
    step.compute([](auto pressure, auto length, auto per_half,
                    auto& push) { push = convert<T>(pressure * length * per_half); },
                 in(held.now), in(projection_.length), in(2 * inward / grid_.spacing()[held.axis]),
                 out(held.push));
    with_type([&](const auto&... kind) {
      step.apply(PressSide<sizeof...(kind) == 1>{all_axes[held.axis]}, inout(next_[held.axis]),
                 kind..., param(held.push))
          .over(faces_of(held.axis, held.side));
    });
  }
}

/// What leaves through outflow sides: as convection has it, then as much as enters.
template <int D, class T>
void FlowStep<D, T>::add_sides(Program& step, bool is_first) const {
  if (outflow_area_ == 0) return;
  step.compute(
      [](auto inflow, auto area, auto& speed) { speed = convert<T>(max(inflow, 0.0) / area); },
      in(inflow_), in(outflow_area_), out(outflow_speed_));
  const Real3 h = grid_.spacing();
  std::vector<Parameter<double>> flows;
  std::vector<double> areas;
  each_side(Edge::outflow, [&](std::size_t a, Side side) {
    const Axis axis = all_axes[a];
    const bool is_high = side == Side::high;
    const Box box = faces_of(a, side);
    if (!is_first) {
      step.apply(LetOut<T>{axis, is_high, static_cast<T>(1 / h[a])}, in(faces[a]), in(*type),
                 inout(next_[a]), param(outflow_speed_), param(short_length_))
          .over(box);
    }
    flows.emplace_back("flow_through_side");
    areas.push_back(h[0] * h[1] * h[2] / h[a]);
    step.reduce(ThroughSide{axis, is_high}, in(next_[a]), in(*type), sum, into(flows.back()))
        .over(box);
  });
  step.compute([](auto& outflow) { outflow = 0; }, out(outflow_));
  for (std::size_t n = 0; n < flows.size(); ++n) {
    step.compute([](auto area, auto flow, auto& outflow) { outflow = outflow + area * flow; },
                 in(areas[n]), in(flows[n]), inout(outflow_));
  }
  step.compute([](auto inflow, auto area, auto outflow,
                  auto& missing) { missing = convert<T>((inflow - outflow) / area); },
               in(inflow_), in(outflow_area_), in(outflow_), out(missing_));
  each_side(Edge::outflow, [&](std::size_t a, Side side) {
    step.apply(BalanceSide<T>{all_axes[a], side == Side::high}, in(*type), inout(next_[a]),
               param(missing_))
        .over(faces_of(a, side));
  });
}

/// Takes the divergence off the next velocity, which becomes the velocity.
template <int D, class T>
void FlowStep<D, T>::add_projection(Program& step) const {
  projection_.add_projection(step, next_);
  for (std::size_t a = 0; a < D; ++a) step.swap(faces[a], next_[a]);
}

template <int D, class T>
Program FlowStep<D, T>::program() const {
  Program step("flow");
  double begin = 0;
  for (const auto& weights : stages_of(model_.scheme)) {
    times_.add(step, Moment::begin, begin);
    add_eddies(step);
    if (begin == 0) add_time_step(step);
    add_stage(step, weights, begin);
    if (weights) begin += weights->length();
  }
  return step;
}

template class FlowStep<2, float>;
template class FlowStep<2, double>;
template class FlowStep<3, float>;
template class FlowStep<3, double>;

}  // namespace goban::flow
