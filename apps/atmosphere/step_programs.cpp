// What a step does.

#include "atmosphere/acoustic.hpp"
#include "atmosphere/measures.hpp"
#include "atmosphere/moist_cell.hpp"
#include "atmosphere/rotation.hpp"
#include "atmosphere/stencils.hpp"
#include "atmosphere/step.hpp"
#include "atmosphere/water.hpp"
#include "goban/goban.hpp"

namespace goban::atmosphere {

template <int D, class T>
void AtmosphereStep<D, T>::add_diagnosis(Program& step, const State<T>& state) const {
  add(step, Diagnose<D, T>{T(model_.gamma())}, std::tuple{site}, state.read(),
      std::tuple{in(mass_), in(base_heat_), in(base_pressure_), in(stretch_)}, slopes(),
      std::tuple{out(theta_), out(p_), out(stiffness_), out(u_), out(v_), out(w_), out(O_)});
}

/// Adds the rates of a state that has been diagnosed.
template <int D, class T>
void AtmosphereStep<D, T>::add_rates(Program& step, const State<T>& state,
                                     bool is_first_stage) const {
  const Rates<T> numbers{per_h(), levels()};
  step.apply(HorizontalRate<Axis::x, D, T>{numbers}, site, in(state.x), in(state.y), in(O_), in(u_),
             in(p_), in(stretch_), in(slope_x_), out(rate_.x));
  step.apply(HorizontalRate<Axis::y, D, T>{numbers}, site, in(state.x), in(state.y), in(O_), in(v_),
             in(p_), in(stretch_), in(slope_y_), out(rate_.y));
  with_area([&](const auto&... area) {
    step.apply(VerticalRate<D, T>{numbers, T(model_.gravity)}, site, in(state.x), in(state.y),
               in(O_), in(w_), in(p_), in(state.density), in(stretch_), out(rate_.z), area...);
  });
  const auto of_cells = [&](const auto& rates) {
    step.apply(rates, site, in(state.x), in(state.y), in(O_), in(theta_), out(rate_.density),
               out(rate_.heat));
  };
  if (model_.limits_theta) {
    of_cells(CellRates<D, Limit::koren, T>{numbers});
  } else {
    of_cells(CellRates<D, Limit::none, T>{numbers});
  }
  const bool is_given = around_ && model_.large_scale->has_wind();
  const auto &u = is_given ? around_->u : base_u_, &v = is_given ? around_->v : base_v_;
  const auto turn = [&](const auto& functor, const auto&... of_map) {
    step.apply(functor, in(state.x), in(state.y), in(mass_), in(u), in(v), of_map...,
               inout(rate_.x), inout(rate_.y));
  };
  if (map) {
    turn(TurnOnMap{}, in(u_), in(v_), in(map->coriolis), in(map->growth_x), in(map->growth_y));
  } else if (model_.rotation != 0) {
    turn(Turn<T>{T(model_.rotation)});
  }
  if (around_) add_forcing(step, state);
  if (equilibrium_) add_cooling(step, state, is_first_stage);
  if (eddies_) add_eddies(step, is_first_stage);
  if (water) step.apply(AddHeating{}, in(water->heating), inout(rate_.heat));
  add_sides(step, state, false);
}

template <int D, class T>
void AtmosphereStep<D, T>::add_short_steps(Program& step, int number, double dtau,
                                           const Field<T>& state_w) const {
  const double ahead = model_.ahead;
  const ImplicitStep<T> implicit{T(dtau),
                                 T(ahead),
                                 T(1 - ahead),
                                 T(1 / ahead),
                                 per_h(),
                                 T(model_.gravity),
                                 T(model_.divergence_damping)};
  const Push<D, T> push{T(dtau), per_h()};
  Program cycle("short step");
  const auto add_sums = [&](const auto& sums_along, const auto&... sum_through) {
    add(cycle, push,
        std::tuple{site, in(p_star_), in(stretch_), in(slope_x_), in(slope_y_), in(rate_.x),
                   in(rate_.y), inout(deviation_.x), inout(deviation_.y)},
        sums_along);
    with_area([&](const auto&... area) {
      const SolveColumns<D, T, (sizeof...(area) > 0)> solve{implicit};
      cycle.columns(Axis::z, solve, site, in(deviation_.x), in(deviation_.y), in(rate_.density),
                    in(rate_.heat), in(rate_.z), in(stretch_), in(slope_x_), in(slope_y_),
                    in(per_stretch_x_), in(per_stretch_y_), in(theta_), in(stiffness_), in(sponge_),
                    in(state_w), in(deviation_.z), inout(deviation_.density),
                    inout(deviation_.heat), out(next_w_), out(p_star_), scratch<T, 4>, area...,
                    sum_through...);
    });
  };
  if (water) {
    step.apply(Clear{}, out(water->flux_x), out(water->flux_y), out(water->flux_z));
    add_sums(std::tuple{inout(water->flux_x), inout(water->flux_y)}, inout(water->flux_z));
  } else {
    add_sums(std::tuple{});
  }
  cycle.swap(deviation_.z, next_w_);
  step.repeat(number, cycle);
}

/// Runge, Kutta of third order as Wicker and Skamarock have it (Mon. Weather Rev. 130 (2002) 2088):
/// a third, a half and the whole of a step, each from its beginning.
template <int D, class T>
Program AtmosphereStep<D, T>::program() const {
  Program step("atmosphere");
  const std::tuple pressure{out(p_star_)};
  if (model_.sides.have(SideKind::larger)) add_larger(step);
  for (const int parts : {3, 2, 1}) {
    const bool is_first = parts == 3;
    const State<T>& state = is_first ? now : star_;
    const int number = is_first ? 1 : model_.short_steps / parts;
    add_diagnosis(step, state);
    add_rates(step, state, is_first);
    if (is_first) {
      add(step, Clear{}, deviation_.set(), pressure);
    } else {
      add(step, BeginStage{}, std::tuple{in(stiffness_)}, pressure, now.read(), star_.read(),
          deviation_.set());
    }
    add_short_steps(step, number, model_.dt / (is_first ? 3 : model_.short_steps), state.z);
    if (water) {
      const Water<T>& from = is_first ? water->now : water->star;
      add_water(step, state, from, number, model_.dt / parts, parts == 1);
    }
    if (is_first) {
      add(step, EndStage{}, now.read(), deviation_.read(), star_.set());
    } else {
      add(step, EndStage{}, deviation_.read(), star_.change());
    }
  }
  const auto swap = [&](auto... members) { ((void)step.swap(now.*members, star_.*members), ...); };
  swap(&State<T>::density, &State<T>::heat, &State<T>::x, &State<T>::y, &State<T>::z);
  if (water) {
    add_sides(step, now, true);
    add_rain(step);
    if (around_) add_water_forcing(step);
  }
  if (skin) add_surface(step);
  return step;
}

template <int D, class T>
Program AtmosphereStep<D, T>::observation() const {
  Program observe("observation");
  add_diagnosis(observe, now);
  with_area([&](const auto&... area) {
    observe.apply(Show{}, in(u_), in(v_), in(w_), in(theta_), in(p_), in(mass_), in(base_heat_),
                  out(velocity), out(theta_deviation), out(pressure_deviation), area...);
  });
  observe.apply(ShowAir<T>{T(model_.gas_constant / model_.heat_capacity)}, in(theta_), in(p_),
                in(base_pressure_), in(mass_), in(now.density), in(volume_), out(air.pressure),
                out(air.density), out(air.theta), out(air.temperature));
  observe.reduce(Value{}, in(w_), maximum, into(largest_w));
  observe.reduce(Value{}, in(w_), minimum, into(smallest_w));
  observe.reduce(Speed{}, in(velocity), maximum, into(largest_wind)).over(ground_cells());
  const PressureBelow at_ground{model_.gravity, grid_.spacing()[2]};
  if (model_.terrain.shape == Terrain::Shape::none) {
    observe
        .reduce(at_ground, in(air.pressure), in(air.density), in(stretch_), minimum,
                into(lowest_pressure))
        .over(ground_cells());
  } else {
    observe
        .reduce(PressureAtSea{at_ground, model_.gas_constant}, in(air.pressure), in(air.density),
                in(stretch_), in(air.temperature), in(height), minimum, into(lowest_pressure))
        .over(ground_cells());
  }
  observe.reduce(Value{}, in(theta_deviation), maximum, into(largest_theta));
  observe.reduce(Value{}, in(theta_deviation), minimum, into(smallest_theta));
  observe.reduce(Value{}, in(now.density), sum, into(added_mass));
  if (water) add_shown_water(observe);
  return observe;
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
